"""The report says of every block and every number what became of it."""

import pytest

from attention_ref.lessons.publishing import report

PAGE = """
    # A page

    ```python
    x = 2
    print(x)
    ```

    ```output
    2
    ```

    Two is 2<!-- = x -->, in 2017<!-- ! year -->.

    ```python {skip="for another day"}
    print(3)
    ```
"""


@pytest.fixture
def results(verify):
    return [verify(PAGE)]


def test_every_block_and_check_is_listed(results):
    [page] = report.as_data(results)["pages"]

    assert [(b["line"], b["state"]) for b in page["blocks"]] == [
        (4, "verified"),
        (15, "skipped"),
    ]
    assert page["checks"] == [
        {"line": 13, "token": "2", "expression": "x", "state": "verified"}
    ]
    assert page["exemptions"] == [{"line": 13, "token": "2017", "reason": "year"}]


def test_the_schema_is_the_documented_one(results):
    data = report.as_data(results)

    assert list(data) == ["schema", "commit", "versions", "totals", "pages"]
    assert data["schema"] == 1
    assert data["versions"]["Python"].count(".") == 2
    assert data["totals"] == {
        "pages": 1,
        "blocks": 2,
        "checks": 1,
        "exemptions": 1,
        "blocks verified": 1,
        "outputs": 1,
        "figures": 0,
        "blocks skipped": 1,
        "checks verified": 1,
    }


def test_the_sentence_says_what_was_done(results):
    assert report.sentence(results) == (
        "1 block run, 1 output compared, 1 number in the text checked"
    )


def test_a_failure_is_told_with_its_problem(verify):
    result = verify(PAGE.replace("Two is 2", "Two is 3"))

    [check] = report.as_data([result])["pages"][0]["checks"]

    assert check["state"] == "failed"


def test_the_page_lists_what_was_not_run(results):
    text = report.as_markdown(results, report.as_data(results))

    assert "| `page.md` | 2 | 1 | 0 | 1 | 1 | 1 |" in text
    assert "- `page.md`, line 15: not run: for another day." in text


def test_the_slowest_blocks_come_first(verify):
    result = verify("""
        ```python
        x = 1
        ```

        ```python
        import time
        time.sleep(0.2)
        ```
    """)

    assert [line.partition(": ")[0] for line in report.slowest([result])] == [
        "page.md:6",
        "page.md:2",
    ]
