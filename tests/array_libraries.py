"""The array libraries that the tests run in, and how to enter and leave each.

A test says which library and dtype it wants; it gets a `Library` that turns
nested lists or NumPy arrays into that library's arrays, and brings results back
as float64 NumPy arrays, in which every comparison is made.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

DTYPES = ("float64", "float32", "float16", "bfloat16")
NAMES = ("numpy", "torch", "jax", "array_api_strict")


@dataclass(frozen=True)
class Library:
    """One array library in one floating-point dtype."""

    name: str
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}-{self.dtype}"

    @property
    def module(self) -> Any:
        """The library's array namespace, imported when a test first needs it."""
        if self.name == "jax":
            jax = importlib.import_module("jax")
            # Without it JAX turns float64 into float32 and nothing says so.
            jax.config.update("jax_enable_x64", True)
            return importlib.import_module("jax.numpy")
        return importlib.import_module(self.name)

    @property
    def float_dtype(self) -> Any:
        """The library's own object for the dtype."""
        if self.name == "numpy" and self.dtype == "bfloat16":
            return ml_dtypes.bfloat16
        return getattr(self.module, self.dtype)

    def array(self, values: Any) -> Any:
        """A floating-point array of this dtype; "inf", "-inf", "nan" are numbers."""
        numbers = np.asarray(values, dtype=np.float64)
        if self.name == "numpy":
            return numbers.astype(self.float_dtype)
        return self.module.asarray(numbers, dtype=self.float_dtype)

    def booleans(self, values: Any) -> Any:
        """A boolean array of this library."""
        return self._as_is(np.array(values, dtype=np.bool_))

    def integers(self, values: Any) -> Any:
        """An array of 64-bit integers of this library."""
        return self._as_is(np.array(values, dtype=np.int64))

    def _as_is(self, values: np.ndarray) -> Any:
        return values if self.name == "numpy" else self.module.asarray(values)


def libraries(
    names: tuple[str, ...] = NAMES, dtypes: tuple[str, ...] = DTYPES
) -> list[Library]:
    """Every combination that exists: the strict library has no narrow floats."""
    return [
        Library(name, dtype)
        for name in names
        for dtype in dtypes
        if name != "array_api_strict" or dtype in ("float64", "float32")
    ]


def to_numpy(array: Any) -> np.ndarray:
    """Bring an array of any library back: floats as float64, others as they are."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        if array.dtype.is_floating_point:
            array = array.double()
    back = np.asarray(array)
    is_float = back.dtype.kind in "fV" or back.dtype == ml_dtypes.bfloat16
    return back.astype(np.float64) if is_float else back


def dtype_name(array: Any) -> str:
    """The dtype in a word that is the same for every library."""
    return str(array.dtype).rsplit(".", maxsplit=1)[-1]
