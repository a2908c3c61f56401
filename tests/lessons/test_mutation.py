import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_pages import parsed

from attention_ref.lessons.cli import main
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.parsing import parse_page
from attention_ref.lessons.proofs.mutation import (
    Mutation,
    code_mutations,
    said_mutations,
)
from attention_ref.lessons.proofs.noticing import (
    sample,
    try_changes,
    unnoticed_in_code,
    unnoticed_in_text,
)
from attention_ref.lessons.proofs.survivors import Survivor, known, read_survivors
from attention_ref.lessons.running.run import Settings

PAGE = """\
# Half of a negative number

```python
x = -7.5
print("half", x / 2, [x < 0])
```

```output
half -3.75 [True]
```

Half of it is −3.75<!-- = x / 2 -->, the pair is (−7.5, 2)<!-- = (x, 2) -->, in 2017.
"""
SETTINGS = Settings(timeout=20)


def changes_of_code(code: str) -> list[str]:
    """What the code of a page with one block becomes."""
    page = parsed(f"```python\n{code}\n```\n")
    sources = [mutation.apply().blocks[0].source for mutation in code_mutations(page)]
    return [source.rstrip("\n") for source in sources]


# Which changes there are


def test_digits_signs_dots_and_brackets_of_what_is_said_are_changed():
    said = [(m.before[:13], m.after[:13]) for m in said_mutations(parsed(PAGE))][:7]
    assert said == [
        ("half -3.75 [T", "half +3.75 [T"),
        ("half -3.75 [T", "half -4.75 [T"),
        ("half -3.75 [T", "half -3,75 [T"),
        ("half -3.75 [T", "half -3.85 [T"),
        ("half -3.75 [T", "half -3.76 [T"),
        ("half -3.75 [T", "half -3.75 (T"),
        ("half -3.75 [T", "half -3.75 [T"),
    ]


def test_checked_numbers_are_changed_and_other_numbers_are_not():
    tokens = [
        mutation.after.partition("<")[0].removeprefix("Half of it is ")
        for mutation in said_mutations(parsed(PAGE))
        if mutation.before.startswith("Half")
    ]
    assert tokens[:5] == ["+3.75", "−4.75", "−3,75", "−3.85", "−3.76"]
    assert len(tokens) == 5 + len("(−7.5") + len("2)")
    assert not any(
        "2018" in mutation.after for mutation in said_mutations(parsed(PAGE))
    )


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("y = 39", ["y = 49", "y = 30"]),
        ("y = 1e-9", ["y = 2e-9", "y = 1e-0"]),
        ("y = a + b - c", ["y = a - b - c", "y = a + b + c"]),
        ("y = a @ b / c", ["y = a * b / c", "y = a @ b * c"]),
        ("y = a // b", ["y = a * b"]),
        ("y = a**b", ["y = a*b"]),
        ("y = -a", ["y = +a"]),
        ("y = a <= b", ["y = a >= b"]),
        ("y = a and b or c", ["y = a or b or c", "y = a and b and c"]),
        ("y = a == True", ["y = a != True", "y = a == False"]),
        ("y = (a) & b[c] | d", ["y = (a) | b[c] | d", "y = (a) & b[c] & d"]),
        ("y += a", ["y -= a"]),
        ("y = f(*a, **b)", []),
        ("def f(a, *, b): ...", []),
        ("@f\ndef g() -> None: ...", []),
        ("y = 'a - 3'  # b + 4", []),
        ("y = f'{a + 3:.4f}'", []),
        ("y = f'{a}' * 3", ["y = f'{a}' / 3", "y = f'{a}' * 4"]),
        ("y = 10", ["y = 20", "y = 11"]),
        ("y = 0x3", ["y = 0x4"]),
    ],
)
def test_constants_and_operators_of_code_are_changed(code, changed):
    assert changes_of_code(code) == changed


def test_code_that_python_cannot_read_is_no_change():
    assert changes_of_code("y = 90") == ["y = 00", "y = 91"]
    assert changes_of_code("y = 95") == ["y = 96"]


def test_an_indented_block_is_changed_where_it_stands():
    text = "- item\n\n    ```python\n    if a:\n\n        y = 3\n    ```\n"
    [mutation] = code_mutations(parsed(text))
    assert (mutation.line, mutation.before, mutation.after) == (6, "y = 3", "y = 4")
    assert mutation.apply().blocks[0].source == "if a:\n\n    y = 4\n"


def test_a_block_that_is_not_python_is_not_changed():
    text = '```python {raises="SyntaxError"}\n(3\n```\n'
    assert not list(code_mutations(parsed(text)))


def test_a_block_that_does_not_run_is_not_changed():
    assert not list(code_mutations(parsed('```python {skip="slow"}\ny = 3\n```\n')))


@given(st.text("0123456789+-.[]() \n", max_size=40), st.data())
def test_a_change_leaves_all_other_characters(printed, data):
    text = f"```python\nprint()\n```\n\n```output\n{printed}\n```\n"
    changes = list(said_mutations(parse_page(text, "page.md")))
    wanted = sum(character in "0123456789+-.[]()" for character in printed)
    assert len(changes) == wanted
    if changes:
        changed = data.draw(st.sampled_from(changes)).text
        assert len(changed) == len(text)
        assert sum(a != b for a, b in zip(text, changed, strict=True)) == 1


# Which are drawn


