# ---
# title: Attention by hand
# description: A workbook. Write scores, softmax and attention yourself in NumPy; checks say what is wrong and why.
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Attention by hand
#
# You write attention in three small functions, and nothing of it is a black box afterwards.
# Each function has a check that calls it with numbers of its own.
# If something is wrong, the check says *what*, in one sentence.
#
# You need a little NumPy: shapes, `@` and `axis`.
# Everything else is in [Attention in small numbers](../lessons/small-numbers.md).
#
# ## The story
#
# Two readers come to a cabinet with five drawers.
# Each drawer has a *label* on its front and a *sheet* inside.
# Each reader has a *wish*, and leaves with a mixture of the sheets: a lot from drawers whose labels fit the wish, little from the others.
#
# Wishes are queries, labels are keys, sheets are values.
# Queries and keys have two numbers each, so that they can be compared; a sheet has three.

# %%
import numpy as np

from attention_ref.exercises import check_attention, check_scores, check_softmax

query = np.array([[2.0, 0.0], [1.0, 1.0]])
key = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0], [2.0, 1.0]])
value = np.array(
    [
        [9.0, 0.0, 0.0],
        [0.0, 9.0, 0.0],
        [0.0, 0.0, 9.0],
        [3.0, 3.0, 3.0],
        [5.0, 0.0, 5.0],
    ]
)
print("query", query.shape, "key", key.shape, "value", value.shape)

# %% [markdown] tags=["expected"]
# ```output
# query (2, 2) key (5, 2) value (5, 3)
# ```

# %% [markdown]
# ## Compare: scores
#
# How well does a label fit a wish?
# Multiply number by number and add up: the dot product.
# For all pairs at once that is one matrix product, with queries on the rows and keys on the columns.
#
# Wider vectors give larger sums, only because there is more to add.
# So each dot product is divided by the square root of the width:
#
# $$ S = \frac{Q K^\top}{\sqrt{d}} $$
#
# **Predict:** which drawer fits the first reader's wish best?


# %%
def scores(query, key):
    # Your turn: return the dot products of all pairs, divided by the square root of the width.
    # solution
    return query @ key.T / np.sqrt(query.shape[-1])
    # end of solution


check_scores(scores)
print(scores(query, key).round(3))


# %% [markdown] tags=["expected"]
# ```output
# Right: scores passes all 3 cases.
# [[ 1.414  0.     1.414 -1.414  2.828]
#  [ 0.707  0.707  1.414 -0.707  2.121]]
# ```

# %% [markdown]
# The last drawer wins for both readers: its label is long and points the right way.
# The fourth label points away from the first wish, so its score is negative.
#
# ## Share out: softmax
#
# Scores can be negative, and they do not add up to anything.
# A reader has *one* whole to share out among the drawers, so we want positive numbers that sum to one:
#
# $$ W_{ij} = \frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}} $$
#
# Each reader shares out separately.
# Along which axis must you sum?


# %%
def softmax(scores):
    # Your turn: return the exponentials, divided by their sum along the last axis.
    # solution
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)
    # end of solution


check_softmax(softmax)
weights = softmax(scores(query, key))
print(weights.round(3))
print("rows sum to", weights.sum(axis=-1).round(6))


# %% [markdown] tags=["expected"]
# ```output
# Right: softmax passes all 4 cases.
# [[0.156 0.038 0.156 0.009 0.641]
#  [0.119 0.119 0.242 0.029 0.491]]
# rows sum to [1. 1.]
# ```

# %% [markdown]
# No weight is zero: even the drawer that points away gets a little.
# If you want a key to have no weight at all, you need a mask; that is [the next workbook](masks.py).
#
# Here are the same weights as a picture.
# Each row is one reader, and the darker a cell, the more that reader takes from that drawer.

# %% figure="Weights of two readers over five drawers. The last drawer is the darkest in both rows, the fourth the palest." caption="The weights of both readers."
from attention_ref.plotting import heatmap

axes = heatmap(
    weights,
    query_labels=["reader 1", "reader 2"],
    key_labels=["drawer 1", "drawer 2", "drawer 3", "drawer 4", "drawer 5"],
    title="Who takes how much from where",
)

# %% [markdown]
# ## Mix: attention
#
# Now each reader gets what was promised: the sheets, mixed by the weights.
# That is one more matrix product, and with it you have all of attention.


# %%
def attention(query, key, value):
    # Your turn: return the values, averaged by the weights; call your two functions.
    # solution
    return softmax(scores(query, key)) @ value
    # end of solution


check_attention(attention)
print(attention(query, key, value).round(3))

# %% [markdown] tags=["expected"]
# ```output
# Right: attention passes all 3 cases.
# [[4.636 0.369 4.636]
#  [3.613 1.16  4.717]]
# ```

# %% [markdown]
# The mixture has the width of a sheet, whatever the width of the labels is.
#
# ## Compare with the reference
#
# The package that this site runs has the same function, with many more options.
# Yours must agree with it to the last digits.

# %%
import attention_ref

reference = attention_ref.scaled_dot_product_attention(query, key, value)
print("same as the reference:", np.allclose(attention(query, key, value), reference))

# %% [markdown] tags=["expected"]
# ```output
# same as the reference: True
# ```

# %% [markdown]
# ## Three things to try
#
# Change the numbers above and run the cells again.
#
# - Make a label twice as long, in the same direction. Who gets more, and who pays for it?
# - Add the same number to all scores of one reader. Why does nothing change?
# - Put the drawers in another order, labels and sheets alike. What happens to the mixture?
#
# Go on with [Masks](masks.py), or read [The attention mechanism](../lessons/attention-mechanism.md).
