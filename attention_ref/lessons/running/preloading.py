"""What the warm process imports, so that no job need import it again."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module

from attention_ref.lessons.running.dependencies import imported_modules
from attention_ref.lessons.running.execution import Job

# What is slow to import, and safe to import before a fork: it starts no thread before
# it computes. On the left, what blocks have to import for it to be worth while.
_WORTH_WHILE = [
    ({"numpy"}, ["numpy", "numpy.random"]),
    ({"numpy", "attention_ref"}, ["array_api_compat.numpy"]),
    ({"torch"}, ["torch"]),
    ({"torch", "attention_ref"}, ["array_api_compat.torch"]),
    ({"torch.nn"}, ["torch.fx.experimental.symbolic_shapes"]),  # with sympy
    ({"torch.testing"}, ["torch.testing"]),
    (
        {"matplotlib"},
        [
            "matplotlib.pyplot",
            *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
            "attention_ref.lessons.figures",
        ],
    ),
    ({"jax"}, ["jax.numpy"]),
    ({"onnx"}, ["onnx.reference", "onnx.reference.ops._op_list"]),
]
# What is imported so soon that jobs which need no more should not wait for the rest.
_QUICK = {"numpy", "numpy.random", "array_api_compat.numpy"}
MOST_STAGES = 2


def modules_to_preload(jobs: Iterable[Job]) -> list[str]:
    """The slow modules that blocks of the jobs import, or make others import."""
    found: set[str] = set()
    for step in (step for job in jobs for step in job.steps):
        found |= imported_modules(step.source)
        if step.figure:
            found.add("matplotlib")
    return [
        module
        for needed, modules in _WORTH_WHILE
        if needed <= found
        for module in modules
    ]


def in_stages(modules: Sequence[str]) -> list[list[str]]:
    """Split modules into those to import first, and the slow ones that come after."""
    quick = [module for module in modules if module in _QUICK]
    slow = [module for module in modules if module not in _QUICK]
    return [quick, slow] if slow else [quick]


def import_all(modules: Iterable[str]) -> None:
    """Import the modules, as far as they are installed."""
    for module in modules:
        with suppress(ImportError):  # a block that needs it will say so
            import_module(module)
