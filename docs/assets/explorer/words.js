// What the explorer says: numbers, the sentence about a query, the arithmetic of a cell.
// hooks/explorer.py writes numbers and sentence alike; a test compares the two.

/** Rounds as Python does, which takes the even digit of two that are equally near. */
function fixed(number, digits) {
  const size = Math.abs(number);
  let text = size.toFixed(digits);
  if ((size * 2 ** (digits + 1)) % 2 === 1) {
    const below = Math.floor(size * 10 ** digits);
    text = ((below + (below % 2)) / 10 ** digits).toFixed(digits);
  }
  return number < 0 && Number(text) ? `−${text}` : text;
}

/** Writes a number for a cell: as many digits as there is room for. */
function short(number) {
  const size = Math.abs(number);
  if (size === Infinity) return "−∞";
  return fixed(number, size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** Writes a number for a calculation: to four digits, and never a false zero. */
function long(number) {
  const size = Math.abs(number);
  if (size && size < 1e-4) return number.toExponential(1).replaceAll("-", "−");
  return fixed(number, 4).replace(/\.?0+$/, "");
}

const vector = (numbers) => `[${numbers.map(long).join(", ")}]`;

// ------------------------------------------------------------------ the sentence

/** Groups the visible keys of a query by equal weight, the largest first. */
function byWeight(keys, weights) {
  const groups = [];
  for (const key of keys.sort((a, b) => weights[b] - weights[a])) {
    const last = groups.at(-1);
    if (last && weights[last[0]] - weights[key] < 1e-9) last.push(key);
    else groups.push([key]);
  }
  return groups.map((group) => group.sort((a, b) => a - b));
}

/** Says in a sentence what the chosen query attends to. */
function sentence(state, { weights }) {
  const { tokens } = state;
  const query = state.row;
  const keys = [...tokens.keys()].filter((key) => !hiddenBy(state, query, key));
  const hidden = tokens.length - keys.length;
  const called = (key) => (key === query ? "itself" : `“${tokens[key]}”`);
  const list = (group) => {
    const names = group.map(called);
    if (names.length > 3) return `${names.length} tokens`;
    return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  };
  const share = (group) =>
    `${list(group)} (${short(weights[query][group[0]])}${group.length > 1 ? " each" : ""})`;

  const subject = `“${tokens[query]}”`;
  if (!keys.length)
    return `${subject} may attend to nothing: its weights and its output are zero.`;
  if (keys.length === 1)
    return `${subject} sees only ${called(keys[0])}, so all its weight goes there.`;
  const [most, next] = byWeight(keys, weights[query]);
  const unseen = hidden ? ` It cannot see ${hidden} of the ${tokens.length} tokens.` : "";
  if (!next) return `${subject} attends equally to ${share(most)}.${unseen}`;
  return `${subject} attends most to ${share(most)}, then to ${share(next)}.${unseen}`;
}

// ---------------------------------------------------------------- the arithmetic

const divisors = (state) => [
  ...(state.scale ? [`√${state.query[0].length}`] : []),
  ...(state.temperature === 1 ? [] : [long(state.temperature)]),
];

/** Says in a few words what the settings make of the steps that depend on them. */
function captions(state) {
  const { causal, left, right, padding, softcap } = state;
  const scaling = divisors(state).map((divisor) => `÷ ${divisor}`);
  if (softcap !== null) scaling.push(`capped at ${long(softcap)}`);
  const masks = [];
  if (causal) masks.push("causal");
  if (left !== null || right !== null) masks.push("window");
  if (padding) masks.push("padding");
  return {
    capped: scaling.join(", ") || "as they are",
    masked: masks.join(", ") || "nothing is hidden",
  };
}

function explainWeight(scores, score) {
  if (score === -Infinity) return "exp(−∞) = 0";
  const visible = scores.filter((it) => it !== -Infinity);
  const largest = Math.max(...visible);
  // Where exp would be huge, show the form that is computed.
  const shift = Math.max(...visible.map(Math.abs)) > 20 ? largest : 0;
  const total = visible.reduce((sum, it) => sum + Math.exp(it - shift), 0);
  const power = long(score) + (shift ? ` − ${long(shift)}`.replace("− −", "+ ") : "");
  return `exp(${power}) ÷ ${long(total)} = ${long(Math.exp(score - shift) / total)}`;
}

/** Spells out how the chosen cell comes about, a line for each step. */
function explain(state, steps) {
  const { query, key, value, softcap, row: i, column: j } = state;
  const [score, scaled, capped, weight] = ["scores", "scaled", "capped", "weights"].map(
    (name) => steps[name][i][j],
  );
  const products = query[i].map((number, at) => `${long(number)} × ${long(key[j][at])}`);
  const cause = hiddenBy(state, i, j);
  const share = value[j].map((number) => weight * number);
  const cap = long(softcap);
  return [
    `${products.join(" + ")} = ${long(score)}`,
    `${[long(score), ...divisors(state)].join(" ÷ ")} = ${long(scaled)}`,
    softcap === null
      ? "off"
      : `${cap} × tanh(${long(scaled)} ÷ ${cap}) = ${long(capped)}`,
    cause ? `hidden by ${cause}: −∞` : `visible, so it stays ${long(capped)}`,
    explainWeight(steps.masked[i], steps.masked[i][j]),
    `${long(weight)} × ${vector(value[j])} = ${vector(share)}`,
    `all shares added up: ${vector(steps.output[i])}`,
  ];
}
