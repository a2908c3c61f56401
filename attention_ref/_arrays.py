"""Whose arrays are these, in which precision do we compute, and on which device?"""

import contextlib
import sys
from typing import Any, TypeAlias

import array_api_compat

Array: TypeAlias = Any
"""An array of NumPy, torch, JAX, CuPy, or of another library with the array API."""

Namespace: TypeAlias = Any
"""The module whose functions work on those arrays."""

Shape: TypeAlias = tuple[int, ...]

FLOATING = ("float16", "bfloat16", "float32", "float64")


def namespace(*arrays: Array) -> Namespace:
    """Return the array namespace that all these arrays share, leaving out None."""
    arrays = tuple(array for array in arrays if array is not None)
    if all(map(is_torch, arrays)):
        from array_api_compat import torch as torch_namespace

        return torch_namespace
    return array_api_compat.array_namespace(*arrays)


def is_array(value: object) -> bool:
    """Tell whether a value is an array of a library that we can compute with."""
    return is_torch(value) or bool(array_api_compat.is_array_api_obj(value))


def is_torch(value: object) -> bool:
    """Tell whether a value is a torch tensor, without importing torch."""
    # array_api_compat caches its answers, and torch.compile warns about caches.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def library_name(array: Array) -> str:
    """Return the name of the library that an array belongs to."""
    name = str(namespace(array).__name__)
    return name.removeprefix("array_api_compat.").partition(".")[0]


def dtype_name(dtype: Any) -> str:
    """Return the name of a dtype, spelled the same for every library."""
    # NumPy's bfloat16 (from ml_dtypes) is unknown to isdtype but has its name.
    return getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]


def is_floating(array: Array) -> bool:
    """Tell whether an array has one of the four floating dtypes that we accept."""
    return dtype_name(array.dtype) in FLOATING


def computing_dtype(xp: Namespace, dtype: Any) -> Any:
    """Return the dtype to compute in: float64 for float64, float32 for the others."""
    return xp.float64 if dtype_name(dtype) == "float64" else xp.float32


def device_of(array: Array) -> Any:
    """Return where to make new arrays that will meet this one; None if anywhere."""
    if is_torch(array) or not array_api_compat.is_jax_array(array):
        return getattr(array, "device", None)
    return None  # JAX moves new arrays itself; a traced array has no device


def home(like: Array | None) -> tuple[Namespace, Any]:
    """Return the library and the device to make an array for; NumPy by default."""
    if like is not None:
        return namespace(like), device_of(like)
    from array_api_compat import numpy

    return numpy, None


def known_to_hold(condition: Array) -> bool:
    """Tell whether a condition is true; False too while its value is being traced."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling():
        return False
    try:
        return bool(condition)
    except (TypeError, RuntimeError):  # JAX raises the one, torch's vmap the other
        return False


def is_numpy(xp: Namespace) -> bool:
    """Tell whether this is NumPy, which can be told to reuse memory."""
    return bool(xp.__name__ == "array_api_compat.numpy")


def in_place(xp: Namespace, function: Any, array: Array, *others: Array) -> Array:
    """Apply a function to a fresh array, in its own memory where NumPy can.

    A matrix of scores is large; for each one that is not needed, a page of memory is
    neither fetched nor cleared. The other libraries need the array for gradients.
    """
    if is_numpy(xp):
        return function(array, *others, out=array)
    return function(array, *others)


def quiet(xp: Namespace) -> contextlib.AbstractContextManager[Any]:
    """Keep NumPy from warning about NaN and infinity in entries that are masked."""
    if xp.__name__.endswith("torch"):
        return contextlib.nullcontext()
    import numpy as np

    return np.errstate(invalid="ignore", over="ignore")


def broadcast_shapes(*shapes: Shape) -> Shape | None:
    """Return the shape that these broadcast to, or None if they do not."""
    length = max(map(len, shapes))
    padded = [(1,) * (length - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        others = [size for size in sizes if size != 1] or [1]
        if any(size != others[0] for size in others):
            return None
        result.append(others[0])
    return tuple(result)


def matmul_by_group(xp: Namespace, left: Array, right: Array) -> Array:
    """Multiply the matrices of each query head with those of its key head.

    `left` is `(..., heads, rows, inner)`; `right`, `(..., key_heads, inner, columns)`.
    Query head `h` meets key head `h // (heads // key_heads)`. Nothing is repeated: the
    query heads that share a key head stand below each other in one taller matrix.
    """
    if min(left.ndim, right.ndim) < 3 or left.shape[-3] in (1, right.shape[-3]):
        return xp.matmul(left, right)
    *leading, heads, rows, inner = left.shape
    key_heads = right.shape[-3]
    taller = (*leading, key_heads, heads // key_heads * rows, inner)
    product = xp.matmul(xp.reshape(left, taller), right)
    *leading, _, _, columns = product.shape
    return xp.reshape(product, (*leading, heads, rows, columns))
