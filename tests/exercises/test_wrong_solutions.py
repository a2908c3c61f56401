"""The table of wrong solutions: each is refused, with the diagnosis that fits."""

# ruff: noqa: ARG005 - a mistake may be not to use an argument

from collections import Counter

import numpy as np
import pytest

from attention_ref import exercises
from attention_ref.exercises import NotYet


def exp_over_sum(scores, axis=-1):
    """Softmax as a reader writes it."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


def lower_right(queries, keys):
    """A causal mask, by comparing positions."""
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def real(lengths, keys):
    """A padding mask, by comparing positions."""
    return (np.arange(keys) < np.asarray(lengths)[:, None])[:, None, None, :]


def cut(x, num_heads):
    """Split heads by reshape and transpose."""
    *batch, length, width = x.shape
    parts = x.reshape(*batch, length, num_heads, width // num_heads)
    return parts.swapaxes(-2, -3)


def join(x):
    """Merge heads by transpose and reshape."""
    *batch, heads, length, width = x.shape
    return x.swapaxes(-2, -3).reshape(*batch, length, heads * width)


def attend(query, key, value, scale=None, axis=-1):
    """Attention for any leading axes."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    return exp_over_sum(query @ key.swapaxes(-1, -2) * scale, axis) @ value


def minus_infinity(scores, mask, hidden=-np.inf):
    """Masked weights by replaced scores."""
    scores = np.where(mask, scores, hidden)
    return exp_over_sum(scores - scores.max(axis=-1, keepdims=True))


def float32_attention(query, key, value, scale=None):
    """Attention in float32, not yet rounded."""
    query, key, value = (x.astype(np.float32) for x in (query, key, value))
    scale = np.float32(query.shape[-1] ** -0.5 if scale is None else scale)
    scores = query @ key.T * scale
    return exp_over_sum(scores - scores.max(axis=-1, keepdims=True)) @ value


def seconds(run, synchronize, clock, repeats, before=1, wait=True, after=True):
    """Measured seconds, with or without each of the precautions."""
    for _ in range(before):
        run()
    if wait:
        synchronize()
    measured = []
    for _ in range(repeats):
        start = clock()
        run()
        if after:
            synchronize()
        measured.append(clock() - start)
    return np.array(measured)


