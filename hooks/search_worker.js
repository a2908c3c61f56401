// Stands between the theme's page and the theme's search: the index of the whole site is
// fetched when somebody searches, and not on every first visit.  hooks/search.py puts
// this where the theme starts its search, as a worker.
"use strict";

// What the theme's two sides say to each other.
const SETUP = 0;
const READY = 1;
const RESULT = 3;

/** What the page has set up: how to search, in an index without pages. */
let setup;
let loading;

/** Fetches the index, and hands it to the theme's search. */
async function load() {
  const answer = await fetch("../../../search/whole_index.json");
  if (!answer.ok) throw new Error(answer.statusText);
  const index = await answer.json();
  importScripts("theme-search.js");
  await new Promise((resolve) => {
    // The theme's side says that it is ready; the page was told so long ago.
    const tell = self.postMessage;
    self.postMessage = () => resolve((self.postMessage = tell));
    handOver({ type: SETUP, data: { ...setup, ...index } });
  });
}

/** Gives a message to the theme's search, which listens as this script does. */
function handOver(data) {
  dispatchEvent(new MessageEvent("message", { data }));
}

addEventListener("message", async (event) => {
  if (!event.isTrusted) return; // one of our own
  event.stopImmediatePropagation();
  const { type, data } = event.data;
  if (type === SETUP) {
    setup = data;
    postMessage({ type: READY });
  } else if (!data && !loading) {
    postMessage({ type: RESULT, data: { items: [] } });
  } else {
    // After a failure the next key tries again.
    loading ??= load().catch(() => (loading = undefined));
    await loading;
    if (loading) handOver(event.data);
  }
});
