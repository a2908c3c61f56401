import pytest

from attention_ref.lessons.pages.options import OptionError, Options, parse_options


def message(text: str) -> str:
    with pytest.raises(OptionError) as caught:
        parse_options(text)
    return str(caught.value)


def test_no_options_leave_every_default():
    assert parse_options("") == Options()


def test_flags_and_texts_stand_in_any_order():
    options = parse_options(' caption="Weights" .continues figure="A heatmap" ')
    assert options == Options(continues=True, figure="A heatmap", caption="Weights")


def test_every_flag_is_understood():
    assert parse_options(".continues .illustration").illustration
    assert parse_options(".gpu").gpu


@pytest.mark.parametrize(
    "name", ["figure", "raises", "warns", "recorded", "skip", "download"]
)
def test_every_text_is_understood(name):
    assert getattr(parse_options(f'{name}="text"'), name) == "text"


def test_options_of_the_theme_are_handed_on():
    options = parse_options('title="Step 2" hl_lines="1-3" linenums="1"')
    assert options.theme == {"title": "Step 2", "hl_lines": "1-3", "linenums": "1"}


def test_a_title_may_be_empty_of_meaning_but_not_of_quotes():
    assert parse_options('title=" = {x} > `y` "').theme == {"title": " = {x} > `y` "}


def test_timeout_is_a_number_of_seconds():
    assert parse_options('timeout="2.5"').timeout == 2.5


@pytest.mark.parametrize(
    ("text", "runs"),
    [("", True), (".gpu", False), ('recorded="slow"', False), ('skip="no"', False)],
)
def test_only_recorded_gpu_and_skipped_blocks_stay_out_of_a_build(text, runs):
    assert parse_options(text).runs_in_build is runs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".continue", "unknown option .continue. Did you mean .continues?"),
        ('raise="E"', 'unknown option raise="…". Did you mean raises="…"?'),
        (".figure", 'unknown option .figure. Did you mean figure="…"?'),
        ('continues="yes"', 'unknown option continues="…". Did you mean .continues?'),
        (".wat", "unknown option .wat. Use .continues, .gpu, .illustration"),
    ],
)
def test_an_unknown_option_is_answered_with_the_right_one(text, expected):
    assert message(text) == expected


def test_an_unknown_text_is_answered_with_all_of_them():
    assert message('wat="1"') == (
        'unknown option wat="…". Use figure="…", caption="…", raises="…", '
        'warns="…", recorded="…", skip="…", download="…", timeout="…", title="…", '
        'hl_lines="…", linenums="…"'
    )


@pytest.mark.parametrize("text", [".gpu .gpu", 'title="a" title="b"'])
def test_an_option_stands_once(text):
    name = "gpu" if "gpu" in text else "title"
    assert message(text) == f"option {name} must stand once, got it twice"


def test_a_backslash_is_refused():
    expected = "a backslash cannot stand in an option. Use “ ” for quotes"
    assert message(r'title="a \"b\""') == expected


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("continues", "continues"),
        ('figure="open', 'figure="open'),
        ("figure=bare", "figure=bare"),
        ("figure='single'", "figure='single'"),
        (".continues.gpu", ".gpu"),
        ('raises="A"warns="B"', 'warns="B"'),
        (".continues, .gpu", ", .gpu"),
    ],
)
def test_anything_else_is_refused(text, rest):
    assert message(text) == (
        f'options must be words like .continues or name="text", got {rest!r}. '
        "Check the quotes and the spaces between options"
    )


def test_a_figure_needs_a_text_alternative():
    assert message('figure=" "') == 'option figure="" must hold a text alternative'


@pytest.mark.parametrize("name", ["caption", "raises", "skip", "recorded"])
def test_a_text_must_not_be_empty(name):
    assert message(f'{name}=""') == f'option {name}="" must hold a text'


@pytest.mark.parametrize("text", ["ten", "-1", "1e3", "0"])
def test_timeout_must_be_a_number_of_seconds(text):
    expected = f'timeout must be a number of seconds, got "{text}"'
    assert message(f'timeout="{text}"') == expected


def test_a_caption_needs_a_figure():
    expected = 'caption="…" must stand with figure="text alternative"'
    assert message('caption="Weights"') == expected


def test_a_block_is_run_in_one_way():
    assert message('.gpu skip="no"') == (
        'a block must be run in one way, got skip="…" and .gpu. Keep one'
    )


@pytest.mark.parametrize("name", ["../x.py", "a/b.py", ".hidden", "x y.py"])
def test_a_download_is_a_plain_file_name(name):
    assert message(f'download="{name}"') == (
        f'download must be a file name such as script.py, got "{name}"'
    )
