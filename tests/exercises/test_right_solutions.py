"""Right solutions pass, however they are written."""

import statistics

import numpy as np
import pytest
import torch

import attention_ref as ar
from attention_ref import exercises
from attention_ref.exercises import NotYet


def row_by_row(scores):
    rows = [
        np.exp(row) / sum(np.exp(row)) for row in scores.reshape(-1, scores.shape[-1])
    ]
    return np.array(rows).reshape(scores.shape)


def each_pair(query, key):
    return [[sum(q * k) / len(q) ** 0.5 for k in key] for q in query]


def query_by_query(query, key, value):
    output = []
    for one in query:
        powers = np.exp(key @ one / np.sqrt(len(one)))
        output.append(sum(p * v for p, v in zip(powers, value, strict=True)))
        output[-1] = output[-1] / powers.sum()
    return np.stack(output)


def in_torch(query, key, value):
    arrays = (torch.from_numpy(x)[None] for x in (query, key, value))
    return torch.nn.functional.scaled_dot_product_attention(*arrays)[0].numpy()


def with_loops(queries, keys):
    past = keys - queries
    return np.array(
        [[key <= query + past for key in range(keys)] for query in range(queries)]
    )


def one_sequence_after_the_other(lengths, keys):
    rows = [[True] * n + [False] * (keys - n) for n in lengths]
    return np.array(rows)[:, None, None, :]


def renormalised(scores, mask):
    powers = np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    return powers / powers.sum(axis=-1, keepdims=True)


def visible_keys_only(scores, mask):
    weights = np.zeros_like(scores)
    for row, (score, sees) in enumerate(zip(scores, mask, strict=True)):
        if sees.any():
            weights[row, sees] = ar.softmax(score[sees])
    return weights


def head_by_head(query, key, value, num_heads):
    parts = zip(
        *(np.split(x, num_heads, axis=-1) for x in (query, key, value)), strict=True
    )
    return np.concatenate([query_by_query(*part) for part in parts], axis=-1)


def projected_by_nothing(query, key, value, num_heads):
    same = ar.HeadProjections(*[np.eye(query.shape[-1])] * 4)
    return ar.multi_head_attention(query, key, value, same, num_heads=num_heads)


def with_einsum(query, key, value, num_heads):
    length, width = query.shape
    query, key, value = (x.reshape(length, num_heads, -1) for x in (query, key, value))
    scores = np.einsum("qhd,khd->hqk", query, key) / np.sqrt(query.shape[-1])
    return np.einsum("hqk,khd->qhd", ar.softmax(scores), value).reshape(length, width)


def log_space(scores):
    return np.exp(scores - ar.log_sum_exp(scores)[..., None])


def through_log_add(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


def torch_softmax(scores):
    return torch.softmax(torch.from_numpy(scores), dim=-1).numpy()


def half_row_by_row(query, key, value):
    rows = [ar.scaled_dot_product_attention(row[None], key, value) for row in query]
    return np.concatenate(rows)


def half_in_float32(query, key, value):
    query, key, value = (x.astype("f4") for x in (query, key, value))
    scores = (query / np.float32(query.shape[-1] ** 0.5)) @ key.T
    return (torch_softmax(scores) @ value).astype("f2")


def middle_of_sorted(run, synchronize, clock, repeats):
    run()
    synchronize()
    measured = []
    for _ in range(repeats):
        synchronize()
        before = clock()
        run()
        synchronize()
        measured.append(clock() - before)
    measured.sort()
    half = repeats // 2
    return (
        (measured[half] + measured[-half - 1]) / 2
        if repeats % 2 == 0
        else measured[half]
    )


def two_warm_ups(run, synchronize, clock, repeats):
    for _ in range(2):
        run()
        synchronize()
    return statistics.median(_stopped(run, synchronize, clock) for _ in range(repeats))


def _stopped(run, synchronize, clock):
    start = clock()
    run()
    synchronize()
    return clock() - start


def warm_up_by_dropping(run, synchronize, clock, repeats):
    every = [_stopped(run, synchronize, clock) for _ in range(repeats + 1)]
    return np.median(every[1:])


RIGHT = {
    "softmax": [ar.softmax, row_by_row, log_space, torch_softmax],
    "scores": [
        each_pair,
        lambda q, k: np.einsum("id,jd->ij", q, k) * q.shape[1] ** -0.5,
        lambda q, k: (k @ (q / np.sqrt(q.shape[1])).T).T,
    ],
    "attention": [ar.scaled_dot_product_attention, query_by_query, in_torch],
    "causal_mask": [
        with_loops,
        lambda q, k: np.tri(q, k, k - q, dtype=bool),
        lambda q, k: np.triu(np.ones((q, k)), k - q + 1) == 0,
    ],
    "padding_mask": [
        ar.padding_mask,
        one_sequence_after_the_other,
        lambda n, k: np.arange(k) < n[:, None, None, None],
    ],
    "masked_weights": [
        renormalised,
        visible_keys_only,
        lambda s, m: ar.softmax(s + np.where(m, 0, -np.inf)),
        lambda s, m: ar.softmax(s + np.log(m)),
    ],
    "split_heads": [
        ar.split_heads,
        lambda x, h: np.stack(np.split(x, h, axis=-1), axis=1),
        lambda x, h: np.einsum("nlhw->nhlw", x.reshape(*x.shape[:2], h, -1)),
    ],
    "merge_heads": [
        ar.merge_heads,
        lambda x: np.concatenate(list(x.swapaxes(0, 1)), axis=-1),
        lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
    ],
    "repeat_heads": [
        lambda k, h: k.repeat(h // len(k), axis=0),
        lambda k, h: k[np.arange(h) // (h // len(k))],
        lambda k, h: np.stack([k] * (h // len(k)), axis=1).reshape(h, *k.shape[1:]),
    ],
    "multi_head_attention": [head_by_head, projected_by_nothing, with_einsum],
    "stable_softmax": [ar.softmax, log_space, through_log_add, torch_softmax],
    "empty_rows": [
        visible_keys_only,
        lambda s, m: np.nan_to_num(ar.softmax(s + np.log(m))),
        lambda s, m: ar.attention_weights(s, np.eye(s.shape[1]), mask=m, scale=1),
    ],
    "half_precision": [
        ar.scaled_dot_product_attention,
        half_row_by_row,
        half_in_float32,
    ],
    "median_seconds": [middle_of_sorted, two_warm_ups, warm_up_by_dropping],
}


@pytest.mark.parametrize(
    ("name", "solution"),
    [
        pytest.param(name, solution, id=f"{name}-{number}")
        for name, solutions in RIGHT.items()
        for number, solution in enumerate(solutions, start=1)
    ],
)
def test_a_right_solution_passes(name, solution, capsys):
    with np.errstate(all="ignore"):
        getattr(exercises, f"check_{name}")(solution)

    assert capsys.readouterr().out.startswith("Right: ")


def test_every_exercise_has_three_right_solutions():
    checks = {name for name in exercises.__all__ if name.startswith("check_")}

    assert {f"check_{name}" for name in RIGHT} == checks
    assert all(len(solutions) >= 3 for solutions in RIGHT.values())


def test_a_notebook_shows_the_sentence_without_a_traceback():
    assert NotYet("Look.")._render_traceback_() == ["Not yet: Look."]


def test_a_solution_is_called_with_copies():
    """One that spoils its arguments spoils nothing for the next reader."""

    def spoil(scores):
        scores[:] = 0
        return scores

    with pytest.raises(NotYet):
        exercises.check_softmax(spoil)
    exercises.check_softmax(ar.softmax)
