"""What the engine says when a page cannot be read, run or trusted."""


class PageError(ValueError):
    """A page that must not be published as it stands: where, what, and what to do.

    Attributes:
        path: The page, as the caller named it.
        line: The line of the page, counted from 1.
        message: What is wrong, and what to do.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message

    def __reduce__(self) -> tuple[type, tuple[str, int, str]]:
        return type(self), (self.path, self.line, self.message)
