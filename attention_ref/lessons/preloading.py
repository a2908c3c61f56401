"""What the warm process imports, so that no job need import it again."""

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from attention_ref.lessons.dependencies import imported_packages
from attention_ref.lessons.execution import Job

# Slow to import, and safe to import before a fork: none starts a thread before it
# computes. Only those are imported that some page uses, each with what jobs would
# otherwise import along with it.
_PRELOADABLE = {
    "numpy": ["array_api_compat.numpy"],
    "torch": [
        *("array_api_compat.torch", "torch.testing"),
        "torch.fx.experimental.symbolic_shapes",  # with sympy; training needs it
    ],
    "matplotlib.pyplot": [
        *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
        "attention_ref.lessons.figures",
    ],
    "jax.numpy": [],
    "onnx.reference": ["onnx.reference.ops._op_list"],
}


def modules_to_preload(jobs: Iterable[Job]) -> list[str]:
    """The slow modules that some block of the jobs imports."""
    found: set[str] = set()
    for step in (step for job in jobs for step in job.steps):
        found |= imported_packages(step.source)
        if step.figure:
            found.add("matplotlib")
    return [name for name in _PRELOADABLE if name.partition(".")[0] in found]


def import_all(modules: Iterable[str]) -> None:
    """Import the modules, and what belongs to them, as far as they are installed."""
    for module in modules:
        for name in (module, *_PRELOADABLE.get(module, ())):
            with suppress(ImportError):  # a block that needs it will say so
                import_module(name)
