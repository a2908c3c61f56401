// The editor below a block: change the code, run it, see whether it still prints what the
// page prints. Loaded when a reader opens the first one; `element` is in progress.js.
import { compare } from "./python.mjs";
import { startRun } from "./runs.mjs";

const PYTHONS = {
  micropython: { title: "MicroPython", size: "0.2 MB" },
  pyodide: { title: "CPython 3.14", size: "6.3 MB" },
};
const VERDICTS = {
  same: "As on the page.",
  wording: "As on the page; this Python words the error differently.",
  differs: "Differs from the page.",
};
const CUT = "Only the first 100,000 characters are shown.";
// What MicroPython raises where it lacks a part of Python.
const LACKING = /^(ImportError|AttributeError|SyntaxError|NotImplementedError)/;

// ---------------------------------------------------------------- what is kept

/** A reader's changes, by the code they began with; kept as long as the tab is open. */
const drafts = new Map();
const DRAFT = "attention-ref.draft:";

function keepDraft(code, text) {
  drafts.set(code, text);
  try {
    if (text === code) sessionStorage.removeItem(DRAFT + code);
    else sessionStorage.setItem(DRAFT + code, text);
  } catch {
    // No storage.
  }
}

function draftOf(code) {
  try {
    return sessionStorage.getItem(DRAFT + code) ?? drafts.get(code) ?? code;
  } catch {
    return drafts.get(code) ?? code;
  }
}

// ------------------------------------------------------------------- its parts

function pushButton(text, press) {
  const button = element("button", { type: "button", text });
  button.addEventListener("click", press);
  return button;
}

function codeArea(code) {
  const rows = Math.min(Math.max(code.split("\n").length, 3), 24);
  const plain = { autocapitalize: "off", autocomplete: "off", spellcheck: "false" };
  const area = element("textarea", { ...plain, wrap: "off", rows });
  area.value = draftOf(code);
  return area;
}

function pythonChoice(names) {
  const options = names.map((value) => {
    const { title, size } = PYTHONS[value];
    return element("option", { value, text: `${title}, loads ${size}` });
  });
  return element("select", {}, ...options);
}

/** Breaks a line and indents the next as Python wants it; the browser can undo it. */
function breakLine(area) {
  const { value, selectionStart: end } = area;
  const line = value.slice(value.lastIndexOf("\n", end - 1) + 1, end);
  const indent = line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? "    " : "");
  document.execCommand("insertText", false, `\n${indent}`);
}

/** Says in words how a run ended. */
function describe(error, verdict, python, pythons) {
  const texts = [VERDICTS[verdict]];
  if (error) texts.unshift(error.line ? `Error in line ${error.line}.` : "Error.");
  if (python === "micropython" && LACKING.test(error?.text) && pythons.includes("pyodide"))
    texts.push("MicroPython knows a part of Python; CPython knows all of it.");
  return texts.join(" ");
}

// ------------------------------------------------------------------ all of it

/** Makes the editor of a block; `stop` ends its run. */
export function makeEditor({ code, expected, pythons }) {
  const area = codeArea(code);
  const choice = pythonChoice(pythons);
  const go = pushButton("Run", () => (end ? stop() : run()));
  const reset = pushButton("Reset", takeBack);
  const status = element("p", { class: "run-status", role: "status" });
  const log = { class: "run-output", role: "log", "aria-label": "Output", tabindex: 0 };
  const output = element("pre", { ...log, hidden: true });
  const form = element("div", { class: "run-here", role: "group", "aria-label": "Run it here" },
    element("label", {}, "Change the code (Ctrl + Enter runs it)", area),
    element("div", { class: "run-controls" }, go, reset, element("label", {}, "Python ", choice)),
    status,
    output);
  let end = null; // ends the run in progress
  let isCut = false;

  function say(text, kind = "") {
    status.textContent = text;
    status.dataset.kind = kind;
  }

  function show(part) {
    output.append(part);
    output.hidden = false;
  }

  /** What the run in progress tells. */
  const hear = {
    running: () => say("Running …"),
    printed: ({ text }) => show(text),
    cut() {
      isCut = true;
      say(`Running … ${CUT}`);
    },
    failed({ text }) {
      stop();
      say(text, "failed");
    },
    done({ error, name }) {
      finish();
      const verdict = compare(output.textContent, error, expected);
      if (error) show(element("span", { class: "run-error", text: error.text }));
      const ending = describe(error, verdict, name, pythons);
      say(isCut ? `${ending} ${CUT}` : ending, verdict);
    },
  };

  function run() {
    stop();
    output.replaceChildren();
    output.hidden = true;
    isCut = false;
    const { title, size } = PYTHONS[choice.value];
    say(`Loading ${title}, ${size} …`);
    end = startRun(choice.value, area.value, (message) => hear[message.kind](message));
    go.textContent = "Stop";
  }

  function finish() {
    end = null;
    go.textContent = "Run";
  }

  function stop() {
    if (!end) return;
    end();
    finish();
    say("Stopped.");
  }

  function noteChange() {
    reset.disabled = area.value === code;
    keepDraft(code, area.value);
  }

  function takeBack() {
    if (!confirm("Take back your changes to this block?")) return;
    area.value = code;
    area.focus();
    noteChange();
  }

  area.addEventListener("input", noteChange);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) run();
    else breakLine(area);
  });
  noteChange();
  if (area.value !== code) say("These are your changes from before.");
  return { form, area, stop };
}
