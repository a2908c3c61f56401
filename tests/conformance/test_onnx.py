"""ONNX's own single-node cases, through our adapter."""

from __future__ import annotations

import ast
from pathlib import Path

import adapter
import pytest
from onnx_cases import check_outputs, node_cases

RUN = {
    "Attention": adapter.run_attention,
    "RotaryEmbedding": adapter.run_rotary_embedding,
}
COUNTS = {"Attention": 93, "RotaryEmbedding": 8}

ALL_CASES = [case for operator in RUN for case in node_cases(operator)]


@pytest.mark.parametrize("case", ALL_CASES, ids=str)
def test_onnx_case(case):
    check_outputs(case, RUN[case.operator](case.inputs, case.attributes))


def test_one_wrong_digit_is_noticed():
    (case, *_) = node_cases("Attention")
    outputs = adapter.run_attention(case.inputs, case.attributes)
    outputs["Y"][0, 0, 0, 0] *= 1.01

    with pytest.raises(AssertionError):
        check_outputs(case, outputs)


@pytest.mark.parametrize("operator", RUN)
def test_no_case_is_missing(operator):
    assert len(node_cases(operator)) == COUNTS[operator]


def test_the_adapter_imports_numpy_ml_dtypes_and_attention_ref_only():
    tree = ast.parse(Path(adapter.__file__).read_text("utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)

    assert imported - {"__future__", "collections.abc", "typing"} <= {
        "attention_ref",
        "ml_dtypes",
        "numpy",
    }
