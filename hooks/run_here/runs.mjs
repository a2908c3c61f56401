// Runs of Python in workers: what is loaded once is used again, what is stopped is gone.

/** Workers with a Python loaded and nothing to do, by the Python's name. */
const idle = new Map();

/** Starts a run; `hear` gets the worker's messages. Returns what ends the run at once. */
export function startRun(name, code, hear) {
  const worker =
    idle.get(name) ?? new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  idle.delete(name);
  const end = () => {
    worker.onmessage = null;
    worker.terminate();
  };
  worker.onmessage = ({ data }) => {
    if (data.kind === "done") putAside(name, worker);
    hear(data);
  };
  worker.onerror = () => hear({ kind: "failed", text: "This browser cannot run it." });
  worker.postMessage({ name, code });
  return end;
}

function putAside(name, worker) {
  idle.get(name)?.terminate();
  idle.set(name, worker);
}
