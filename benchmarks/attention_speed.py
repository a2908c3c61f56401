"""How fast is attention in NumPy, and how much memory does it take?

    python benchmarks/attention_speed.py            # prints the table
    python benchmarks/attention_speed.py --check    # and fails if a bound is missed
    python benchmarks/attention_speed.py --threads 2   # with two threads each

Everything runs in one process, in turns, so that a busy machine slows all alike; what
counts are the ratios within a round, and of these the median of 7. Each library has
one thread: of several, those of the one keep spinning while the other has its turn,
and NumPy's wait for each other after every product, the longer the busier the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import threadpoolctl
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_ref as ar

KERNEL_SETTINGS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
ROUNDS = 7
HEADS, WIDTH = 8, 64
LENGTH = 4096
LENGTHS = (1024, 2048, 4096, 8192)
MIB = 2**20

Run = Callable[[], object]


class Measurement(NamedTuple):
    """One line of the table."""

    what: str
    value: float
    unit: str
    bound: tuple[float, float]
    """The least and the most that it may be."""

    @property
    def is_met(self) -> bool:
        """Whether the value lies within its bound."""
        least, most = self.bound
        return least <= self.value <= most


def main() -> int:
    """Measure, print, and say by the exit status whether the bounds are met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="fail if a bound is missed"
    )
    parser.add_argument("--threads", type=int, default=1, help="how many for each")
    options = parser.parse_args()
    choose_best_kernel()
    torch.set_num_threads(options.threads)
    with threadpoolctl.threadpool_limits(options.threads):
        missed = print_measurements()
    return int(options.check and missed)


def print_measurements() -> bool:
    """Print the machine and the table, and return whether a bound is missed."""
    print_machine()
    missed = False
    for each in measurements():
        least, most = each.bound
        rule = f"at most {most:g}" if least == 0 else f"{least:g} to {most:g}"
        verdict = "ok" if each.is_met else "MISSED"
        line = f"{verdict:6} {each.value:6.2f} {each.unit:3} {rule:13} {each.what}"
        print(line, flush=True)
        missed = missed or not each.is_met
    return missed


def choose_best_kernel() -> None:
    """Begin anew without settings that keep OpenBLAS from choosing for itself."""
    if any(setting in os.environ for setting in KERNEL_SETTINGS):
        kept = {k: v for k, v in os.environ.items() if k not in KERNEL_SETTINGS}
        os.execve(sys.executable, [sys.executable, *sys.argv], kept)


def print_machine() -> None:
    """Say what was measured, and on what."""
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} used"
    )
    print(f"NumPy {np.__version__}, torch {torch.__version__}, medians of {ROUNDS}")
    for pool in threadpoolctl.threadpool_info():
        if pool["internal_api"] == "openblas":
            print(
                f"NumPy's OpenBLAS {pool['version']}, kernel {pool['architecture']}, "
                f"threads: {pool['num_threads']}"
            )
    print(f"(1, {HEADS}, {LENGTH}, {WIDTH}) in float32, where nothing else is said")


def measurements() -> Iterator[Measurement]:
    """Yield every line of the table, as soon as it is measured."""
    yield from speed()
    yield from growth()
    yield from memory()
    yield import_time()


def arrays(length: int) -> list[np.ndarray]:
    """Query, key and value of one sequence."""
    rng = np.random.default_rng(0)
    shape = (1, HEADS, length, WIDTH)
    return [rng.standard_normal(shape, dtype=np.float32) for _ in range(3)]


def speed() -> Iterator[Measurement]:
    """Compare with torch's fused function and its plain implementation."""
    inputs = arrays(LENGTH)
    tensors = [torch.from_numpy(array) for array in inputs]
    attention = torch.nn.functional.scaled_dot_product_attention

    def plain() -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return attention(*tensors)

    seconds = in_turns(
        {
            "fused": partial(attention, *tensors),
            "plain": plain,
            "blockwise": partial(ar.blockwise_attention, *inputs),
            "direct": partial(ar.scaled_dot_product_attention, *inputs),
        }
    )
    for name, other, most in (
        ("blockwise", "fused", 1.1),
        ("blockwise", "plain", 1 / 3),
        ("direct", "fused", 1.8),
    ):
        ratio = median_ratio(seconds[name], seconds[other])
        yield Measurement(f"{name} / torch's {other}", ratio, "", (0, round(most, 3)))


def growth() -> Iterator[Measurement]:
    """Compare the time per pair of tokens at the shortest and the longest length."""
    runs = {
        length: partial(ar.blockwise_attention, *arrays(length))
        for length in (LENGTHS[0], LENGTHS[-1])
    }
    seconds = in_turns(runs)
    short, long = seconds.values()
    per_pair = median_ratio(long, short) / (LENGTHS[-1] / LENGTHS[0]) ** 2
    what = f"time per pair, {LENGTHS[-1]} / {LENGTHS[0]} tokens"
    yield Measurement(what, per_pair, "", (0.9, 1.1))


def memory() -> Iterator[Measurement]:
    """Measure what a call allocates at its peak, beside its inputs."""
    peaks = {}
    for length in LENGTHS:
        inputs = arrays(length)
        tracemalloc.start()
        output = ar.blockwise_attention(*inputs)
        peaks[length] = tracemalloc.get_traced_memory()[1] / MIB
        tracemalloc.stop()
        peaks[length] -= output.nbytes / MIB
    longest = LENGTHS[-1]
    what = f"peak memory beside the output, {longest}"
    yield Measurement(what, peaks[longest], "MiB", (0, 32))
    per_token = (peaks[longest] / peaks[LENGTHS[0]]) / (longest / LENGTHS[0])
    what = f"memory per token, {longest} / {LENGTHS[0]}"
    yield Measurement(what, per_token, "", (0, 1.1))


def import_time() -> Measurement:
    """Compare importing the package with importing NumPy, in fresh interpreters."""

    def run(module: str) -> Run:
        command = [sys.executable, "-c", f"import {module}"]
        return partial(subprocess.run, command, check=True)

    seconds = in_turns({name: run(name) for name in ("attention_ref", "numpy")})
    ratio = median_ratio(*seconds.values())
    return Measurement("import attention_ref / import numpy", ratio, "", (0, 1.3))


def in_turns(runs: Mapping[object, Run]) -> dict[object, list[float]]:
    """Time each of these once in every round, after one round that does not count."""
    seconds: dict[object, list[float]] = {name: [] for name in runs}
    for turn in range(ROUNDS + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """Divide round by round, and take the middle of the ratios."""
    ratios = (one / other for one, other in zip(ours, theirs, strict=True))
    return statistics.median(ratios)


if __name__ == "__main__":
    sys.exit(main())
