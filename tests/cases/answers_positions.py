"""Answers about positions: padding, rotary embeddings, ALiBi, and cached keys."""

from __future__ import annotations

from typing import Any

import array_api_compat
from open_cases import Case, Results, answer

import attention_ref as ar


@answer("PP-03", other_conventions=("positions_pad1",))
def the_first_real_token_is_position_0(case: Case) -> Results:
    mask = case.booleans("attention_mask")
    return {"positions_pad0": ar.positions_from_mask(mask)}


@answer("RO-01", contrast={"inv_freq_exponent_i_over_d": "inv_freq"})
def both_layouts_of_rotary_pairs(case: Case) -> Results:
    xp = array_api_compat.array_namespace(case["x"])
    x = xp.broadcast_to(case["x"], (3, 4))
    positions = case.library.integers(case.inputs["positions"])
    base = case.inputs["base"]
    rotated = {
        layout: ar.rotary_embedding(x, positions, layout=layout, base=base)
        for layout in ("half", "interleaved")
    }
    # Two unit vectors, turned by position 1: their angles are the frequencies.
    units = case.library.array([[0.0] * 4, [1.0, 1.0, 0.0, 0.0]])
    turned = ar.rotary_embedding(units, layout="half", base=base)[1, :]
    return {**rotated, "inv_freq": xp.atan2(turned[2:], turned[:2])}


@answer("RO-02")
def rotary_scores_depend_on_the_distance(case: Case) -> Results:
    xp = array_api_compat.array_namespace(case["q"])

    def scores(layout: Any) -> list[Any]:
        def turned(name: str, position: int) -> Any:
            positions = case.library.integers([position])
            return ar.rotary_embedding(case[name][None, :], positions, layout=layout)

        return [
            xp.sum(turned("q", query) * turned("k", key))
            for query, key in case.inputs["position_pairs"]
        ]

    return {layout: xp.stack(scores(layout)) for layout in ("half", "interleaved")}


@answer(
    "RO-04",
    other_conventions=("positions_bfloat16", "positions_float16"),
    contrast={"cos_bf16_positions": "cos"},
)
def angles_are_wide_whatever_the_dtype(case: Case) -> Results:
    xp = array_api_compat.array_namespace(case["positions"])
    unit = xp.broadcast_to(case.library.array([1.0, 0.0]), (5, 2))
    positions = case.library.integers(case.inputs["positions"])
    turned = ar.rotary_embedding(unit, positions, layout="half")
    return {"cos": turned[:, 0], "sin": turned[:, 1]}


@answer("RO-05")
def a_new_token_keeps_its_absolute_position(case: Case) -> Results:
    position = case.library.integers([case.inputs["query_position"]])
    query = ar.rotary_embedding(case["q_new"][None, :], position, layout="half")
    keys = ar.rotary_embedding(case["keys_unrotated"], layout="half")
    trace = ar.trace_attention(
        query[None, None, ...], keys[None, None, ...], case["values"][None, None, ...]
    )
    return {"out": trace.output, "scores": trace.scaled}


@answer(
    "AB-01",
    other_conventions=("geometric_6", "geometric_12"),
    contrast={"slopes_8_off_by_one": "slopes_8"},
)
def alibi_slopes_follow_the_authors_rule(case: Case) -> Results:
    like = case.library.array([0.0])
    return {
        f"slopes_{heads}": ar.alibi_slopes(heads, like=like)
        for heads in case.inputs["heads"]
    }


@answer("AB-03")
def alibi_spans_the_keys_of_a_cache(case: Case) -> Results:
    arrays = case.query_key_value()
    # Of eight heads the first has the slope 0.5.
    bias = ar.alibi_bias(8, 1, 4, alignment="lower-right", like=arrays[0])[:1, :, :]
    attention = ar.scaled_dot_product_attention
    return {
        "bias": bias[0, 0, :],
        "out": attention(*arrays, bias=bias),
        "out_shifted_bias": attention(*arrays, bias=bias - 0.5),
    }


@answer("AB-04")
def alibi_measures_distance_to_both_sides(case: Case) -> Results:
    arrays = case.query_key_value()
    bias = ar.alibi_bias(8, 3, like=arrays[0])[:1, :, :]
    return {
        "bias": bias[0, :, :],
        "out": ar.scaled_dot_product_attention(*arrays, bias=bias),
    }


@answer("KV-04")
def a_ring_buffer_is_masked_by_positions(case: Case) -> Results:
    slots = case.inputs["slot_positions"]
    key, value = (
        case.library.array([case.inputs[name][slot] for slot in slots])[None, None, ...]
        for name in ("k_by_position", "v_by_position")
    )
    left, right = ar.window_from_size(case.inputs["window"])
    mask = ar.position_mask(
        case.library.integers([case.inputs["query_position"]]),
        case.library.integers(slots),
        left=left,
        right=right,
    )
    attention = ar.scaled_dot_product_attention
    return {
        "out_window2": attention(case["q"], key, value, mask=mask),
        "out_all_slots": attention(case["q"], key, value),
    }


@answer("ON-03")
def the_diagonal_ends_at_the_last_valid_key(case: Case) -> Results:
    arrays = case.query_key_value()
    lengths = case.library.integers(case.inputs["nonpad_kv_seqlen"])
    first = lengths[:, None] - 2
    positions = first + case.library.integers([0, 1])
    causal = ar.position_mask(positions, case.library.integers([0, 1, 2, 3]))
    mask = causal & ar.padding_mask(lengths, 4)
    return {
        "out": ar.scaled_dot_product_attention(*arrays, mask=mask),
        "keep": mask[:, 0, :, :],
    }
