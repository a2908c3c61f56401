"""Translations between our conventions and other libraries'.

Nothing here imports those libraries: arrays are told apart by their own methods,
and a torch layer by the attributes that it has.
"""

from __future__ import annotations
