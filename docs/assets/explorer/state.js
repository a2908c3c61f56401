// What the explorer shows, as text: in the address, from the clipboard, for Python.
// hooks/explorer_state.py reads the same addresses; a test compares the two.

const MATRICES = ["query", "key", "value"];

/** The usual value (null: may be empty), the least, the most, an arrow key's step. */
const RANGES = {
  scale: [1, 0, 1, 1],
  temperature: [1, 0.01, 1000, 0.1],
  softcap: [null, 0.01, 1000, 0.5],
  causal: [0, 0, 1, 1],
  left: [null, 0, 64, 1],
  right: [null, 0, 64, 1],
  padding: [0, 0, 64, 1],
  row: [0, 0, 63, 1],
  column: [0, 0, 63, 1],
  tokens: [, 1, 64, 1],
  width: [, 1, 8, 1],
  cell: [, -1000, 1000, 0.1],
};
const SETTINGS = Object.keys(RANGES).filter((name) => RANGES[name][0] !== undefined);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function require(condition, message) {
  if (!condition) throw new Error(message);
}

function readNumber(text, name) {
  const [usual, least, most, step] = RANGES[name];
  if (usual === null && !text.trim()) return null;
  const number = NUMBER.test(text.trim()) ? Number(text) : NaN;
  require(
    number >= least && number <= most && (step < 1 || Number.isInteger(number)),
    `${name} must be a ${step < 1 ? "" : "whole "}number from ${least} to ${most}, ` +
      `got “${text}”`,
  );
  return number;
}

function requireMatrix(rows, name, length = rows.length) {
  const width = rows[0]?.length;
  require(
    rows.length === length && width && rows.every((row) => row.length === width),
    `${name} must have ${length} rows of equal width`,
  );
  readNumber(String(width), "width");
}

/** Makes a token of any text: one line, no control characters, not too long. */
function cleanToken(text) {
  const clean = text.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim();
  return [...clean].slice(0, 24).join("") || "·";
}

// ------------------------------------------------------------------- addresses

/** Reads the text of an address, or says what is wrong with it. */
function read(text) {
  const given = Object.fromEntries(text.split("&").map((part) => part.split(/=(.*)/)));
  const part = (name) => decodeURIComponent(given[name] ?? "");
  const state = {};
  state.tokens = (given.tokens ?? "").split(",").map(decodeURIComponent).map(cleanToken);
  const { length } = state.tokens;
  readNumber(String(length), "tokens");
  for (const name of MATRICES) {
    const rows = part(name).split(";");
    state[name] = rows.map((row) => row.split(",").map((it) => readNumber(it, "cell")));
    requireMatrix(state[name], name, length);
  }
  require(
    state.query[0].length === state.key[0].length,
    "query and key must have the same width",
  );
  for (const name of SETTINGS)
    state[name] = name in given ? readNumber(part(name), name) : RANGES[name][0];
  return fit(state);
}

/** Keeps what counts tokens within their number. */
function fit(state) {
  const { length } = state.tokens;
  state.padding = Math.min(state.padding, length);
  state.row = Math.min(state.row, length - 1);
  state.column = Math.min(state.column, length - 1);
  return state;
}

/** Writes a state as the text of an address; what is as usual is left out. */
function write(state) {
  const settings = SETTINGS.filter((name) => state[name] !== RANGES[name][0]).map(
    (name) => `${name}=${state[name] ?? ""}`,
  );
  const matrices = MATRICES.map((name) => `${name}=${state[name].join(";")}`);
  const tokens = state.tokens.map(encodeURIComponent);
  return [`tokens=${tokens}`, ...matrices, ...settings].join("&");
}

// -------------------------------------------------------- spreadsheets and NumPy

/** Finds the matrix in a spreadsheet's cells or in an array as NumPy prints it. */
function readPasted(text) {
  const rows = text.includes("[")
    ? text.slice(text.indexOf("["), text.lastIndexOf("]")).split("]")
    : text.split("\n");
  const matrix = rows
    .map((row) =>
      row.includes("\t")
        ? row.replaceAll(",", ".").split("\t") // a spreadsheet's decimal commas
        : row.split(/[[\s,;]+/),
    )
    .map((row) => row.filter((cell) => cell.trim()))
    .filter((row) => row.length)
    .map((row) => row.map((cell) => readNumber(cell, "cell")));
  requireMatrix(matrix, "what is pasted");
  return matrix;
}

/** Returns a script that computes the same with `attention_ref` and prints it. */
function toPython(state) {
  const { tokens, causal, left, right, padding, softcap, temperature } = state;
  const { length } = tokens;
  const masks = [];
  if (padding) masks.push(`ref.padding_mask([${length - padding}], ${length})[0, 0]`);
  if (left !== null || right !== null) {
    const sides = `left=${left ?? "None"}, right=${right ?? "None"}`;
    masks.push(`ref.sliding_window_mask(${length}, ${sides})`);
  }
  const usual = state.scale ? `1 / np.sqrt(${state.query[0].length})` : "1.0";
  const options = {
    mask: masks.join(" & "),
    causal: causal && "True",
    scale: temperature === 1 ? usual : `${usual} / ${temperature}`,
    softcap,
  };
  const given = Object.entries(options).filter(([, option]) => option);
  const matrices = MATRICES.flatMap((name) => [
    `${name} = np.array([`,
    ...state[name].map((row, i) => `    [${row.join(", ")}],  # ${tokens[i]}`),
    "], dtype=float)",
  ]);
  return [
    "import numpy as np",
    "import attention_ref as ref",
    "",
    ...matrices,
    "trace = ref.trace_attention(",
    "    query, key, value,",
    ...given.map((option) => `    ${option.join("=")},`),
    ")",
    "np.set_printoptions(precision=4, suppress=True, threshold=10_000)",
    "for name, step in trace._asdict().items():",
    '    print(name, step, sep="\\n")',
    "",
  ].join("\n");
}
