// The two Pythons that run in a browser, and how to tell whether they print what a page
// prints. The worker uses this, and so does the build, which tries every block.

const FILE = "<stdin>"; // what MicroPython calls the code that it is given

/** Loads a Python from its folder; returns what runs code and hands over what it prints
    as bytes. Each run begins with an empty namespace. */
export const LOADERS = {
  async micropython(folder, print) {
    const { loadMicroPython } = await import(`${folder}micropython.mjs`);
    const options = { heapsize: 2 ** 25, linebuffer: false, stdout: print, stderr: print };
    await loadMicroPython(options); // so that all of it is there before something runs
    return async (code) => (await loadMicroPython(options)).runPython(code);
  },

  async pyodide(folder, print) {
    const { loadPyodide } = await import(`${folder}pyodide.mjs`);
    const python = await loadPyodide();
    const stream = { isatty: true, write: (bytes) => (print(bytes), bytes.length) };
    python.setStdout(stream);
    python.setStderr(stream);
    return async (code) => {
      const globals = python.toPy({ __name__: "__main__" });
      python.runPython(code, { globals, filename: FILE });
    };
  },
};

/** Runs code; returns null, or the error's last line and the line it happened in. */
export async function errorOf(run, code) {
  try {
    await run(code);
    return null;
  } catch (error) {
    if (error.name !== "PythonError") throw error;
    const lines = [...error.message.matchAll(/File "<stdin>", line (\d+)/g)];
    return { text: error.message.trim().split("\n").at(-1), line: Number(lines.at(-1)?.[1]) };
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
