"""Writes an explorer as HTML: its controls, asleep, and its starting state as tables.

docs/assets/explorer/ writes the same tables; a test compares the two.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from explorer_state import MATRICES, State, trace, visible, write
from explorer_words import captions, sentence, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attention_ref import AttentionTrace

MIDDLE = 183 / 255
"""Where the two halves of the ramp meet; see attention_ref/lessons/figures/style.py."""

STAGES = {
    "scores": "Scores",
    "capped": "Scaled",
    "masked": "Masked",
    "weights": "Weights",
    "output": "Output",
}

SWITCHES = {"scale": "divide by √width", "causal": "causal mask"}

NUMBERS = {
    "temperature": "temperature",
    "softcap": "softcap",
    "left": "window, left",
    "right": "window, right",
    "padding": "padding",
    "tokens": "tokens",
    "width query": "query width",
    "width value": "value width",
}

LINES = ("Score", "Scaled", "Capped", "Masked", "Weight", "Share", "Output")
"""The arithmetic of a cell; scripts write what stands beside the names."""

ACTIONS = {
    "add": "Add a token",
    "remove": "Remove the query’s token",
    "random": "Random numbers",
    "reset": "Reset",
    "link": "Copy link",
    "python": "Copy as NumPy",
}


def element(state: State, address: str | None) -> str:
    """Return the element for a state.

    Args:
        state: Where the explorer starts.
        address: Where the explorer's own page is; `None` on that page itself.
    """
    steps = trace(state)
    page = "" if address is None else f' data-page="{escape(address)}"'
    stages = "".join(
        _stage(number, name, state, steps) for number, name in enumerate(STAGES, 1)
    )
    return f"""<div class="explorer-frame">
<attention-explorer data-search-exclude data-state="{escape(write(state))}"{page}>
<p class="explorer-sentence">{escape(sentence(state, steps))}</p>
<p class="explorer-live" aria-live="polite"></p>
<div class="explorer-body">
<div class="explorer-inputs">
<div class="explorer-scroll">{_vectors(state)}</div>
{_controls()}
<p class="explorer-message" role="status"></p>
</div>
<div class="explorer-stages">{stages}{_cell()}</div>
</div>
</attention-explorer>
</div>"""


def link(state: State, address: str, words: str) -> str:
    """Return a link that opens the explorer's own page in a state, and what it says."""
    target = escape(f"{address}#{write(state)}")
    said = escape(sentence(state, trace(state)))
    return (
        f'<p class="explorer-link"><a href="{target}">{escape(words)}</a> '
        f"<span>It begins with: {said}</span></p>"
    )


# ------------------------------------------------------------------------- tables


def _vectors(state: State) -> str:
    """Write what comes in: a row for each token."""
    matrices = [getattr(state, name) for name in MATRICES]
    head = "".join(
        f'<th scope="col" colspan="{matrix.shape[1]}">{name}</th>'
        for name, matrix in zip(MATRICES, matrices, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(token)}</th>'
        + "".join(_vector(matrix[row]) for matrix in matrices)
        + "</tr>"
        for row, token in enumerate(state.tokens)
    )
    return (
        '<table class="explorer-vectors"><thead><tr><th scope="col">token</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _vector(numbers: Any) -> str:
    first, *others = numbers
    cells = "".join(f"<td>{number:g}</td>" for number in others)
    return f'<td class="explorer-first">{first:g}</td>{cells}'


def _stage(number: int, name: str, state: State, steps: AttentionTrace) -> str:
    """Write one step as a heatmap with a caption."""
    values = getattr(steps, name)
    is_output = name == "output"
    hidden = ~visible(state) if name in {"masked", "weights"} else values != values
    columns = [str(at) for at in range(values.shape[1])] if is_output else state.tokens
    limits = {"weights": (0.0, 1.0), "output": _limits(values)}
    low, high = limits.get(name) or _limits(np.stack([steps.scores, steps.capped]))
    label = f"{STAGES[name]}: arrow keys choose a cell"
    chosen = state.row, -1 if is_output else state.column
    table = _heatmap(values, hidden, (low, high), (state.tokens, columns), chosen)
    return (
        f'<figure class="explorer-stage"><figcaption><b>{number} {STAGES[name]}</b> '
        f"<span>{captions(state)[name]}</span></figcaption>"
        f'<div class="explorer-map" data-step="{name}" role="group" tabindex="0" '
        f'aria-label="{label}">{table}</div></figure>'
    )


def _limits(values: Any) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def _heatmap(
    values: Any,
    hidden: Any,
    limits: tuple[float, float],
    names: tuple[Sequence[str], Sequence[str]],
    chosen: tuple[int, int],
) -> str:
    rows, columns = names
    turned = len(columns) > 8 or any(len(name) > 5 for name in columns)
    kind = "explorer-table" + " explorer-turned" * turned
    head = "".join(
        _name("col", name, at == chosen[1]) for at, name in enumerate(columns)
    )
    body = "".join(
        f"<tr>{_name('row', name, i == chosen[0])}"
        + "".join(
            _value(value, hidden[i, j], limits, (i, j) == chosen)
            for j, value in enumerate(values[i])
        )
        + "</tr>"
        for i, name in enumerate(rows)
    )
    return (
        f'<table class="{kind}"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _name(scope: str, name: str, is_chosen: bool) -> str:
    kind = ' class="explorer-named"' if is_chosen else ""
    return f'<th scope="{scope}"{kind}><span>{escape(name)}</span></th>'


def _value(
    value: float, is_hidden: bool, limits: tuple[float, float], is_chosen: bool
) -> str:
    half, percent = ("hidden", 0) if is_hidden else _on_ramp(value, *limits)
    kind = f"explorer-{half}" + " explorer-chosen" * is_chosen
    return f'<td class="{kind}" style="--t:{percent}%">{short(value)}</td>'


def _on_ramp(value: float, low: float, high: float) -> tuple[str, int]:
    """Return the half of the ramp that a value lies in, and how far along it."""
    place = (value - low) / (high - low) if high > low else 0.0
    if place < MIDDLE:
        return "low", int(100 * place / MIDDLE + 0.5)
    return "high", int(100 * (place - MIDDLE) / (1 - MIDDLE) + 0.5)


# ----------------------------------------------------------------------- controls


def _controls() -> str:
    switches = "".join(
        f'<label class="explorer-switch"><input type="checkbox" name="{name}">'
        f"<span>{label}</span></label>"
        for name, label in SWITCHES.items()
    )
    numbers = "".join(
        f'<label><span>{label}</span><input name="{name}" autocomplete="off"></label>'
        for name, label in NUMBERS.items()
    )
    buttons = "".join(
        f'<button type="button" name="{name}">{label}</button>'
        for name, label in ACTIONS.items()
    )
    return (
        '<fieldset class="explorer-controls" disabled><legend>Settings</legend>'
        f'<div class="explorer-settings">{switches}{numbers}</div>'
        f'<div class="explorer-buttons">{buttons}</div></fieldset>'
    )


def _cell() -> str:
    lines = "".join(f"<dt>{name}</dt><dd></dd>" for name in LINES)
    return (
        '<div class="explorer-cell"><p>'
        '<label>Query <select name="row"></select></label> '
        '<label>Key <select name="column"></select></label></p>'
        f'<dl class="explorer-arithmetic">{lines}</dl></div>'
    )
