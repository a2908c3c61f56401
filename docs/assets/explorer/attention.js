// Attention for the explorer, in the order of `attention_ref`:
// scale, softcap, mask, softmax.  A matrix is an array of rows.

const each = (matrix, change) =>
  matrix.map((row, i) => row.map((number, j) => change(number, i, j)));

const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

/** Says what hides a key from a query, or returns nothing if it is visible. */
function hiddenBy({ tokens, causal, left, right, padding }, query, key) {
  if (key >= tokens.length - padding) return "the padding mask";
  if (causal && key > query) return "the causal mask";
  if (left !== null && query - key > left) return "the window";
  if (right !== null && key - query > right) return "the window";
}

/** Turns scores into weights; a row without a visible key gets zeros. */
function softmax(scores) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return scores.map(() => 0);
  const terms = scores.map((score) => Math.exp(score - largest));
  const total = terms.reduce((sum, term) => sum + term);
  return terms.map((term) => term / total);
}

/** Returns every step from the scores to the output, as `trace_attention` does. */
function attend(state) {
  const { query, key, value, softcap } = state;
  const scale = (state.scale ? 1 / Math.sqrt(query[0].length) : 1) / state.temperature;
  const scores = query.map((q) => key.map((k) => dot(q, k)));
  const scaled = each(scores, (score) => score * scale);
  const capped =
    softcap === null
      ? scaled
      : each(scaled, (score) => softcap * Math.tanh(score / softcap));
  const masked = each(capped, (score, i, j) =>
    hiddenBy(state, i, j) ? -Infinity : score,
  );
  const weights = masked.map(softmax);
  const columns = value[0].map((_, column) => value.map((row) => row[column]));
  const output = weights.map((row) => columns.map((column) => dot(row, column)));
  return { scores, scaled, capped, masked, weights, output };
}
