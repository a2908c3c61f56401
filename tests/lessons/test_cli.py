import pytest

from attention_ref.lessons.cli import main

GOOD = (
    "# Page\n\n```python\nx = 2\nprint(x)\n```\n\n```output\n2\n```\n\n2<!-- = x -->\n"
)
BAD = GOOD.replace("```output\n2", "```output\n3")


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run the command in a folder with some pages; status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **pages: str) -> tuple[int, str, str]:
        for name, text in pages.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.with_suffix(".md").write_text(text)
        status = main(arguments)
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return run


# verify


def test_true_pages_are_counted(command):
    status, out, _ = command("verify", "a.md", "docs", a=GOOD, docs__b=GOOD)
    assert (status, out) == (
        0,
        "2 pages, 2 of 2 blocks verified, 2 of 2 inline checks verified, 0 problems\n",
    )


def test_a_false_page_is_named_with_line_and_difference(command):
    status, out, _ = command("verify", "docs", docs__bad=BAD, docs__good=GOOD)
    assert status == 1
    assert out == (
        "docs/bad.md:8: output differs from what the page says. "
        "If the new output is right, run: attention-ref update docs/bad.md\n"
        "--- expected\n+++ actual\n@@ -1 +1 @@\n-3\n+2\n\n"
        "2 pages, 1 of 2 blocks verified, 2 of 2 inline checks verified, 1 problems\n"
    )


def test_a_page_that_cannot_be_read_is_named_with_its_line(command):
    status, out, err = command("verify", "a.md", a="Text\n\n```python\n")
    assert (status, out) == (1, "")
    assert err == "a.md:3: the fence must be closed by a line ```. Add it\n"


def test_a_page_that_readers_would_see_otherwise_is_refused(command):
    status, _, err = command(
        "verify", "a.md", a="Text\n\n    ```python\n    x\n    ```"
    )
    assert status == 1
    assert err.startswith("a.md:3: the code that a reader sees here must be the code")


def test_a_path_that_does_not_exist_is_a_wrong_call(command):
    status, _, err = command("verify", "nowhere")
    expected = "attention-ref: nowhere must be a page or a folder, and there is nothing"
    assert (status, err) == (2, f"{expected}\n")


def test_a_call_without_a_command_is_explained(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "usage: attention-ref" in capsys.readouterr().err


def test_time_can_be_limited(command):
    status, out, _ = command(
        "verify", "--timeout", "0.5", "a.md", a="```python\nwhile True: pass\n```\n"
    )
    assert status == 1
    assert out.startswith("a.md:1: the block was stopped after 0.5 seconds\n")


def test_a_page_is_not_changed_by_verifying_it(command, tmp_path):
    command("verify", "a.md", a=BAD)
    assert (tmp_path / "a.md").read_text() == BAD


# update


def test_an_update_writes_and_shows_what_changed(command, tmp_path):
    status, out, _ = command("update", "a.md", "b.md", a=BAD, b=GOOD)
    assert status == 0
    assert out == "--- a.md\n+++ a.md\n@@ -8,3 +8,3 @@\n ```output\n-3\n+2\n ```\n"
    assert (tmp_path / "a.md").read_text() == GOOD


def test_an_update_refuses_what_fails_and_says_so(command, tmp_path):
    failing = GOOD.replace("x = 2", "x = 2 / 0")
    status, out, _ = command("update", "a.md", "b.md", a=failing, b=BAD)
    assert status == 1
    assert out.startswith("a.md:4: ZeroDivisionError: division by zero\n")
    assert (tmp_path / "a.md").read_text() == failing
    assert (tmp_path / "b.md").read_text() == GOOD


def test_a_page_that_changes_while_it_runs_is_left_alone(command, tmp_path):
    code = f"from pathlib import Path\nPath({str(tmp_path / 'a.md')!r}).write_text('x')"
    page = f"```python\n{code}\nprint(1)\n```\n"
    status, _, err = command("update", "--no-cache", "a.md", a=page)
    assert status == 1
    expected = "a.md:1: the page has changed while its blocks ran. Run the update again"
    assert err.endswith(f"{expected}\n")
    assert (tmp_path / "a.md").read_text() == "x"
