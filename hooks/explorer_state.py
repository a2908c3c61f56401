"""What an explorer shows, read from a page, and computed by `attention_ref`.

The text is that of the explorer's own addresses, so that what a reader copied out of
the address bar can be pasted into a page.  In a page each part may have its own line.
docs/assets/explorer/state.js reads the same; a test compares the two.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

import numpy as np

from attention_ref import (
    AttentionTrace,
    causal_mask,
    padding_mask,
    sliding_window_mask,
    trace_attention,
)

Matrix: TypeAlias = "np.ndarray[Any, Any]"

MATRICES = ("query", "key", "value")


class State(NamedTuple):
    """Everything that a reader can change. `None` is no limit."""

    tokens: list[str]
    query: Matrix
    key: Matrix
    value: Matrix
    scale: int = 1
    temperature: float = 1.0
    softcap: float | None = None
    causal: int = 0
    left: int | None = None
    right: int | None = None
    padding: int = 0
    row: int = 0
    column: int = 0


_READERS: dict[str, Any] = {
    name: float if name in {"temperature", "softcap"} else int
    for name in State._fields
    if name not in {"tokens", *MATRICES}
}


def read(text: str) -> State:
    """Read the text of an address, with line ends or ampersands between its parts.

    Raises:
        ValueError: If a part is missing, unknown, or has the wrong form.
    """
    parts = [part for part in re.split(r"[&\n]", text) if part.strip()]
    given = dict(tuple(map(str.strip, part.split("=", 1))) for part in parts)
    if unknown := given.keys() - set(State._fields):
        message = f"an explorer has no {', '.join(sorted(unknown))}"
        raise ValueError(message)
    tokens = [unquote(token) for token in given.pop("tokens", "").split(",")]
    matrices = [_matrix(name, given.pop(name, ""), len(tokens)) for name in MATRICES]
    settings = {name: _READERS[name](value) for name, value in given.items() if value}
    return State(tokens, *matrices, **settings)


def _matrix(name: str, text: str, length: int) -> Matrix:
    rows = [row.split(",") for row in unquote(text).split(";")]
    matrix = np.array([[float(cell) for cell in row] for row in rows])
    if len(matrix) != length:
        message = f"{name} must have one row per token = {length}, got {len(matrix)}"
        raise ValueError(message)
    return matrix


def write(state: State) -> str:
    """Write a state as the text of an address; what is as usual is left out."""
    parts = ["tokens=" + ",".join(quote(token, safe="!'()*") for token in state.tokens)]
    for name in MATRICES:
        rows = (",".join(map(_number, row)) for row in getattr(state, name))
        parts.append(f"{name}={';'.join(rows)}")
    for name, usual in State._field_defaults.items():
        value = getattr(state, name)
        if value != usual:
            parts.append(f"{name}={'' if value is None else _number(value)}")
    return "&".join(parts)


def _number(number: float) -> str:
    """Write a number as scripts do: whole ones without a point."""
    return repr(float(number)).removesuffix(".0")


def visible(state: State) -> Matrix:
    """Return which keys each query may see."""
    length = len(state.tokens)
    window = sliding_window_mask(length, left=state.left, right=state.right)
    mask = window & padding_mask([length - state.padding], length)[0, 0]
    return mask & causal_mask(length) if state.causal else mask


def trace(state: State) -> AttentionTrace:
    """Compute every step from the scores to the output."""
    usual = 1 / np.sqrt(state.query.shape[1]) if state.scale else 1.0
    return trace_attention(
        state.query,
        state.key,
        state.value,
        mask=visible(state),
        scale=usual / state.temperature,
        softcap=state.softcap,
    )