def overwriting_softmax(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    return exp_over_sum(scores)


def one_by_one_without_the_diagonal(queries, keys):
    mask = np.zeros((queries, keys), dtype=bool)
    for query in range(queries):
        for key in range(query + keys - queries):
            mask[query, key] = True
    return mask


def sees_one_key_too_many_at_the_end(queries, keys):
    mask = lower_right(queries, keys)
    mask[:-1, -1] = True
    return mask


def forgets_the_first_key(queries, keys):
    mask = lower_right(queries, keys)
    mask[:, 0] = False
    return mask


def block_of_zeros(scores, mask):
    weights = minus_infinity(scores, mask)
    weights[~mask.any(axis=-1)] = 1 / mask.shape[-1]
    return weights


def with_epsilon(scores, mask):
    powers = np.where(mask, np.exp(scores), 0)
    return powers / (powers.sum(axis=-1, keepdims=True) + 1e-2)


def forgets_the_scale_of_wide_heads(query, key, value, num_heads):
    return join(attend(*(cut(x, num_heads) for x in (query, key, value)), scale=1))


def averages_weights(query, key, value, num_heads):
    query, key, value = (cut(x, num_heads) for x in (query, key, value))
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    shared = exp_over_sum(scores).mean(axis=0)
    return join(np.stack([shared @ head for head in value]))


def reads_the_clock_around_all(run, synchronize, clock, repeats):
    run()
    synchronize()
    start = clock()
    for _ in range(repeats):
        run()
    synchronize()
    return (clock() - start) / repeats


SOFTMAX = [
    (lambda s: exp_over_sum(s, axis=0), "along the wrong axis"),
    (lambda s: np.exp(s) / np.sum(np.exp(s)), "numbers together sum to 1"),
    (lambda s: np.exp(s) / np.sum(np.exp(s), axis=-1), "keepdims=True"),
    (lambda s: s / np.sum(s, axis=-1, keepdims=True), "scores themselves"),
    (lambda s: np.e**s, "stopped: divide by the sum"),
    (lambda s: 2**s / (2**s).sum(axis=-1, keepdims=True), "raised 2"),
    (lambda s: 0.5 + 0.5 * np.tanh(s / 2), "sigmoid"),
    (lambda s: s - np.log(np.exp(s).sum(-1, keepdims=True)), "logarithms"),
    (lambda s: exp_over_sum(0 - s), "sign of the scores"),
    (lambda s: np.eye(s.shape[-1])[s.argmax(axis=-1)], "all the weight to the largest"),
    (np.copy, "as they came"),
    (lambda s: np.ones_like(s) / s.shape[-1], "same weight, whatever"),
    (lambda s: exp_over_sum(2 * s), "right is"),
    (lambda s: exp_over_sum(s)[..., :1], "must return (..., keys) = (3, 3)"),
    (lambda s: {"weights": s}, "returns a dict"),
    (lambda s: s.nothing, "raises AttributeError"),
    (overwriting_softmax, "writes into its argument scores"),
    (lambda s: None, "is not finished"),
    (..., "is not finished"),
]
SCORES = [
    (lambda q, k: np.einsum("id,jd->ij", q, k), "did not scale"),
    (lambda q, k: q @ k.T / q.shape[1], "scaled by d, not √d"),
    (lambda q, k: q @ k.T * q.shape[1] ** 0.5, "multiplied by √d"),
    (lambda q, k: q @ k.T / k.shape[0] ** 0.5, "number of keys"),
    (lambda q, k: k @ q.T / q.shape[1] ** 0.5, "rows are keys"),
    (
        lambda q, k: (
            (q / np.linalg.norm(q, axis=1, keepdims=True))
            @ (k / np.linalg.norm(k, axis=1, keepdims=True)).T
        ),
        "compared directions only",
    ),
    (lambda q, k: exp_over_sum(q @ k.T / q.shape[1] ** 0.5), "weights already"),
    (lambda q, k: q @ k / q.shape[1] ** 0.5, "without turning the key over"),
    (lambda q, k: q @ q.T / q.shape[1] ** 0.5, "queries with each other"),
    (
        lambda q, k: ((q[:, None] - k[None]) ** 2).sum(-1) ** 0.5,
        "These are distances",
    ),
    (lambda q, k: q @ k.T / q.shape[1] ** 0.25, "right is"),
]
ATTENTION = [
    (lambda q, k, v: attend(q, k, v, axis=0), "along the wrong axis"),
    (
        lambda q, k, v: exp_over_sum(q @ k.T / q.shape[1] ** 0.5),
        "These are the weights",
    ),
    (lambda q, k, v: attend(q, k, v, scale=1), "did not scale"),
    (lambda q, k, v: attend(q, k, v, scale=1 / q.shape[1]), "scaled by d, not √d"),
    (
        lambda q, k, v: exp_over_sum(q @ k.T) / q.shape[1] ** 0.5 @ v,
        "scaled after softmax",
    ),
    (lambda q, k, v: (q @ k.T) @ v / q.shape[1] ** 0.5, "left softmax out"),
    (lambda q, k, v: attend(q, k, k), "averaged the keys"),
    (lambda q, k, v: np.tile(v.mean(axis=0), (len(q), 1)), "plain mean"),
    (lambda q, k, v: v[np.argmax(q @ k.T, axis=1)], "best key alone"),
    (
        lambda q, k, v: exp_over_sum(q @ k.T / q.shape[1] ** 0.5).T @ v,
        "weights are turned over",
    ),
    (lambda q, k, v: attend(k, q, v), "changed places"),
    (lambda q, k, v: v, "values as they came"),
]
CAUSAL = [
    (lambda q, k: np.logical_not(lower_right(q, k)), "mask is inverted"),
    (lambda q, k: np.tril(np.ones((q, k), dtype=bool)), "upper left corner"),
    (one_by_one_without_the_diagonal, "do not see themselves"),
    (
        lambda q, k: np.arange(k) <= np.arange(q)[:, None] + k - q + 1,
        "one key of its future",
    ),
    (
        lambda q, k: np.arange(k) >= np.arange(q)[:, None] + k - q,
        "future, but not the past",
    ),
    (lambda q, k: np.full((q, k), True), "hides nothing"),
    (
        lambda q, k: np.arange(k) == np.arange(q)[:, None] + k - q,
        "see themselves only",
    ),
    (lambda q, k: np.log(lower_right(q, k)), "a bias"),
    (lambda q, k: np.tri(q, k, k - q), "ones and zeros"),
    (lambda q, k: lower_right(q, k).swapaxes(0, 1), "rows are keys"),
    (sees_one_key_too_many_at_the_end, "Query 0 sees key 3, which comes after"),
    (forgets_the_first_key, "Query 0 does not see key 0"),
]
PADDING = [
    (lambda n, k: np.arange(k) >= n[:, None, None, None], "mask is inverted"),
    (lambda n, k: np.arange(k) < n[:, None], "lacks the axes"),
    (lambda n, k: np.arange(k) <= n[:, None, None, None], "lets one filler through"),
    (
        lambda n, k: np.arange(k) + 1 < n[:, None, None, None],
        "hides the last real key",
    ),
    (
        lambda n, k: np.arange(k) >= k - n[:, None, None, None],
        "hide the beginning",
    ),
    (lambda n, k: real(n, k).reshape(len(n), 1, k, 1), "hides queries"),
    (lambda n, k: np.full((len(n), 1, 1, k), True), "hides nothing"),
    (lambda n, k: real([max(n)] * len(n), k), "longest one's mask"),
    (lambda n, k: np.log(real(n, k)), "a bias"),
    (lambda n, k: 1.0 * real(n, k), "ones and zeros"),
    (
        lambda n, k: np.arange(k) == n[:, None, None, None] - 1,
        "one real key per sequence",
    ),
    (lambda n, k: real(n, k) & (np.arange(k) > 0), "Key 0 of a sequence of length 2"),
]
MASKED = [
    (lambda s, m: minus_infinity(s, ~m), "mask is inverted"),
    (lambda s, m: np.where(m, minus_infinity(s, True), 0), "masked after softmax"),
    (lambda s, m: minus_infinity(s * m, True), "hidden scores to 0"),
    (lambda s, m: minus_infinity(s, np.True_), "changes nothing"),
    (lambda s, m: minus_infinity(s, m, -1e9), "You used −1e9"),
    (lambda s, m: minus_infinity(s, m, -1e4), "You used −1e4"),
    (lambda s, m: minus_infinity(s + m, True), "added the mask"),
    (lambda s, m: minus_infinity(s.T, m.T).T, "along the wrong axis"),
    (lambda s, m: minus_infinity(s, m.T), "turned the mask over"),
    (lambda s, m: s + np.log(m), "masked scores"),
    (
        lambda s, m: 1.0 * m / m.sum(axis=1, keepdims=True),
        "shared the weight out evenly",
    ),
    (lambda s, m: minus_infinity(s, m) + 0.001, "must not see key 1"),
    (lambda s, m: minus_infinity(s, m) * 0.9, "sum to 0.9, and must sum to 1"),
]
SPLIT = [
    (
        lambda x, h: x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h),
        "straight to heads before length",
    ),
    (lambda x, h: x.reshape(*x.shape[:2], h, -1), "left the heads behind"),
    (
        lambda x, h: x.reshape(*x.shape[:2], -1, h).transpose(0, 3, 1, 2),
        "take turns, number by number",
    ),
    (lambda x, h: cut(x, h).transpose(0, 2, 3, 1), "widths have changed places"),
    (lambda x, h: cut(x, h).transpose(0, 1, 3, 2), "swapped length and width"),
    (lambda x, h: np.stack([x] * h, axis=1), "has the whole width"),
    (lambda x, h: np.flip(cut(x, h), axis=1), "reverse order"),
    (lambda x, h: np.stack(np.split(x, h, axis=-1)), "before the batch"),
    (lambda x, h: x.copy(), "x as it came"),
    (
        lambda x, h: np.stack([cut(x, h)[:, 0]] * h, axis=1),
        "All your heads are the first",
    ),
]
MERGE = [
    (lambda x: x.reshape(len(x), x.shape[2], -1), "without swapping"),
    (lambda x: np.mean(x, axis=1), "averaged the heads"),
    (lambda x: np.sum(x, axis=1), "added the heads up"),
    (lambda x: x[:, 0], "first head only"),
    (
        lambda x: np.stack(list(x.swapaxes(0, 1)), -1).reshape(
            x.shape[0], x.shape[2], -1
        ),
        "take turns",
    ),
    (lambda x: np.concatenate(list(x.swapaxes(0, 1)), axis=1), "one below the other"),
    (lambda x: x.transpose(0, 2, 1, 3), "did not join"),
    (lambda x: join(np.flip(x, axis=1)), "reverse order"),
    (lambda x: +x, "x as it came"),
    (lambda x: np.max(x, axis=1), "largest number of all heads"),
]
REPEAT = [
    (lambda k, h: np.concatenate([k] * (h // len(k))), "tiled the heads"),
    (lambda k, h: np.stack([k.mean(axis=0)] * h), "mean of the key heads"),
    (lambda k, h: np.stack([k[0]] * h), "first key head"),
    (lambda k, h: k.repeat(h // len(k), axis=-2), "repeated the positions"),
    (lambda k, h: k.repeat(h // len(k), axis=-1), "repeated the width"),
    (lambda k, h: k.repeat(h, axis=0), "num_heads times"),
    (lambda k, h: k, "key as it came"),
    (lambda k, h: np.flip(k, 0).repeat(h // len(k), axis=0), "reverse order"),
    (lambda k, h: np.stack([k] * (h // len(k)), axis=1), "did not join it"),
    (
        lambda k, h: np.stack(
            [k[i // (h // len(k))] * (i % (h // len(k)) == 0) for i in range(h)]
        ),
        "others have zeros",
    ),
]
MULTI_HEAD = [
    (lambda q, k, v, h: attend(q, k, v), "once over the whole width"),
    (
        lambda q, k, v, h: join(
            attend(*(cut(x, h) for x in (q, k, v)), scale=q.shape[-1] ** -0.5)
        ),
        "scaled by the whole width",
    ),
    (forgets_the_scale_of_wide_heads, "did not scale"),
    (
        lambda q, k, v, h: sum(attend(*(cut(x, h) for x in (q, k, v)))) / h,
        "averaged the heads",
    ),
    (averages_weights, "averaged the weights"),
    (lambda q, k, v, h: attend(*(cut(x, h)[0] for x in (q, k, v))), "first head only"),
    (
        lambda q, k, v, h: join(attend(*(x.reshape(h, len(x), -1) for x in (q, k, v)))),
        "cut the heads with reshape alone",
    ),
    (
        lambda q, k, v, h: attend(*(cut(x, h) for x in (q, k, v))).reshape(len(q), -1),
        "joined the heads with reshape alone",
    ),
    (
        lambda q, k, v, h: attend(
            *(x.reshape(h, len(x), -1) for x in (q, k, v))
        ).reshape(len(q), -1),
        "cut and joined",
    ),
    (
        lambda q, k, v, h: join(
            attend(*(x.reshape(len(x), -1, h).transpose(2, 0, 1) for x in (q, k, v)))
        ),
        "took turns",
    ),
    (
        lambda q, k, v, h: join(attend(*(cut(x, h) for x in (q, k, v)), axis=0)),
        "along the heads",
    ),
    (lambda q, k, v, h: attend(*(cut(x, h) for x in (q, k, v))), "did not join"),
    (lambda q, k, v, h: v, "values as they came"),
]
STABLE = [
    (exp_over_sum, "overflow or vanish"),
    (lambda s: exp_over_sum(s - np.max(s)), "one number for all rows"),
    (lambda s: exp_over_sum(s - s.max(axis=0, keepdims=True)), "each column"),
    (lambda s: exp_over_sum(s / s.max(axis=-1, keepdims=True)), "divided the scores"),
    (lambda s: exp_over_sum(s.clip(-50, 50)), "clipped the scores"),
    (
        lambda s: np.where(np.isnan(exp_over_sum(s)), 0, exp_over_sum(s)),
        "replaced NaN by 0",
    ),
    (
        lambda s: (
            np.exp(s - s.max(-1, keepdims=True)) / np.exp(s).sum(-1, keepdims=True)
        ),
        "not those in the sum",
    ),
    (lambda s: exp_over_sum(s - abs(s).max(-1, keepdims=True)), "largest magnitude"),
    (lambda s: exp_over_sum(s + s.max(-1, keepdims=True)), "overflow or vanish"),
    (
        lambda s: exp_over_sum(
            (s - s.mean(-1, keepdims=True)) / s.std(-1, keepdims=True)
        ),
        "standardised",
    ),
    (lambda s: exp_over_sum(s - 1000), "is NaN"),
]
EMPTY = [
    (minus_infinity, "gets NaN"),
    (lambda s, m: minus_infinity(s, m, -1e9), "same weight for every key"),
    (block_of_zeros, "same weight for every key"),
    (
        lambda s, m: minus_infinity(s, m | (m.sum(-1, keepdims=True) == 0)),
        "sees all of them",
    ),
    (
        lambda s, m: minus_infinity(
            s, m | ((m.sum(-1, keepdims=True) == 0) & (np.arange(m.shape[1]) == 0))
        ),
        "all its weight to key 0",
    ),
    (lambda s, m: np.nan_to_num(minus_infinity(s, m), nan=1.0), "gets ones"),
    (lambda s, m: minus_infinity(s[m.any(1)], m[m.any(1)]), "left out the queries"),
    (lambda s, m: exp_over_sum(s) * m, "masked after softmax"),
    (lambda s, m: np.nan_to_num(minus_infinity(s, ~m)), "mask is inverted"),
    (lambda s, m: exp_over_sum(s), "changes nothing"),
    (lambda s, m: np.nan_to_num(minus_infinity(s, m), nan=-np.inf), "gets −∞"),
    (with_epsilon, "nothing may be added to the sum"),
]
HALF = [
    (
        lambda q, k, v: attend(q, k, v, np.float16(q.shape[1] ** -0.5)),
        "exponentials overflow beyond",
    ),
    (
        lambda q, k, v: (
            exp_over_sum(
                q @ k.T / np.sqrt(np.float16(q.shape[1]))
                - (q @ k.T / np.sqrt(np.float16(q.shape[1]))).max(-1, keepdims=True)
            )
            @ v
        ),
        "computed in float16",
    ),
    (
        lambda q, k, v: (
            minus_infinity((q @ k.T).astype("f4") / q.shape[1] ** 0.5, True) @ v
        ).astype("f2"),
        "cast the scores after the product",
    ),
    (float32_attention, "You returned float32"),
    (
        lambda q, k, v: (
            attend(q * 1.0, k, v).astype(np.float64)
            if False
            else float32_attention(q, k, v).astype(np.float64)
        ),
        "float64",
    ),
    (
        lambda q, k, v: attend(q.astype("f4"), k.astype("f4"), v.astype("f4")).astype(
            "f2"
        ),
        "overflow in float32",
    ),
    (lambda q, k, v: float32_attention(q, k, v, 1).astype("f2"), "did not scale"),
    (
        lambda q, k, v: float32_attention(q, k, v, 1 / q.shape[1]).astype("f2"),
        "scaled by d, not √d",
    ),
    (
        lambda q, k, v: (
            minus_infinity(
                np.clip(q.astype("f4") @ k.astype("f4").T, -65504, 65504)
                / np.float32(q.shape[1] ** 0.5),
                True,
            )
            @ v.astype("f4")
        ).astype("f2"),
        "clipped the scores",
    ),
    (
        lambda q, k, v: np.stack([v.mean(axis=0, dtype="f4")] * len(q)).astype("f2"),
        "plain mean",
    ),
]
TIMING = [
    (
        lambda *it: np.median(seconds(*it, after=False)),
        "before the device had finished",
    ),
    (lambda *it: np.median(seconds(*it, before=0)), "timed the warm-up"),
    (lambda *it: np.median(seconds(*it, wait=False)), "warm-up was still running"),
    (lambda *it: np.mean(seconds(*it)), "took the mean"),
    (lambda *it: np.min(seconds(*it)), "fastest run"),
    (lambda *it: np.max(seconds(*it)), "slowest run"),
    (lambda *it: np.sum(seconds(*it)), "added all runs up"),
    (seconds, "seconds of every run"),
    (lambda *it: seconds(*it)[-1], "last run's seconds"),
    (lambda *it: seconds(*it)[0], "first run's seconds"),
    (reads_the_clock_around_all, "timed all runs together"),
    (lambda *it: 1e3 * np.median(seconds(*it)), "milliseconds"),
]
WRONG = {
    "softmax": SOFTMAX,
    "scores": SCORES,
    "attention": ATTENTION,
    "causal_mask": CAUSAL,
    "padding_mask": PADDING,
    "masked_weights": MASKED,
    "split_heads": SPLIT,
    "merge_heads": MERGE,
    "repeat_heads": REPEAT,
    "multi_head_attention": MULTI_HEAD,
    "stable_softmax": STABLE,
    "empty_rows": EMPTY,
    "half_precision": HALF,
    "median_seconds": TIMING,
}
ROWS = [
    pytest.param(name, solution, diagnosis, id=f"{name}: {diagnosis}")
    for name, rows in WRONG.items()
    for solution, diagnosis in rows
]


@pytest.mark.parametrize(("name", "solution", "diagnosis"), ROWS)
def test_a_wrong_solution_is_refused_with_the_diagnosis_that_fits(
    name, solution, diagnosis
):
    with pytest.raises(NotYet) as refusal:
        getattr(exercises, f"check_{name}")(solution)

    assert diagnosis in str(refusal.value)


def test_every_diagnosis_is_one_sentence():
    for name, rows in WRONG.items():
        for solution, _ in rows:
            with pytest.raises(NotYet) as refusal:
                getattr(exercises, f"check_{name}")(solution)
            text = str(refusal.value)

            assert text.endswith("."), text
            assert ". " not in text.removesuffix("."), text


def test_every_exercise_has_at_least_eight_wrong_solutions():
    checks = {name for name in exercises.__all__ if name.startswith("check_")}

    assert {f"check_{name}" for name in WRONG} == checks
    assert all(len(rows) >= 8 for rows in WRONG.values())
    assert sum(len(rows) for rows in WRONG.values()) >= 40


def test_different_mistakes_get_different_diagnoses():
    """No sentence is a refuge for everything."""
    for name, rows in WRONG.items():
        said = Counter(diagnosis for _, diagnosis in rows)
        assert max(said.values()) <= 3, name
        assert len(said) >= 8, name
