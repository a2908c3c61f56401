"""The words between the braces after ```` ```python ````.

A block says in braces how it is meant to be run and shown. An option that nobody
knows is an error: a misspelled one would otherwise switch a check off in silence.
"""

import difflib
import re
from dataclasses import dataclass, field, fields

FLAGS = ("continues", "gpu", "illustration")
# Material for MkDocs understands these; they are handed on as they are.
THEME = ("title", "hl_lines", "linenums")
TEXTS = (
    *("figure", "caption", "raises", "warns"),
    *("recorded", "skip", "download", "timeout"),
)

_OPTION = re.compile(
    r"""\s*(?:\.(?P<flag>[\w-]+)|(?P<name>[\w-]+)="(?P<text>[^"]*)")"""
)


class OptionError(ValueError):
    """An option that cannot be understood: what, and what would be right."""


@dataclass(frozen=True, slots=True)
class Options:
    """How one block is to be run and shown."""

    continues: bool = False
    gpu: bool = False
    illustration: bool = False
    figure: str | None = None
    caption: str | None = None
    raises: str | None = None
    warns: str | None = None
    recorded: str | None = None
    skip: str | None = None
    download: str | None = None
    timeout: float | None = None
    theme: dict[str, str] = field(default_factory=dict)

    @property
    def shown_caption(self) -> str:
        """The caption without the comments of its checked numbers."""
        return re.sub(r"<!--.*?-->", "", self.caption or "")

    @property
    def runs_in_build(self) -> bool:
        """Whether a build runs the block, rather than show a recording or nothing."""
        return not (self.gpu or self.recorded is not None or self.skip is not None)


def parse_options(text: str) -> Options:
    """Read what stands between the braces.

    Args:
        text: The options without their braces, such as `.continues title="Step 2"`.

    Returns:
        The options, each with its default where it was not given.

    Raises:
        OptionError: If a word is no option, an option is given twice, or the options
            contradict each other.
    """
    given: dict[str, str | bool] = {}
    theme: dict[str, str] = {}
    position = 0
    text = text.strip()
    if "\\" in text:
        raise OptionError("a backslash cannot stand in an option. Use “ ” for quotes")
    while position < len(text):
        match = _OPTION.match(text, position)
        if match is None or (match.start() and not text[position].isspace()):
            rest = text[position:].strip()
            raise OptionError(
                f'options must be words like .continues or name="text", got {rest!r}. '
                "Check the quotes and the spaces between options"
            )
        position = match.end()
        name, value = _known(match["flag"], match["name"], match["text"])
        if name in given or name in theme:
            raise OptionError(f"option {name} must stand once, got it twice")
        if name in THEME:
            theme[name] = str(value)
        else:
            given[name] = value
    return _checked(given, theme)


def _known(flag: str | None, name: str | None, text: str) -> tuple[str, str | bool]:
    word = flag or name or ""
    known, form = (FLAGS, ".{}") if flag else ((*TEXTS, *THEME), '{}="…"')
    if word in known:
        return word, True if flag else text
    choices = [form.format(each) for each in known]
    close = difflib.get_close_matches(
        word, [f.name for f in fields(Options)] + list(THEME)
    )
    hint = (
        f"Did you mean {_spelled(close[0])}?" if close else f"Use {', '.join(choices)}"
    )
    raise OptionError(f"unknown option {form.format(word)}. {hint}")


def _spelled(name: str) -> str:
    return f".{name}" if name in FLAGS else f'{name}="…"'


def _checked(given: dict[str, str | bool], theme: dict[str, str]) -> Options:
    for name, value in given.items():
        if isinstance(value, str) and not value.strip():
            wanted = "a text alternative" if name == "figure" else "a text"
            raise OptionError(f'option {name}="" must hold {wanted}')
    seconds = _seconds(given.pop("timeout", None))
    options = Options(**given, timeout=seconds, theme=theme)  # type: ignore[arg-type]
    if options.download and not re.fullmatch(r"\w[\w.-]*", options.download):
        raise OptionError(
            f'download must be a file name such as script.py, got "{options.download}"'
        )
    if options.caption is not None and options.figure is None:
        raise OptionError('caption="…" must stand with figure="text alternative"')
    ways = [w for w in ("recorded", "skip") if w in given] + ["gpu"] * options.gpu
    if len(ways) > 1:
        names = " and ".join(_spelled(way) for way in ways)
        raise OptionError(f"a block must be run in one way, got {names}. Keep one")
    return options


def _seconds(text: str | bool | None) -> float | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d+(\.\d+)?", str(text)) or not float(str(text)):
        raise OptionError(f'timeout must be a number of seconds, got "{text}"')
    return float(str(text))
