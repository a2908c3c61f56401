"""Random states of the explorer, to compare what Python and browser make of them."""

from __future__ import annotations

import sys
from pathlib import Path

# Hooks lie beside each other and import each other by name, as MkDocs lets them.
sys.path.insert(0, str(Path(__file__).parents[2] / "hooks"))

from typing import TYPE_CHECKING

import explorer as hook
import explorer_state
import explorer_words

if TYPE_CHECKING:
    import numpy as np

__all__ = ["explorer_state", "explorer_words", "hook", "random_state"]

NAMES = ("the", "cat", "é, or not", "a&b=c", "100 %", "猫", "“so”", "#;")


def random_state(random: np.random.Generator, longest: int) -> explorer_state.State:
    """Return a state in which each setting is on about half of the time."""

    def maybe(setting, otherwise=None):
        return setting if random.random() < 0.5 else otherwise

    length = int(random.integers(1, longest + 1))
    width, value_width = (int(size) for size in random.integers(1, 9, size=2))
    shapes = {"query": width, "key": width, "value": value_width}
    return explorer_state.State(
        tokens=[str(random.choice(NAMES)) for _ in range(length)],
        **{
            # Adding zero makes a positive zero of a negative one.
            name: random.normal(scale=2, size=(length, columns)).round(2) + 0.0
            for name, columns in shapes.items()
        },
        scale=maybe(0, 1),
        temperature=maybe(round(float(random.uniform(0.1, 5)), 2), 1.0),
        softcap=maybe(round(float(random.uniform(0.5, 20)), 1)),
        causal=maybe(1, 0),
        left=maybe(int(random.integers(0, length))),
        right=maybe(int(random.integers(0, length))),
        padding=maybe(int(random.integers(0, length + 1)), 0),
        row=int(random.integers(0, length)),
        column=int(random.integers(0, length)),
    )
