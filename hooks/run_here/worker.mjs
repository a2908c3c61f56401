// Runs Python away from the page, which can end it at any moment.
import { LOADERS, errorOf } from "./python.mjs";

const LIMIT = 100_000; // characters that a page shows without trouble
const PAUSE = 50; // milliseconds between two messages, or a loop that prints floods the page

let python;
let decoder;
let waiting;
let room;
let isCut;
let told;

/** Takes what Python prints, and passes it on now and then, up to a limit. */
function print(bytes) {
  const text = decoder.decode(bytes, { stream: true });
  waiting += text.slice(0, room);
  if (text.length > room && !isCut) postMessage({ kind: "cut" });
  isCut ||= text.length > room;
  room = Math.max(room - text.length, 0);
  if (performance.now() - told > PAUSE) flush();
}

function flush() {
  if (waiting) postMessage({ kind: "printed", text: waiting });
  waiting = "";
  told = performance.now();
}

addEventListener("message", async ({ data: { name, code } }) => {
  try {
    python ??= LOADERS[name](new URL(`${name}/`, import.meta.url).href, print);
    const run = await python;
    [decoder, waiting, room, isCut] = [new TextDecoder(), "", LIMIT, false];
    told = performance.now();
    postMessage({ kind: "running" });
    const error = await errorOf(run, code);
    flush();
    postMessage({ kind: "done", name, error });
  } catch (error) {
    postMessage({ kind: "failed", text: String(error) });
  }
});
