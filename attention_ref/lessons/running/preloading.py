"""What the warm process imports, so that no job need import it again."""

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from attention_ref.lessons.running.dependencies import imported_modules
from attention_ref.lessons.running.jobs import Job

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
# What is imported before the rest, so that jobs which need no more do not wait for it:
# what takes next to no time, and then what most jobs need where any needs it.
_FIRST = (("numpy", "array_api_compat.numpy"), ("torch", "array_api_compat.torch"))
MOST_STAGES = len(_FIRST) + 1


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


def in_stages(modules: Iterable[str]) -> list[list[str]]:
    """Split modules by when they are imported, those of no stage last."""
    left = [*modules]
    stages = []
    for packages in _FIRST:
        stage = [name for name in left if _is_within(name, packages)]
        left = [name for name in left if name not in stage]
        stages.append(stage)
    return [stages[0], *(stage for stage in (*stages[1:], left) if stage)]


def _is_within(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def import_all(modules: Iterable[str]) -> None:
    """Import the modules, as far as they are installed."""
    for module in modules:
        with suppress(ImportError):  # a block that needs it will say so
            import_module(module)
