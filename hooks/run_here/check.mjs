// Tries blocks during the build: which of the Pythons prints what the page prints?
// Reads { packages, blocks: [{ code, expected }] }, writes a list of names for each.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { LOADERS, compare, errorOf } from "./python.mjs";

const { packages, blocks } = JSON.parse(readFileSync(0, "utf8"));
let decoder;
let printed;

async function load(name, folder) {
  const print = (bytes) => (printed += decoder.decode(bytes, { stream: true }));
  return LOADERS[name](folder, print);
}

async function verdict(run, { code, expected }) {
  decoder = new TextDecoder();
  printed = "";
  const error = await errorOf(run, code);
  return compare(printed, error, expected);
}

const names = blocks.map(() => []);
const folderOf = (name) => `${pathToFileURL(packages[name])}/`;
const small = await load("micropython", folderOf("micropython"));
for (const [number, block] of blocks.entries())
  if ((await verdict(small, block)) === "same") names[number].push("micropython");
const large = await load("pyodide", folderOf("pyodide"));
for (const [number, block] of blocks.entries())
  if ((await verdict(large, block)) !== "differs") names[number].push("pyodide");
process.stdout.write(JSON.stringify(names));
