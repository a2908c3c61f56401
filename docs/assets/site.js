// What the theme leaves out: copy buttons that copy code which runs, names for what a
// screen reader announces, and scrolling boxes that a keyboard reaches.
"use strict";

// ------------------------------------------------------------------ copy buttons

/** Returns what runs on its own: a block that continues others brings them along. */
function runnableCode(block) {
  const panel = block.closest(".highlight").nextElementSibling;
  if (panel?.dataset.chain) return panel.dataset.chain;
  const code = block.cloneNode(true);
  // No prompts and no outputs, and none of the theme's annotation markers.
  for (const extra of code.querySelectorAll(".gp, .go, .md-annotation")) extra.remove();
  return code.textContent.replace(/\n{3,}/g, "\n\n").trim() + "\n";
}

/** Copies text, also where the browser keeps its clipboard for secure addresses. */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.body.appendChild(document.createElement("textarea"));
  area.value = text;
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Puts a button on a code block; pressing it copies the block. */
function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "site-copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await copyText(runnableCode(block));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  block.parentElement.append(button);
}

function addCopyButtons() {
  for (const block of document.querySelectorAll(".highlight pre > code")) {
    if (block.closest(".lesson-output")) continue;
    if (!block.parentElement.querySelector(".site-copy")) addCopyButton(block);
  }
}

// ------------------------------------------------------------- keyboard and names

const SCROLLERS = "div.formula, .md-typeset__scrollwrap, pre > code";

/** Puts what overflows its box into the tab order, and takes the rest out of it. */
function reachScrollers(root = document) {
  for (const box of root.querySelectorAll(SCROLLERS)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

/** Names the theme's annotation markers, which it makes as they come into view. */
function nameAnnotations() {
  const marks = document.querySelectorAll(".md-annotation__index:not([aria-label])");
  for (const mark of marks) {
    const number = mark.querySelector("[data-md-annotation-id]");
    mark.setAttribute("aria-label", `Annotation ${number.dataset.mdAnnotationId}`);
  }
}

new MutationObserver(nameAnnotations).observe(document.body, {
  childList: true,
  subtree: true,
});
addEventListener("resize", () => reachScrollers());
// Fonts come when something needs them, and widen it.
document.fonts.addEventListener("loadingdone", () => reachScrollers());

// What the search finds comes and goes; a result may hold code that is too wide.
const results = document.querySelector(".md-search-result");
if (results) {
  const watch = { childList: true, subtree: true };
  new MutationObserver(() => reachScrollers(results)).observe(results, watch);
}

// The theme announces each page on `document$`, also those that it swaps in.
document$.subscribe(() => {
  addCopyButtons();
  nameAnnotations();
  reachScrollers();
});
