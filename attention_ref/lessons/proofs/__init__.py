"""Proofs that the checks bite: nothing unchecked on a page, no change unnoticed."""
