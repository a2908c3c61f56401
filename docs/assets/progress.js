// What a reader has done: kept in this browser and nowhere else, shown in the navigation,
// on each lesson and on the page "Learn". Without this script nothing of it is there.
"use strict";

/** The site's address, from that of this script: the site may lie in a folder. */
const SITE_ROOT = new URL("../", document.currentScript.src);

/** Where the browser keeps it, and the version of what is kept:
    { version: 1, lessons: { "lessons/NAME": { practised, completed, passed: [ids] } } } */
const PROGRESS_KEY = "attention-ref.progress";
const PROGRESS_VERSION = 1;

const BLANK_LESSON = { practised: false, completed: false, passed: [] };

// ------------------------------------------------------------------ what is kept

/** Progress as this script understands it, or null. */
function understoodProgress(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  if (data?.version !== PROGRESS_VERSION || typeof data.lessons !== "object") return null;
  const lessons = Object.entries(data.lessons ?? {}).map(([name, lesson]) => {
    const passed = Array.isArray(lesson?.passed) ? lesson.passed : [];
    return [name, {
      practised: lesson?.practised === true,
      completed: lesson?.completed === true,
      passed: passed.filter((id) => typeof id === "string"),
    }];
  });
  return { version: PROGRESS_VERSION, lessons: Object.fromEntries(lessons) };
}

/** Whether a newer version of this site has kept something that must not be lost. */
function isNewer(text) {
  try {
    return JSON.parse(text)?.version > PROGRESS_VERSION;
  } catch {
    return false;
  }
}

const NO_PROGRESS = { version: PROGRESS_VERSION, lessons: {} };

const progress = {
  // Where the browser keeps nothing for us, this lasts as long as the page.
  _state: NO_PROGRESS,

  _read() {
    try {
      const text = localStorage.getItem(PROGRESS_KEY);
      if (text === null) this._state = NO_PROGRESS;
      else this._state = understoodProgress(text) ?? this._state;
    } catch {
      // No storage.
    }
    return this._state;
  },

  _write(state) {
    this._state = state;
    try {
      const before = localStorage.getItem(PROGRESS_KEY);
      if (!isNewer(before)) localStorage.setItem(PROGRESS_KEY, JSON.stringify(state));
    } catch {
      // No storage.
    }
    showProgress();
  },

  /** Returns what is known of a lesson. */
  of(name) {
    const { lessons } = this._read();
    return Object.hasOwn(lessons, name) ? lessons[name] : BLANK_LESSON;
  },

  /** Changes a lesson. It is complete from the moment when all its parts are done, also
      if questions are added later; only who takes the tick off undoes that. */
  change(name, changes, questions) {
    const lesson = { ...this.of(name), ...changes };
    const all = questions.length && questions.every((id) => lesson.passed.includes(id));
    lesson.completed = lesson.practised && (lesson.completed || Boolean(all));
    const state = this._read();
    this._write({ ...state, lessons: { ...state.lessons, [name]: lesson } });
  },

  /** Notes that a question was answered. */
  pass(name, id, questions) {
    const passed = new Set(this.of(name).passed).add(id);
    this.change(name, { passed: [...passed] }, questions);
  },

  /** Everything, as the text of a file. */
  exported() {
    return `${JSON.stringify(this._read(), null, 2)}\n`;
  },

  /** Adds what a file holds; returns whether it was understood. */
  imported(text) {
    const brought = understoodProgress(text);
    if (!brought) return false;
    const state = this._read();
    const lessons = { ...state.lessons };
    for (const [name, lesson] of Object.entries(brought.lessons)) {
      const own = this.of(name);
      lessons[name] = {
        practised: own.practised || lesson.practised,
        completed: own.completed || lesson.completed,
        passed: [...new Set([...own.passed, ...lesson.passed])],
      };
    }
    this._write({ ...state, lessons });
    return true;
  },

  /** Forgets everything. */
  reset() {
    this._write(NO_PROGRESS);
  },
};

// --------------------------------------------------------------------- small parts

/** Makes an element: `{ class: …, text: … }`, then its children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** A shape that says in words, too, whether something is done. */
function doneMark(isDone, words = isDone ? "done" : "not done") {
  const kind = isDone ? "progress-mark progress-mark--done" : "progress-mark";
  const text = isDone ? "✓" : "○";
  return element("span", { class: kind, role: "img", "aria-label": words, text });
}

/** Returns how many of some questions were answered. */
function countPassed(lesson, questions) {
  return questions.filter((id) => lesson.passed.includes(id)).length;
}

/** Returns the questions that stand on this page. */
function questionsHere() {
  return [...document.querySelectorAll("[data-answer]")].map((it) => it.id);
}

// -------------------------------------------------------------- in the navigation

/** Returns the lesson that an address of this site leads to, as progress calls it. */
function lessonAt(address) {
  const url = new URL(address);
  if (url.origin !== SITE_ROOT.origin) return "";
  if (!url.pathname.startsWith(SITE_ROOT.pathname)) return "";
  const path = url.pathname.slice(SITE_ROOT.pathname.length);
  return path.replace(/(\/|\/index\.html|\.html)$/, "");
}

