"""Reads a docstring's section `Example` as Griffe reads `Examples`: code that runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from griffe import Extension

if TYPE_CHECKING:
    from griffe import Object

_HEADING = re.compile(r"^Example:$", re.MULTILINE)


class ExampleSections(Extension):
    """Renames the section before Griffe looks for sections."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rename the section of one object's docstring."""
        if obj.docstring:
            obj.docstring.value = _HEADING.sub("Examples:", obj.docstring.value)
