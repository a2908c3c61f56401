// Makes a form of each question of a knowledge check. What is right, and why each choice
// is right or wrong, stands on the page already: the build has computed and checked it.
"use strict";

// --------------------------------------------------------------- right and wrong

/** Reads a number as people type it; NaN if it is none. */
function typedNumber(text) {
  const plain = text.trim().replace(/\s*%$/, "").replace("−", "-").replace(",", ".");
  return plain ? Number(plain) : NaN;
}

/** Whether a typed number is another one, to the digits that the page shows. */
function sameNumber(typed, right, tolerance) {
  return Math.abs(typed - right) <= tolerance + 1e-9 * Math.abs(right);
}

/** Returns the reasons of an answer: letters or numbers, and the texts after them. */
function reasonsOf(answer) {
  const reasons = new Map();
  for (const text of answer.querySelectorAll(":scope > p, :scope > ul > li")) {
    const bold = text.querySelector("strong");
    if (!bold || !text.textContent.trim().startsWith(bold.textContent)) continue;
    const key = bold.textContent.replace(/\.$/, "");
    if (!reasons.has(key)) reasons.set(key, text);
  }
  return reasons;
}

/** Judges what a reader chose or typed: whether it is right, and why. */
function judge(quiz, given) {
  const { answer, tolerance } = quiz.dataset;
  const reasons = reasonsOf(quiz.querySelector("details"));
  if (tolerance === undefined) return [given === answer, reasons.get(given)];
  const typed = typedNumber(given);
  const isRight = sameNumber(typed, Number(answer), Number(tolerance));
  for (const [key, text] of reasons) {
    const number = typedNumber(key.replaceAll(",", ""));
    const isThis = sameNumber(typed, number, Number(tolerance));
    if (isThis && sameNumber(number, Number(answer), Number(tolerance)) === isRight)
      return [isRight, text];
  }
  return [isRight, null];
}

// ---------------------------------------------------------------------- the form

/** A radio button with its option's text. */
function optionLabel(name, item) {
  const value = item.querySelector("strong").textContent.replace(/\.$/, "");
  const text = element("span", {}, ...item.childNodes);
  const radio = element("input", { type: "radio", name, value });
  return element("label", { class: "quiz-option" }, radio, text);
}

/** What asks for one of several options. */
function choiceField(name, title, asked) {
  const field = element("fieldset", {}, element("legend", {}, ...title));
  for (const part of asked) {
    const options = part.matches("ul") ? [...part.children] : [];
    field.append(...(options.length ? options.map((it) => optionLabel(name, it)) : [part]));
  }
  return field;
}

/** What asks for a number. */
function numberField(name, title, asked, unit) {
  const id = `${name}-number`;
  const attributes = { id, name, type: "text", inputmode: "decimal", autocomplete: "off" };
  const hint = element("div", { id: `${name}-hint` }, ...asked);
  const input = element("input", { ...attributes, "aria-describedby": hint.id });
  const label = element("label", { class: "quiz-title", for: id }, ...title);
  return element("div", {}, label, hint, element("p", {}, input, unit && ` ${unit}`));
}

/** Replaces a folded question by its form; the folded answer stays below it. */
function makeQuiz(question) {
  const { id, dataset } = question;
  const [summary, ...rest] = question.children;
  const answer = rest.pop();
  const title = [...summary.childNodes];
  const field = dataset.tolerance === undefined
    ? choiceField(id, title, rest)
    : numberField(id, title, rest, dataset.unit);
  const form = element("form", { class: "quiz-form", novalidate: true },
    field,
    element("button", { type: "submit", class: "md-button", text: "Check" }),
    element("div", { class: "quiz-result", role: "status" }));
  const quiz = element("div", { class: "quiz", id }, form, answer);
  Object.assign(quiz.dataset, dataset);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    checkAnswer(quiz, String(new FormData(form).get(id) ?? ""));
  });
  form.addEventListener("input", () => showResult(quiz, "", null));
  question.replaceWith(quiz);
}

/** Says whether an answer is right and why, and notes it if it is. */
function checkAnswer(quiz, given) {
  const isNumber = quiz.dataset.tolerance !== undefined;
  if (!given.trim()) {
    showResult(quiz, isNumber ? "Type a number first." : "Choose an answer first.", null);
  } else if (isNumber && Number.isNaN(typedNumber(given))) {
    showResult(quiz, "This is not a number. Write it like −1.5.", null);
  } else {
    const [isRight, reason] = judge(quiz, given);
    showResult(quiz, isRight ? "Right." : "Not right.", isRight, reason);
    const place = document.querySelector(".lesson-progress");
    if (isRight && place) progress.pass(place.dataset.lesson, quiz.id, questionsHere());
  }
}

/** Shows a verdict with its reason; a reader who changes the answer takes it away. */
function showResult(quiz, verdict, isRight, reason) {
  const result = quiz.querySelector(".quiz-result");
  result.classList.toggle("quiz-result--right", isRight === true);
  result.classList.toggle("quiz-result--wrong", isRight === false);
  const parts = verdict ? [element("strong", { text: verdict })] : [];
  const texts = [...(reason?.cloneNode(true).childNodes ?? [])];
  if (isRight === false && !reason) texts.push("Try again, or unfold the answer.");
  result.replaceChildren(...parts, ...(texts.length ? [" ", ...texts] : []));
}

// --------------------------------------------------------------------- all of it

/** Marks the questions that were answered, now or on another day. */
function markPassed() {
  const name = document.querySelector(".lesson-progress")?.dataset.lesson;
  const { passed } = progress.of(name);
  for (const title of document.querySelectorAll(".quiz :is(legend, .quiz-title)")) {
    title.querySelector(".progress-mark")?.remove();
    const isPassed = passed.includes(title.closest(".quiz").id);
    if (isPassed) title.append(" ", doneMark(true, "answered"));
  }
}

document.addEventListener("progress-shown", markPassed);

// The theme announces each page on `document$`, also those that it swaps in.
document$.subscribe(() => {
  document.querySelectorAll("details.question[data-answer]").forEach(makeQuiz);
  markPassed();
});
