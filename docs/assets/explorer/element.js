// <attention-explorer>: what a reader changes, and what follows from it at once.
// The controls stand in the page already, made by hooks/explorer.py: each has a name
// that says which part of the state it shows.  The hook publishes these files as one.

const ARROWS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const resized = (list, length, fill) =>
  Array.from({ length }, (_, i) => (i in list ? list[i] : fill(i)));

/** Gives a state more or fewer tokens; new ones hold zeros. */
function setLength(state, length) {
  readNumber(String(length), "tokens");
  state.tokens = resized(state.tokens, length, (i) => `token ${i}`);
  for (const name of MATRICES)
    state[name] = resized(state[name], length, () => state[name][0].map(() => 0));
  fit(state);
}

/** Gives a matrix another width; queries and keys share theirs. */
function setWidth(state, name, width) {
  readNumber(String(width), "width");
  for (const it of name === "value" ? ["value"] : ["query", "key"])
    state[it] = state[it].map((row) => resized(row, width, () => 0));
}

const shape = (state) =>
  MATRICES.map((name) => [state[name].length, state[name][0].length]).join();

/** Returns the part of the state that a control shows. */
function show(state, name) {
  const [part, i, j] = name.split(" ");
  if (part === "tokens") return i ? state.tokens[i] : state.tokens.length;
  if (part === "width") return state[i][0].length;
  return j ? state[part][i][j] : (state[part] ?? "");
}

/** Changes the part of the state that a control shows. */
function store(state, name, text) {
  const [part, i, j] = name.split(" ");
  if (j) state[part][i][j] = readNumber(text, "cell");
  else if (part === "tokens" && i) state.tokens[i] = cleanToken(text);
  else if (part === "tokens") setLength(state, readNumber(text, part));
  else if (part === "width") setWidth(state, i, readNumber(text, part));
  else state[part] = readNumber(text, part);
  fit(state);
}

/** Fills cells with what was pasted; grows where there is more than fits. */
function fill(state, name, text) {
  const [part, i, j = 0] = name.split(" ");
  const isToken = part === "tokens";
  const block = isToken ? text.split(/\s+/) : readPasted(text);
  setLength(state, Math.max(state.tokens.length, Number(i) + block.length));
  if (!isToken)
    setWidth(state, part, Math.max(state[part][0].length, Number(j) + block[0].length));
  block.forEach((given, at) => {
    const row = Number(i) + at;
    if (isToken) state.tokens[row] = cleanToken(given);
    else state[part][row].splice(j, given.length, ...given);
  });
}

const ACTIONS = {
  add: (state) => setLength(state, state.tokens.length + 1),
  remove(state) {
    for (const name of ["tokens", ...MATRICES]) state[name].splice(state.row, 1);
    setLength(state, state.tokens.length);
  },
  random(state) {
    const number = () => Math.round(40 * Math.random() - 20) / 10;
    for (const name of MATRICES) state[name] = state[name].map((row) => row.map(number));
  },
};

class AttentionExplorer extends HTMLElement {
  #state;
  #maps;
  #listening;
  #timer;

  connectedCallback() {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    for (const kind of ["input", "click", "keydown", "paste", "focusout"])
      this.addEventListener(kind, this, { signal });
    addEventListener("hashchange", () => this.#followAddress(), { signal });
    // What a style sheet colours follows the palette; canvases must be drawn anew.
    const redraw = () => this.#update();
    matchMedia("print").addEventListener("change", redraw, { signal });
    const palette = new MutationObserver(redraw);
    palette.observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    signal.addEventListener("abort", () => palette.disconnect());
    this.#part("controls").disabled = false;
    this.state = read(this.dataset.state);
    this.#followAddress();
  }

  disconnectedCallback() {
    this.#listening.abort();
    clearTimeout(this.#timer);
  }

  #part(name) {
    return this.querySelector(`.explorer-${name}`);
  }

  // ------------------------------------------------------------------ the state

  get state() {
    return structuredClone(this.#state);
  }

  set state(state) {
    const before = this.#state;
    this.#state = state;
    const isNew = (part) => !before || part(before) !== part(state);
    if (isNew(shape)) this.#buildVectors();
    if (isNew(shape) || isNew(({ tokens }) => tokens.join())) this.#buildMaps();
    this.#update();
  }

  /** Changes a copy of the state; what cannot be read is said and changes nothing. */
  #change(edit) {
    try {
      const next = this.state;
      edit(next);
      this.state = next;
      this.#say("");
      this.#announce();
      return true;
    } catch (error) {
      this.#say(`${error.message}.`);
      return false;
    }
  }

  #followAddress() {
    if (this.dataset.page || !location.hash.startsWith("#tokens=")) return;
    try {
      this.state = read(location.hash.slice(1));
      this.#say("");
    } catch (error) {
      this.#say(`The address cannot be shown: ${error.message}.`);
    }
  }

