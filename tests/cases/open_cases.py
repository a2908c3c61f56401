"""Cases from public bug reports, and what it takes to answer one.

`open.json` holds small problems that people stumbled over in public, with right
values computed in float64 from the definition. An *answer* is a function that
takes a `Case` and returns our results under the names of the expected ones.

`OpenCase.check` demands of an answer that

- every expected result is either ours and right, or is named as the result of
  another convention, so that none is left out by oversight;
- the result that agrees with our conventions is among ours;
- none of the wrong results that people reported is what we give.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from array_libraries import DTYPES, Library, libraries, to_numpy

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads(Path(__file__).with_name("open.json").read_text("utf-8"))
}

# Decided otherwise than the file recommends: one matrix per head (never their
# average), and both causal alignments on request.
OUR_RESULT = {
    "MH-01": "weights_per_head",
    "CA-01": "out_bottom_right",
    "CA-03": "out_bottom_right",
}

ANSWERS: dict[str, Answer] = {}

Results = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One case in one library and dtype."""

    identifier: str
    library: Library

    def __str__(self) -> str:
        return f"{self.identifier}-{self.library}"

    @property
    def data(self) -> dict[str, Any]:
        """The case as it stands in the file."""
        return CASES[self.identifier]

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs as plain Python lists and numbers."""
        return self.data["inputs"]

    def __getitem__(self, name: str) -> Any:
        """An input as a floating-point array."""
        return self.library.array(self.inputs[name])

    def booleans(self, name: str) -> Any:
        """An input as a boolean array."""
        return self.library.booleans(self.inputs[name])

    def query_key_value(self) -> tuple[Any, Any, Any]:
        """The three arrays that nearly every case has."""
        return self["q"], self["k"], self["v"]


@dataclass(frozen=True)
class Answer:
    """How we answer a case, and how the answer relates to the file."""

    compute: Callable[[Case], Results]
    other_conventions: tuple[str, ...] = ()
    """Expected results that we do not give: another library's convention."""
    contrast: Mapping[str, str] = field(default_factory=dict)
    """For a wrong result, the one of ours that stands in its place."""
    libraries: tuple[str, ...] = ()
    """The libraries that can answer it; all of them when empty."""
    dtypes: tuple[str, ...] = DTYPES
    """The dtypes to answer it in, of those that the case allows."""


def answer(identifier: str, **relations: Any) -> Callable[..., Any]:
    """Register a function as our answer to a case."""

    def register(compute: Callable[[Case], Results]) -> Callable[[Case], Results]:
        assert identifier not in ANSWERS, f"{identifier} has two answers"
        ANSWERS[identifier] = Answer(compute, **relations)
        return compute

    return register


def answered_cases() -> list[Case]:
    """Every case in every library and dtype that it allows."""
    return [
        Case(identifier, library)
        for identifier, answered in ANSWERS.items()
        for library in libraries(dtypes=allowed_dtypes(identifier))
        if library.dtype in answered.dtypes
        if not answered.libraries or library.name in answered.libraries
    ]


def allowed_dtypes(identifier: str) -> tuple[str, ...]:
    """The dtypes for which the case states a tolerance."""
    tolerance = CASES[identifier]["tolerance"]
    return tuple(dtype for dtype in DTYPES if tolerance[dtype] is not None)


def check(case: Case) -> None:
    """Compare our results with the case's right and wrong ones."""
    answered = ANSWERS[case.identifier]
    ours = answered.compute(case)
    expected = case.data["expected"]
    recommended = OUR_RESULT.get(case.identifier, case.data["recommended"])
    assert set(ours) | set(answered.other_conventions) == set(expected), report(
        case, "each expected result must be ours or another convention's"
    )
    assert recommended in ours, report(case, f"our results lack {recommended}")
    for name, right in expected.items():
        if name in ours:
            assert agrees(case, ours[name], right), report(case, name, ours[name])
    for name, wrong in case.data["wrong"].items():
        place = answered.contrast.get(name, recommended)
        result = ours[place]
        assert is_told_apart(result, expected[place], wrong), report(
            case, f"= {name}, which is wrong", result
        )


def agrees(case: Case, ours: Any, theirs: Any) -> bool:
    """Whether a result has the shape and, within the tolerance, the values."""
    if isinstance(theirs, dict):
        if "error" in theirs:
            return isinstance(ours, ValueError) and theirs["error"] == "ValueError"
        return all(agrees(case, ours[part], theirs[part]) for part in theirs)
    if isinstance(ours, (list, tuple)) and not np.isscalar(ours[0]):
        return len(ours) == len(theirs) and all(
            agrees(case, one, other) for one, other in zip(ours, theirs, strict=True)
        )
    values = to_numpy(ours)
    reference = np.asarray(theirs)
    if reference.dtype.kind == "U":
        reference = reference.astype(np.float64)
    tolerance = case.data["tolerance"][case.library.dtype]
    return values.shape == reference.shape and np.allclose(
        values, reference, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def is_told_apart(ours: Any, right: Any, wrong: Any) -> bool:
    """Whether a result is far nearer to the right one than to the wrong one.

    Tolerances do not serve here: bfloat16's is wider than some differences.
    """
    if isinstance(wrong, dict):
        return any(
            is_told_apart(ours[part], right[part], wrong[part]) for part in wrong
        )
    return distance(ours, wrong) > max(4 * distance(ours, right), 1e-9)


def distance(ours: Any, theirs: Any) -> float:
    """The largest difference of two results, whatever axes of length one they have."""
    one = np.squeeze(to_numpy(ours))
    other = np.squeeze(np.asarray(theirs, dtype=np.float64))
    if one.shape != other.shape or not np.array_equal(np.isnan(one), np.isnan(other)):
        return np.inf
    with np.errstate(invalid="ignore"):
        difference = np.abs(one - other)
    same = (one == other) | np.isnan(one)
    return float(np.max(np.where(same, 0.0, difference), initial=0.0))


def report(case: Case, what: str, result: Any = None) -> str:
    """What a reader of a failure needs: the question, the values, the sources."""
    data = case.data
    lines = [
        f"{case}: {what}",
        f"symptom:  {data['symptom']}",
        f"question: {data['semantics']}",
        f"call:     {data['call']}",
        f"expected: {json.dumps(data['expected'])}",
        f"wrong:    {json.dumps(data['wrong'])}",
    ]
    if result is not None:
        lines.append(f"ours:     {result}")
    lines += [f"source:   {source['url']}" for source in data["source"]]
    return "\n".join(lines)