function markNavigation() {
  const pages = ".md-nav--primary a.md-nav__link:not([href*='#'])";
  for (const link of document.querySelectorAll(pages)) {
    link.querySelector(".progress-mark")?.remove();
    const { completed } = progress.of(lessonAt(link.href));
    if (completed) link.append(doneMark(true, "complete"));
  }
}

// -------------------------------------------------------------------- on a lesson

/** Says what is done and what is left. */
function lessonState(lesson, passed, total) {
  if (lesson.completed && passed < total)
    return "You have completed this lesson. New questions have come since.";
  if (lesson.completed) return "You have completed this lesson.";
  const left = [];
  if (!lesson.practised) left.push("tick the practice");
  if (passed < total) left.push("answer all questions of the knowledge check");
  return `To complete this lesson, ${left.join(" and ")}.`;
}

/** Fills the place of a lesson's progress. */
function showLesson(place) {
  const name = place.dataset.lesson;
  if (!place.firstChild) {
    const tick = element("input", { type: "checkbox" });
    tick.addEventListener("change", () =>
      progress.change(name, { practised: tick.checked }, questionsHere()));
    const note = element("p", { class: "progress-note", text: "Kept in this browser only. " });
    const { overview } = place.dataset;
    if (overview) note.append(element("a", { href: overview, text: "All lessons" }));
    place.append(
      element("p", { class: "progress-title", text: "Your progress" }),
      element("label", {}, tick, element("span", { text: "I have done the practice" })),
      element("p", { class: "progress-questions" }),
      element("p", { class: "progress-state", role: "status" }),
      note,
    );
  }
  const lesson = progress.of(name);
  const questions = questionsHere();
  const passed = countPassed(lesson, questions);
  const count = `Knowledge check: ${passed} of ${questions.length} answered`;
  place.querySelector("input").checked = lesson.practised;
  place
    .querySelector(".progress-questions")
    .replaceChildren(doneMark(passed === questions.length), count);
  place.querySelector(".progress-state").textContent =
    lessonState(lesson, passed, questions.length);
  place.classList.toggle("lesson-progress--complete", lesson.completed);
}

// ------------------------------------------------------------- on the page "Learn"

/** Hands a text to the reader as a file. */
function saveFile(name, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Asks the reader for a file, and adds what it holds. */
function importFile(say) {
  const input = element("input", { type: "file", accept: ".json,application/json" });
  input.addEventListener("change", async () => {
    const understood = progress.imported(await input.files[0].text());
    say(understood
      ? "The file's progress was added to yours."
      : "This file holds no progress that this site understands. Nothing was changed.");
  });
  input.click();
}

function resetProgress(say) {
  if (!confirm("Forget all progress in this browser?")) return;
  progress.reset();
  say("Your progress is forgotten.");
}

/** A row of buttons, and a line that says what they did. */
function progressControls() {
  const said = element("p", { class: "progress-state", role: "status" });
  const say = (text) => (said.textContent = text);
  const button = (text, act) => {
    const made = element("button", { type: "button", class: "md-button", text });
    made.addEventListener("click", act);
    return made;
  };
  return [
    element("p", {},
      button("Save as a file", () => saveFile("progress.json", progress.exported())),
      button("Add from a file", () => importFile(say)),
      button("Forget", () => resetProgress(say))),
    said,
  ];
}

/** A lesson's row: its name, its practice, its questions, and whether it is complete. */
function overviewRow({ name, title, address, questions }) {
  const lesson = progress.of(name);
  const passed = countPassed(lesson, questions);
  return element("tr", {},
    element("th", { scope: "row" }, element("a", { href: address, text: title })),
    element("td", {}, doneMark(lesson.practised)),
    element("td", { text: `${passed} of ${questions.length}` }),
    element("td", {}, doneMark(lesson.completed, lesson.completed ? "complete" : "open")));
}

/** Fills the place of the progress through all lessons. */
function showOverview(place) {
  if (!place.firstChild) {
    const heads = ["Lesson", "Practice", "Check", "Done"];
    const head = element("tr", {},
      ...heads.map((text) => element("th", { scope: "col", text })));
    place.append(
      element("p", { class: "progress-title", text: "Your progress" }),
      element("table", { class: "progress-table" },
        element("thead", {}, head), element("tbody")),
      ...progressControls(),
      element("p", { class: "progress-note",
        text: "Kept in this browser only. Save it as a file to take it to another." }),
    );
  }
  const rows = JSON.parse(place.dataset.lessons).map(overviewRow);
  place.querySelector("tbody").replaceChildren(...rows);
}

// --------------------------------------------------------------------- all of it

function showProgress() {
  markNavigation();
  document.querySelectorAll(".lesson-progress").forEach(showLesson);
  document.querySelectorAll(".learn-progress").forEach(showOverview);
  document.dispatchEvent(new Event("progress-shown"));
}

// Another tab may have changed it.
addEventListener("storage", (event) => {
  if (event.key === PROGRESS_KEY) showProgress();
});

// The theme announces each page on `document$`, also those that it swaps in.
document$.subscribe(showProgress);