  /** Tells those who listen, and the address, once the changes pause. */
  #announce() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#part("live").textContent = this.#part("sentence").textContent;
      if (!this.dataset.page) history.replaceState(history.state, "", this.#link());
    }, 400);
  }

  #link() {
    return new URL(`#${write(this.#state)}`, new URL(this.dataset.page ?? "", location)).href;
  }

  #say(message) {
    this.#part("message").textContent = message;
  }

  async #copy(text) {
    await copyText(text);
    this.#say("Copied.");
  }

  // --------------------------------------------------------------------- events

  handleEvent(event) {
    this[`on_${event.type}`](event);
  }

  on_input({ target }) {
    const text = target.type === "checkbox" ? String(Number(target.checked)) : target.value;
    const done = this.#change((state) => store(state, target.name, text));
    target.setAttribute("aria-invalid", !done);
  }

  on_focusout({ target }) {
    if (target.name) this.#refresh(target);
  }

  on_click(event) {
    const { target } = event;
    const { name } = target;
    if (name === "link") this.#copy(this.#link());
    else if (name === "python") this.#copy(toPython(this.#state));
    else if (name === "reset")
      this.#change((state) => Object.assign(state, read(this.dataset.state)));
    else if (name in ACTIONS) this.#change(ACTIONS[name]);
    const map = Object.values(this.#maps).find(({ box }) => box.contains(target));
    const [row, column] = map?.locate(event) || [];
    if (row >= 0) this.#choose(row, map.isOutput ? this.#state.column : column);
  }

  on_keydown(event) {
    const { target, key, shiftKey } = event;
    const arrow = ARROWS[key];
    if (arrow && target.matches(".explorer-map")) {
      event.preventDefault();
      this.#choose(this.#state.row + arrow[0], this.#state.column + arrow[1]);
    } else if (target.tagName === "INPUT" && target.type !== "checkbox") {
      const [part, i, j = ""] = target.name.split(" ");
      if (key === "Enter")
        this.#control(`${part} ${Number(i) + (shiftKey ? -1 : 1)} ${j}`.trim())?.focus();
      if (!arrow?.[0] || (part === "tokens" && i)) return;
      event.preventDefault();
      const step = RANGES[j ? "cell" : part][3] * (shiftKey ? 10 : 1);
      const number = Number(show(this.#state, target.name)) - arrow[0] * step;
      target.value = Number(number.toFixed(6));
      this.on_input(event);
    }
  }

  on_paste(event) {
    const { target } = event;
    const text = event.clipboardData.getData("text").trim();
    if (!/ \d/.test(target.name) || !/[\s,;[]/.test(text)) return;
    event.preventDefault();
    if (this.#change((state) => fill(state, target.name, text))) this.#refresh(target);
  }

  #choose(row, column) {
    const inside = (at) => Math.min(Math.max(at, 0), this.#state.tokens.length - 1);
    this.#change((state) =>
      Object.assign(state, { row: inside(row), column: inside(column) }),
    );
  }

  // -------------------------------------------------------------------- showing

  #control(name) {
    return this.querySelector(`[name="${name}"]`);
  }

  #refresh(control) {
    const [part, i] = control.name.split(" ");
    const { row, column } = this.#state;
    const used = { query: row, key: column, value: column }[part];
    control.classList.toggle("explorer-used", used === Number(i));
    const now = show(this.#state, control.name);
    if (control.type === "checkbox") control.checked = now;
    else if (control.value !== String(now)) control.value = now;
    control.removeAttribute("aria-invalid");
  }

  #buildVectors() {
    const state = this.#state;
    const focused = this.contains(document.activeElement) && document.activeElement.name;
    const input = (name, label) =>
      make("input", { name, "aria-label": label, autocomplete: "off" });
    const head = MATRICES.map((name) =>
      make("th", { scope: "col", colspan: state[name][0].length }, name),
    );
    const cells = (i) =>
      MATRICES.flatMap((name) =>
        state[name][i].map((_, j) =>
          make(
            "td",
            { class: j ? "" : "explorer-first" },
            input(`${name} ${i} ${j}`, `${name} of token ${i}, number ${j}`),
          ),
        ),
      );
    const rows = state.tokens.map((_, i) => {
      const name = make("th", { scope: "row" }, input(`tokens ${i}`, `token ${i}`));
      return make("tr", {}, name, ...cells(i));
    });
    const title = make("th", { scope: "col" }, "token");
    const [thead, tbody] = this.#part("vectors").children;
    thead.replaceChildren(make("tr", {}, title, ...head));
    tbody.replaceChildren(...rows);
    if (focused) this.#control(focused)?.focus();
  }

  /** Builds what shows the names of the tokens. */
  #buildMaps() {
    const { tokens, value } = this.#state;
    const features = value[0].map((_, at) => String(at));
    this.#maps = {};
    for (const box of this.querySelectorAll(".explorer-map")) {
      const isOutput = box.dataset.step === "output";
      const heatmap = tokens.length > MOST_IN_TABLE ? canvasMap : tableMap;
      const map = heatmap(tokens, isOutput ? features : tokens);
      box.replaceChildren(map.element);
      this.#maps[box.dataset.step] = { ...map, box, isOutput };
    }
    for (const name of ["row", "column"])
      this.#control(name).replaceChildren(
        ...tokens.map((token, at) => make("option", { value: at }, token)),
      );
  }

  #update() {
    const state = this.#state;
    const { row, column } = state;
    const steps = attend(state);
    const isHidden = (i, j) => Boolean(hiddenBy(state, i, j));
    const shared = limits([steps.scores, steps.capped]);
    const ranges = { weights: [0, 1], output: limits([steps.output]) };
    const texts = captions(state);
    for (const [step, map] of Object.entries(this.#maps)) {
      const hides = ["masked", "weights"].includes(step) ? isHidden : () => false;
      map.draw(steps[step], ranges[step] ?? shared, hides, row, map.isOutput ? -1 : column);
      if (step in texts) map.box.previousElementSibling.lastChild.textContent = texts[step];
    }
    this.#part("sentence").textContent = sentence(state, steps);
    const lines = this.querySelectorAll("dd");
    explain(state, steps).forEach((text, at) => (lines[at].textContent = text));
    for (const control of this.querySelectorAll("input, select"))
      if (control !== document.activeElement) this.#refresh(control);
  }
}

// For the tests, which compare these with `attention_ref`.
AttentionExplorer.functions = { attend, read, readPasted, sentence, short, toPython, write };

customElements.define("attention-explorer", AttentionExplorer);
