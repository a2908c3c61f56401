"""What the site's own hooks write: the policy, the plain copies, the sections."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

HOOKS = Path(__file__).parents[2] / "hooks"


def hook(name: str):
    spec = importlib.util.spec_from_file_location(name, HOOKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_policy_knows_the_scripts_that_run_and_no_others():
    page = (
        "<script>run()</script>"
        '<script src="file.js"></script>'
        '<script type="application/json">{}</script>'
    )

    digest = hashlib.sha256(b"run()").digest()
    assert hook("policy").script_hashes(page) == {base64.b64encode(digest).decode()}


def test_every_page_gets_the_hashes_of_all_pages(tmp_path):
    policy = hook("policy")
    for name in ("one", "two"):
        text = f"{policy.MARKER}<script>{name}()</script>"
        (tmp_path / f"{name}.html").write_text(text)

    policy.on_post_build(SimpleNamespace(site_dir=str(tmp_path)))

    one, two = ((tmp_path / f"{name}.html").read_text() for name in ("one", "two"))
    assert one.partition("<script>")[0] == two.partition("<script>")[0]
    assert one.count("'sha256-") == 2
    assert policy.MARKER not in one


def test_plain_copy_has_no_settings_and_keeps_formulas():
    source = "---\ntitle: T\n---\n\n# Title\n\n$a_{ij} < b$ and `---`\n"

    assert hook("plain_copies").plain(source) == "# Title\n\n$a_{ij} < b$ and `---`\n"


def test_plain_copy_has_the_docstrings_that_the_page_shows():
    text = hook("plain_copies").plain("# A\n\n::: attention_ref.softmax\n")

    assert "## softmax\n\n`softmax(scores" in text
    assert ":::" not in text
    assert "Example:" in text


def test_page_without_a_description_stops_the_build_and_is_named():
    plain_copies = hook("plain_copies")
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"), meta={}, title="A")

    with pytest.raises(plain_copies.PluginError, match=r"^a\.md:1: the page must have"):
        plain_copies._line(SimpleNamespace(site_url=""), page)


def test_example_section_becomes_one_that_griffe_reads():
    docstring = SimpleNamespace(value="Say.\n\nExample:\n    >>> 1\n    1\n")
    extension = hook("docstring_examples").ExampleSections()

    extension.on_object(obj=SimpleNamespace(docstring=docstring))

    assert docstring.value == "Say.\n\nExamples:\n    >>> 1\n    1\n"