def test_a_larger_sample_holds_the_smaller_one():
    changes = list(said_mutations(parsed(PAGE)))
    three, five = sample(changes, 3, seed=1), sample(changes, 5, seed=1)
    assert len(three) == 3
    assert len(five) == 5
    assert all(change in five for change in three)
    assert [m.start for m in five] == sorted(m.start for m in five)
    assert sample(changes, 5, seed=2) != five


def test_without_a_number_all_are_drawn():
    changes = list(said_mutations(parsed(PAGE)))
    assert sample(changes, None, seed=1) == changes
    assert sample(changes, 1000, seed=1) == changes


def test_a_sample_hardly_changes_with_the_page():
    def drawn(text: str) -> set[str]:
        return {m.after for m in sample(list(said_mutations(parsed(text))), 6, seed=0)}

    assert drawn(PAGE) == drawn(PAGE.replace("# Half", "Some prose.\n\n# Half"))


# Which are noticed


def test_every_change_of_what_is_said_is_noticed(verify):
    result = verify(PAGE)
    assert not result.problems
    assert unnoticed_in_text(result, list(said_mutations(result.page))) == []


def test_a_change_that_breaks_the_page_is_noticed(verify):
    result = verify("```python\nx = 3\n```\n\nIt is 3<!-- = x -->.\n")
    token = result.page.checks[0].start
    breaking = Mutation(result.page, token, token + 1, " ")
    with pytest.raises(PageError):
        breaking.apply()
    assert unnoticed_in_text(result, [breaking]) == []


def test_a_tolerance_hides_no_change(verify):
    text = '```python\nprint("a-3.1")\n```\n\n```output {approx="0.04"}\na-3.1\n```\n'
    result = verify(text)
    assert unnoticed_in_text(result, list(said_mutations(result.page))) == []


def test_a_change_of_code_is_noticed_by_output_check_and_assert(runner):
    text = """\
        ```python
        x = 3
        print(x)
        ```

        ```output
        3
        ```

        ```python {.continues}
        y = 4
        assert y < 5
        unused = 6
        ```

        It is 12<!-- = x * y -->.
        """
    changes = list(code_mutations(parsed(text)))
    unnoticed = unnoticed_in_code(changes, SETTINGS, runner)
    assert [(m.line, m.after) for m in unnoticed] == [
        (12, "assert y < 6"),
        (13, "unused = 7"),
    ]


def test_a_change_is_noticed_by_the_blocks_that_continue(runner):
    text = """\
        ```python
        x = 3
        ```

        ```python {.continues}
        assert x == 3
        ```
        """
    first = next(code_mutations(parsed(text)))
    assert unnoticed_in_code([first], SETTINGS, runner) == []


def test_a_change_that_never_ends_is_noticed(runner):
    text = "```python\nx = 0\nwhile x < 9:\n    x += 9\n```\n"
    [forever] = [m for m in code_mutations(parsed(text)) if m.after == "x -= 9"]
    assert unnoticed_in_code([forever], Settings(timeout=0.5), runner) == []


# Which are known


def test_a_survivor_is_known_by_its_section_and_lines(tmp_path):
    file = tmp_path / "survivors.toml"
    file.write_text(
        '[[survivor]]\npage = "page.md"\nsection = "Two"\nline = "y = 39"\n'
        'becomes = ["y = 49", "y = 30"]\nreason = "nothing uses y"\n',
        "utf-8",
    )
    survivors = read_survivors(file)
    assert survivors == [
        Survivor("page.md", "Two", "y = 39", "y = 49", "nothing uses y"),
        Survivor("page.md", "Two", "y = 39", "y = 30", "nothing uses y"),
    ]
    text = "## Two\n\n```python\n# Three\nif x:\n    y = 39\n    z = 39\n```\n"
    found = [known(each, survivors) for each in code_mutations(parsed(text))]
    assert found == [*survivors, None, None]
    elsewhere = parsed(text.replace("Two", "Two more"))
    assert not any(known(each, survivors) for each in code_mutations(elsewhere))


def test_a_trial_tells_known_changes_from_unknown_ones(verify, runner):
    result = verify("```python\nx = 3\ny = 4\n```\n")
    trial = try_changes(result, None, 0, SETTINGS, runner)
    survivors = [Survivor("page.md", "", "x = 3", "x = 4", "nothing uses x")]
    assert [mutation.after for mutation in trial.unknown(survivors)] == ["y = 5"]
    assert trial.as_text(survivors) == (
        "page.md: outputs and checked numbers: 0 changes tried, 0 unnoticed\n"
        "page.md: code: 2 changes tried, 2 unnoticed\n"
        "page.md:2: nothing uses x\n"
        "  - x = 3\n"
        "  + x = 4\n"
        "page.md:3: nobody noticed\n"
        "  - y = 4\n"
        "  + y = 5"
    )


def test_the_command_fails_until_every_unnoticed_change_has_a_reason(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 3\n```\n", "utf-8")
    assert main(["mutate", "page.md"]) == 1
    assert "page.md:2: nobody noticed\n" in capsys.readouterr().out
    (tmp_path / "known.toml").write_text(
        '[[survivor]]\npage = "page.md"\nsection = ""\nline = "x = 3"\n'
        'becomes = ["x = 4"]\nreason = "nothing uses x"\n',
        "utf-8",
    )
    assert main(["mutate", "--all", "page.md", "--survivors", "known.toml"]) == 0
    assert "page.md:2: nothing uses x\n" in capsys.readouterr().out


def test_the_command_refuses_a_page_that_is_untrue(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text("```python\n1 / 0\n```\n", "utf-8")
    assert main(["mutate", "page.md"]) == 1
    assert "page.md:2: ZeroDivisionError" in capsys.readouterr().out
