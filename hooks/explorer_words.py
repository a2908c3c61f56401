"""What an explorer says: numbers, the sentence about a query, captions.

docs/assets/explorer/words.js writes the same; a test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from explorer_state import State, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from attention_ref import AttentionTrace


def short(number: float) -> str:
    """Write a number for a cell: as many digits as there is room for."""
    size = abs(number)
    if size == np.inf:
        return "−∞"
    digits = 2 if size < 10 else 1 if size < 100 else 0
    return format(number, f"z.{digits}f").replace("-", "−")


def sentence(state: State, steps: AttentionTrace) -> str:
    """Say what the chosen query attends to."""
    query, tokens = state.row, state.tokens
    weights = steps.weights[query]
    keys = np.flatnonzero(visible(state)[query])

    def called(key: int) -> str:
        return "itself" if key == query else f"“{tokens[key]}”"

    def share(group: Sequence[int]) -> str:
        *others, last = map(called, sorted(group))
        names = ", ".join(others) + " and " * bool(others) + last
        if len(group) > 3:
            names = f"{len(group)} tokens"
        each = " each" if len(group) > 1 else ""
        return f"{names} ({short(weights[group[0]])}{each})"

    subject = f"“{tokens[query]}”"
    if len(keys) == 0:
        return f"{subject} may attend to nothing: its weights and its output are zero."
    if len(keys) == 1:
        return f"{subject} sees only {called(keys[0])}, so all its weight goes there."
    most, *rest = _by_weight(keys, weights)
    text = f"{subject} attends {'most' if rest else 'equally'} to {share(most)}"
    if rest:
        text += f", then to {share(rest[0])}"
    if hidden := len(tokens) - len(keys):
        return f"{text}. It cannot see {hidden} of the {len(tokens)} tokens."
    return f"{text}."


def _by_weight(keys: Iterable[int], weights: Any) -> list[list[int]]:
    """Group keys by equal weight, the largest first."""
    groups: list[list[int]] = []
    for key in sorted(keys, key=lambda key: -weights[key]):
        if groups and weights[groups[-1][0]] - weights[key] < 1e-9:
            groups[-1].append(key)
        else:
            groups.append([key])
    return groups


def captions(state: State) -> dict[str, str]:
    """Say in a few words what each step does."""
    scaling = [f"÷ √{state.query.shape[1]}"] * state.scale
    scaling += [f"÷ {state.temperature:g}"] * (state.temperature != 1)
    scaling += [] if state.softcap is None else [f"capped at {state.softcap:g}"]
    masks = ["causal"] * state.causal
    masks += ["window"] * (state.left is not None or state.right is not None)
    masks += ["padding"] * bool(state.padding)
    return {
        "scores": "query · key",
        "capped": ", ".join(scaling) or "as they are",
        "masked": ", ".join(masks) or "nothing is hidden",
        "weights": "softmax of each row",
        "output": "weights × values",
    }
