"""The single-node cases of the installed `onnx` package, for our operators.

Importing one of its case modules runs the generators in it, so only the modules
that are needed are imported. Each case comes with its inputs, its attributes and
the outputs that the operator must give.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case import node as generated

MODULES = {
    "Attention": "attention",
    "RotaryEmbedding": "rotaryembedding",
    "TensorScatter": "tensorscatter",
    "RMSNormalization": "rmsnormalization",
}


@dataclass(frozen=True)
class NodeCase:
    """One node, with its arrays by the schema's formal names."""

    name: str
    operator: str
    inputs: dict[str, np.ndarray]
    attributes: dict[str, Any]
    outputs: dict[str, np.ndarray]
    rtol: float
    atol: float

    def __str__(self) -> str:
        return self.name.removeprefix("test_")


@cache
def node_cases(operator: str) -> list[NodeCase]:
    """The cases of an operator; its expansions into simpler nodes are left out."""
    importlib.import_module(f"{generated.__name__}.{MODULES[operator]}")
    return [
        _node_case(case)
        for case in generated._NodeTestCases
        if "_expanded" not in case.name and case.model.graph.node[0].op_type == operator
    ]


def check_outputs(case: NodeCase, outputs: dict[str, np.ndarray]) -> None:
    """Compare as ONNX's own runner does: bfloat16 within two units."""
    for name, expected in case.outputs.items():
        ours, rtol = outputs[name], case.rtol
        assert ours.shape == expected.shape
        assert ours.dtype == expected.dtype
        if ours.dtype.name == "bfloat16":
            rtol = max(rtol, 2**-6)
            ours, expected = ours.astype(np.float32), expected.astype(np.float32)
        np.testing.assert_allclose(ours, expected, rtol=rtol, atol=case.atol)


def _node_case(case: Any) -> NodeCase:
    (node,) = case.model.graph.node
    schema = onnx.defs.get_schema(node.op_type, case.model.opset_import[0].version)
    ((inputs, outputs),) = case.data_sets
    return NodeCase(
        name=case.name,
        operator=node.op_type,
        inputs=_by_formal_name(schema.inputs, node.input, inputs),
        attributes={
            attribute.name: onnx.helper.get_attribute_value(attribute)
            for attribute in node.attribute
        },
        outputs=_by_formal_name(schema.outputs, node.output, outputs),
        rtol=case.rtol,
        atol=case.atol,
    )


def _by_formal_name(
    formal: Any, actual: Any, arrays: list[np.ndarray]
) -> dict[str, np.ndarray]:
    """Give each array the schema's name; an empty actual name means left out."""
    present = [
        parameter.name for parameter, name in zip(formal, actual, strict=False) if name
    ]
    return dict(zip(present, arrays, strict=True))
