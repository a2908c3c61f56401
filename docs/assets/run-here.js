// Blocks that need only Python can be changed and run where they stand; the others can be
// taken along as a file. What runs them is loaded when a reader opens the first editor.
"use strict";

const OPEN = "Change and run";

/** The editors of this page, by their panels. */
const editors = new Map();

/** Puts a button at the end of a panel's first line. */
function addToPanel(panel, text, press) {
  const button = element("button", { type: "button", class: "lesson-action", text });
  button.addEventListener("click", press);
  panel.querySelector(".lesson-state").append(button);
  return button;
}

function codeAbove(panel) {
  const code = panel.previousElementSibling?.querySelector(".highlight code");
  return code && runnableCode(code);
}

/** Makes the editor of a panel, closed. */
async function editorOf(panel) {
  const { makeEditor } = await import(new URL("assets/python/editor.mjs", SITE_ROOT));
  if (!editors.has(panel)) {
    const printed = panel.querySelector(".lesson-printed code")?.textContent ?? "";
    const editor = makeEditor({
      code: codeAbove(panel),
      expected: panel.dataset.printed ?? printed,
      pythons: panel.dataset.python.split(" "),
    });
    editor.form.hidden = true;
    panel.append(editor.form);
    editors.set(panel, editor);
  }
  return editors.get(panel);
}

async function toggleEditor(panel, button) {
  let editor;
  try {
    editor = await editorOf(panel);
  } catch {
    button.textContent = "Not to be had just now. Try again";
    return;
  }
  const { form, area, stop } = editor;
  form.hidden = !form.hidden;
  button.textContent = form.hidden ? OPEN : "Close the editor";
  if (form.hidden) stop();
  else area.focus();
}

function offerEditor(panel) {
  const button = addToPanel(panel, OPEN, () => toggleEditor(panel, button));
  button.classList.add("lesson-action--run");
}

function offerFile(panel, number) {
  const page = location.pathname.split("/").findLast((part) => part && part !== "index.html");
  const name = `${(page ?? "block").replace(/\.html$/, "")}-${number}.py`;
  addToPanel(panel, "Download", () => saveFile(name, codeAbove(panel), "text/x-python"));
}

// The theme announces each page on `document$`, also those that it swaps in.
document$.subscribe(() => {
  for (const [panel, { stop }] of editors) {
    if (panel.isConnected) continue;
    stop();
    editors.delete(panel);
  }
  for (const [index, panel] of document.querySelectorAll(".lesson-output").entries()) {
    if (!codeAbove(panel) || panel.querySelector(".lesson-action")) continue;
    if (panel.dataset.python) offerEditor(panel);
    else offerFile(panel, index + 1);
  }
});
