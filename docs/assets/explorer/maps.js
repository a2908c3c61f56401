// Heatmaps: tables of numbers for short texts, canvases for long ones.

const MOST_IN_TABLE = 16;
// Where the two halves of the ramp meet; see attention_ref/lessons/figures/style.py.
const MIDDLE = 183 / 255;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const pair of Object.entries(attributes)) element.setAttribute(...pair);
  element.append(...children);
  return element;
}

/** Returns the half of the ramp that a number lies in, and how far along it. */
function onRamp(number, [low, high]) {
  const place = high > low ? (number - low) / (high - low) : 0;
  return place < MIDDLE
    ? ["low", Math.round((100 * place) / MIDDLE)]
    : ["high", Math.round((100 * (place - MIDDLE)) / (1 - MIDDLE))];
}

/** Makes a heatmap: its element, how to draw it, and which cell an event is in. */
function tableMap(rows, columns) {
  const heads = columns.map((name) => make("th", { scope: "col" }, make("span", {}, name)));
  const cells = rows.map(() => columns.map(() => make("td", {}, "")));
  const sides = rows.map((name) => make("th", { scope: "row" }, make("span", {}, name)));
  const body = rows.map((_, i) => make("tr", {}, sides[i], ...cells[i]));
  const isTurned = columns.length > 8 || columns.some((name) => name.length > 5);
  const element = make(
    "table",
    { class: `explorer-table${isTurned ? " explorer-turned" : ""}` },
    make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...body),
  );

  /** Writes one cell, unless that is what it shows already. */
  function write(cell, ...now) {
    if (String(cell.now) === String(now)) return;
    cell.now = now;
    [cell.className, cell.firstChild.data, cell.style] = now;
  }

  function draw(matrix, limits, isHidden, row, column) {
    matrix.forEach((numbers, i) =>
      numbers.forEach((number, j) => {
        const chosen = i === row && j === column ? " explorer-chosen" : "";
        const [half, percent] = isHidden(i, j) ? ["hidden", 0] : onRamp(number, limits);
        write(cells[i][j], `explorer-${half}${chosen}`, short(number), `--t:${percent}%`);
      }),
    );
    sides.forEach((side, i) => side.classList.toggle("explorer-named", i === row));
    heads.forEach((head, j) => head.classList.toggle("explorer-named", j === column));
  }

  const locate = (event) => {
    const cell = event.target.closest("tbody td");
    return cell && [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
  };
  return { element, draw, locate };
}

/** Makes the same without numbers, for long texts. */
function canvasMap(rows, columns) {
  const tall = Math.floor(512 / rows.length);
  const wide = columns.length < rows.length ? 32 : tall;
  const element = make("canvas", {
    role: "img",
    "aria-label": `${rows.length} × ${columns.length} numbers`,
    width: columns.length * wide,
    height: rows.length * tall,
  });
  // As many pixels as sharp screens have.
  element.style.width = `${element.width / 2}px`;
  const context = element.getContext("2d");
  context.lineWidth = 2;

  function draw(matrix, limits, isHidden, row, column) {
    const style = getComputedStyle(element);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const ends = { low: colour("figure-ramp-low"), high: colour("figure-ramp-high") };
    const middle = colour("figure-ramp-middle");
    context.clearRect(0, 0, element.width, element.height);
    context.beginPath();
    // Cells of one colour are filled together: to change the colour takes long.
    const cells = {};
    matrix.forEach((numbers, i) =>
      numbers.forEach((number, j) => {
        const [x, y] = [j * wide, i * tall];
        if (isHidden(i, j)) {
          context.moveTo(x, y + tall);
          context.lineTo(x + wide, y);
          return;
        }
        const place = onRamp(number, limits);
        (cells[place] ??= new Path2D()).rect(x, y, wide, tall);
      }),
    );
    context.strokeStyle = colour("figure-muted");
    context.stroke();
    for (const [place, path] of Object.entries(cells)) {
      const [half, percent] = place.split(",");
      const share = half === "low" ? 100 - percent : percent;
      context.fillStyle = `color-mix(in oklab, ${ends[half]} ${share}%, ${middle})`;
      context.fill(path);
    }
    context.strokeStyle = colour("site-accent");
    context.strokeRect(0, row * tall, element.width, tall);
    context.strokeRect(column * wide, row * tall, wide, tall);
  }

  const locate = ({ target, offsetX, offsetY }) =>
    target === element && [Math.floor((2 * offsetY) / tall), Math.floor((2 * offsetX) / wide)];
  return { element, draw, locate };
}

/** Returns 0 and 1 where all numbers lie between them, otherwise their ends. */
function limits(matrices) {
  const numbers = matrices.flat(2).filter(Number.isFinite);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low >= 0 && high <= 1 ? [0, 1] : [low, high];
}
