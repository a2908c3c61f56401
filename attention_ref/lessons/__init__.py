"""Runs lesson pages: knows pages and blocks, nothing of attention."""
