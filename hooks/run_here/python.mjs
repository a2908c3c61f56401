// The two Pythons that run in a browser, and how to tell whether they print what a page
// prints. The worker uses this, and so does the build, which tries every block.

// What MicroPython calls the code that it is given, and so do we.
const FILE = "<stdin>";
const LINE = new RegExp(`File "${FILE}", line (\\d+)`, "g");
// Nobody can answer a Python that runs in a worker: it would wait for ever.
const NO_INPUT = `exec(compile("""
def input(*_):
    raise EOFError("nothing can be typed in here")
""", "<input>", "exec"))`;

/** Loads a Python from its folder; returns what runs code and hands over what it prints
    as bytes. Each run has a namespace of its own. */
export const LOADERS = {
  async micropython(folder, print) {
    const { loadMicroPython } = await import(`${folder}micropython.mjs`);
    const options = { heapsize: 2 ** 25, linebuffer: false, stdout: print, stderr: print };
    await loadMicroPython(options); // so that all of it is there before something runs
    return async (code) => {
      const python = await loadMicroPython(options);
      python.runPython(NO_INPUT);
      python.runPython(code);
    };
  },

  async pyodide(folder, print) {
    const { loadPyodide } = await import(`${folder}pyodide.mjs`);
    const python = await loadPyodide();
    const stream = { isatty: true, write: (bytes) => (print(bytes), bytes.length) };
    python.setStdout(stream);
    python.setStderr(stream);
    return async (code) => {
      const globals = python.toPy({ __name__: "__main__" });
      python.runPython(NO_INPUT, { globals });
      python.runPython(code, { globals, filename: FILE });
    };
  },
};

/** Runs code; returns null, or the error as Python words it and the line it came from. */
export async function errorOf(run, code) {
  try {
    await run(code);
    return null;
  } catch (error) {
    if (error.name !== "PythonError") throw error;
    const lines = [...error.message.matchAll(LINE)];
    const text = error.message.trim().replace(/^[^]*\n {2}.*\n/, ""); // where it came from
    return { text, line: Number(lines.at(-1)?.[1]) };
  }
}

/** Says how a run compares with a page: "same", "differs", or "wording" where Pythons
    raise the same error and say it differently. */
export function compare(printed, error, expected) {
  const wanted = plain(expected);
  const got = plain(printed + (error?.text ?? ""));
  if (got === wanted) return "same";
  const [start, type] = [plain(printed), error?.text.split(":")[0]];
  const rest = wanted.startsWith(start) && wanted.slice(start.length).trim();
  return type && rest && rest.split(":")[0] === type ? "wording" : "differs";
}

/** Takes off the blanks that end lines, as the build does when it compares. */
function plain(text) {
  return text.replace(/[ \t]+$/gm, "").trimEnd();
}
