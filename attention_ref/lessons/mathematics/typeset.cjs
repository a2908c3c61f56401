// Typesets a batch of formulas: JSON on standard input, JSON on standard output.
// Run by katex.py as `node typeset.cjs PATH-OF-KATEX`.
"use strict";

const { readFileSync } = require("node:fs");
const katex = require(process.argv[2]);

// Unknown commands, and whatever LaTeX itself would refuse, are errors.
const options = { throwOnError: true, strict: "error", output: "htmlAndMathml" };

function typeset({ tex, display }) {
  try {
    return { html: katex.renderToString(tex, { ...options, displayMode: display }) };
  } catch (error) {
    if (!(error instanceof katex.ParseError)) throw error;
    return { error: error.rawMessage };
  }
}

const formulas = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formulas.map(typeset)));
