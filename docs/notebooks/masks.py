# ---
# title: Masks
# description: A workbook. Write a causal mask, a padding mask and masked softmax; checks say who sees what they must not.
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Masks
#
# A mask says who may look at whom.
# It is a table of `True` and `False`, and nearly every mistake in it runs without an error.
# So the checks here look closely: they tell you which position sees what it must not.
#
# You need [Attention by hand](attention-by-hand.py), or to know what scores and weights are.
#
# ## The story
#
# A program writes answers, word by word, for several people at once.
# Three rules keep it honest.
# No word may look at words that come after it.
# No word may look at the filler that makes short texts as long as the longest.
# And what may not be seen must have no weight at all, not a little.
#
# On this site `True` means: this query may see this key.

# %%
import numpy as np

from attention_ref.exercises import (
    check_causal_mask,
    check_masked_weights,
    check_padding_mask,
)

# %% [markdown]
# ## No look at the future
#
# When all words are there at once, query `i` may see the keys up to `i`: a triangle.
#
# When the program writes on, the words before are in a cache: there are few queries and many keys.
# The last query belongs to the last key.
# So the triangle must sit in the *lower right* corner.
#
# **Predict:** two queries and five keys. How many keys may the first query see?


# %%
def causal_mask(queries, keys):
    # Your turn: return booleans (queries, keys), True where a key does not come after the query.
    # solution
    position = np.arange(queries)[:, None] + keys - queries
    return np.arange(keys) <= position
    # end of solution


check_causal_mask(causal_mask)
print(causal_mask(2, 5).astype(int))

# %% [markdown] tags=["expected"]
# ```output
# Right: causal_mask passes all 4 cases.
# [[1 1 1 1 0]
#  [1 1 1 1 1]]
# ```

# %% [markdown]
# The first of the two queries is the fourth word of the text: three words lie before it, and it sees itself.
#
# ## No look at filler
#
# A batch holds texts of different lengths, filled up at their end.
# Which keys are real?
# The scores have the axes (batch, heads, queries, keys), and the answer is the same for all heads and all queries.
# So the mask has an axis of length one for each of these two.


# %%
def padding_mask(lengths, keys):
    # Your turn: return booleans (batch, 1, 1, keys), True where a key is real.
    # solution
    return np.arange(keys) < lengths[:, None, None, None]
    # end of solution


check_padding_mask(padding_mask)
lengths = np.array([5, 3])
print(padding_mask(lengths, 5)[:, 0, 0].astype(int))

# %% [markdown] tags=["expected"]
# ```output
# Right: padding_mask passes all 3 cases.
# [[1 1 1 1 1]
#  [1 1 1 0 0]]
# ```

# %% [markdown]
# ## Both rules at once
#
# Two masks are combined with `&`: both must allow.
# Broadcasting lines up their axes, because you kept them.

# %%
both = causal_mask(5, 5) & padding_mask(lengths, 5)
print("shape of both:", both.shape)
print(both[1, 0].astype(int))


# %% [markdown] tags=["expected"]
# ```output
# shape of both: (2, 1, 5, 5)
# [[1 0 0 0 0]
#  [1 1 0 0 0]
#  [1 1 1 0 0]
#  [1 1 1 0 0]
#  [1 1 1 0 0]]
# ```

# %% [markdown]
# This is the second text: three words and two filler positions.
# The filler *queries* in the last two rows still see the real words.
# Nobody reads what they compute, so it does no harm.
#
# ## Hidden means no weight
#
# Where does the mask go into the calculation?
# Softmax divides by the sum of all exponentials, so what is hidden must be gone *before* it.
# The exponential of −∞ is exactly zero.
#
# Why not take a large negative number?
# Because a real score can lie below it; the check knows one.


# %%
def masked_weights(scores, mask):
    # Your turn: return weights that sum to one over the visible keys, and are zero elsewhere.
    # solution
    visible = np.where(mask, scores, -np.inf)
    powers = np.exp(visible - visible.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    # end of solution


check_masked_weights(masked_weights)
scores = np.array(
    [
        [0.0, 2.0, 1.0, 3.0, 0.0],
        [1.0, 0.0, 2.0, 0.0, 3.0],
        [0.0, 1.0, 1.0, 2.0, 2.0],
        [2.0, 0.0, 1.0, 1.0, 0.0],
        [1.0, 1.0, 0.0, 0.0, 2.0],
    ]
)
weights = masked_weights(scores, both[1, 0])
print(weights.round(3))


# %% [markdown] tags=["expected"]
# ```output
# Right: masked_weights passes all 5 cases.
# [[1.    0.    0.    0.    0.   ]
#  [0.731 0.269 0.    0.    0.   ]
#  [0.155 0.422 0.422 0.    0.   ]
#  [0.665 0.09  0.245 0.    0.   ]
#  [0.422 0.422 0.155 0.    0.   ]]
# ```

# %% figure="Five rows of weights. Cells above the diagonal and in the two filler columns are hatched: they hold no weight." caption="Weights under both masks. Hatched cells are hidden."
from attention_ref.plotting import heatmap

axes = heatmap(weights, mask=both[1, 0], title="Three words and two fillers")

# %% [markdown]
# The first word has only itself to look at, so it takes everything from there, whatever its score is.
#
# ## Compare with the reference
#
# The package builds the same masks.
# It asks you to say where the triangle sits when the lengths differ, because libraries disagree about it; see [Conventions](../reference/conventions.md).

# %%
import attention_ref

same_causal = attention_ref.causal_mask(2, 5, alignment="lower-right")
same_padding = attention_ref.padding_mask(lengths, 5)
print("causal: ", np.array_equal(causal_mask(2, 5), same_causal))
print("padding:", np.array_equal(padding_mask(lengths, 5), same_padding))

# %% [markdown] tags=["expected"]
# ```output
# causal:  True
# padding: True
# ```

# %% [markdown]
# ## Three things to try
#
# - Make a mask that lets each word see itself and the two before it. Combine it with the padding mask.
# - Hide *everything* from one query. What do your weights become? [Numerics](numerics.py) repairs that.
# - Turn the causal mask over with `.T`. Which sentence does the check say?
#
# Go on with [Heads and shapes](heads-and-shapes.py).
