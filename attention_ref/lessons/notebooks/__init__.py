"""Jupyter notebooks: workbooks with exercises, and lessons for download."""
