"""Both readers of the command line agree, and what they refuse is told with a way out."""

import contextlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.cli import typer_app, words
from memcli.cli.grammar import Call, is_option
from memcli.cli.parse import parse
from memcli.errors import Usage

WORDS = ["a", "-", "--", "- buy milk", "->method(", "--help", "x=y", "", "-1", "é", "zz\tz", "---", "-=", "5"]


def flags():
    every = [*words.COMMON, *(option for verb in words.all_verbs() for option in verb.options)]
    found = [flag for option in every for flag in option.flags]
    return sorted({*found, *(f"{flag}=5" for flag in found), "-l0", "-k5", "-qv", "-n3", "--nope", "-x"})


ARGV = st.builds(
    lambda before, verb, after: [*before, *verb, *after],
    st.lists(st.sampled_from(["--json", "--store", "p", "-q", "--scope=user", "--"]), max_size=2),
    st.lists(st.sampled_from([*words.FAMILY, "nope"]), min_size=0, max_size=1),
    st.lists(st.sampled_from([*WORDS, *flags()]), max_size=5),
)


def light(argv):
    try:
        return parse(argv)
    except Usage as error:
        return error.message


def typers(argv):
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return typer_app.read(argv)
        except Usage as error:
            return error.message


@pytest.fixture(scope="module", autouse=True)
def _one_app():
    made = typer_app.command()
    patch = pytest.MonkeyPatch()
    patch.setattr(typer_app, "command", lambda: made)
    yield
    patch.undo()


@given(ARGV)
@settings(max_examples=300, deadline=None)
def test_the_light_reader_and_typer_read_the_same(argv):
    one, other = light(argv), typers(argv)
    if isinstance(one, Call):
        assert isinstance(other, Call), (argv, other)
        assert (one.verb, one.values) == (other.verb, other.values)
    elif isinstance(one, str):
        assert one == other
    else:
        assert not isinstance(other, Call), (argv, other)


@pytest.mark.case("P-CLI-02")
def test_text_after_a_dash_that_is_no_option_is_text():
    assert parse(["remember", "- buy milk"]).texts("text") == ("- buy milk",)
    assert parse(["recall", "->method("]).texts("query") == ("->method(",)
    assert parse(["remember", "--", "--help"]).texts("text") == ("--help",)
    assert not is_option("-")


def test_common_options_stand_before_or_after_the_verb():
    for argv in (
        ["--json", "--store", "p", "list"],
        ["list", "--json", "--store=p"],
        ["--json", "list", "--store", "p"],
    ):
        call = parse(argv)
        assert (call.flag("json"), call.text("store")) == (True, "p")


def test_the_option_after_the_verb_wins():
    assert parse(["--scope", "user", "list", "--scope", "global"]).text("scope") == "global"


@pytest.mark.parametrize(
    "argv",
    [
        ["recall", "x", "--json", "-l"],
        ["recall", "x", "--prompt", "--ids"],
        ["recall", "x", "-q", "-l"],
        ["recall", "x", "-q", "-v"],
        ["list", "--json", "--format", "{id}"],
        ["remember", "x", "--batch", "-"],
        ["remember", "--batch", "-", "--concept", "c"],
        ["remember", "x", "--supersede-concept"],
        ["init", "--branch", "b", "--here"],
        ["show", "-0", "abcd"],
        ["show", "abcd", "--stdin"],
        ["supersede", "abcd", "efgh", "--with", "x"],
    ],
)
def test_contradictions_are_refused(argv):
    with pytest.raises(Usage):
        parse(argv)


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5", "", "99999999999", "٣"])
def test_a_count_is_a_whole_number_from_one(value):
    with pytest.raises(Usage, match="-k cannot be"):
        parse(["recall", "x", f"-k{value}" if value else "-k", *([] if value else [""])])


@pytest.mark.parametrize("value", ["nan", "inf", "-0.5", "1.01", "x", ""])
def test_a_floor_is_a_number_from_0_to_1(value):
    with pytest.raises(Usage, match="--floor cannot be"):
        parse(["recall", "x", f"--floor={value}"])


def test_every_example_is_read_as_it_is_written():
    import shlex

    for verb in words.all_verbs():
        assert verb.examples, verb.name
        for example in verb.examples:
            for part in example.replace("$(", " | ").replace(")", "").split("|"):
                argv = shlex.split(part.partition("<")[0].partition(" > ")[0])
                if argv[:1] == ["mem"]:
                    assert isinstance(parse(argv[1:]), Call), example


def test_every_verb_has_a_group_a_summary_and_codes_that_exist():
    from memcli.cli.reference import CODES

    for verb in words.all_verbs():
        assert verb.group in words.GROUPS
        assert verb.summary.endswith(".")
        assert set(verb.codes) <= set(CODES)
        assert words.find(verb.name) is verb
        assert verb.format.startswith("mem.") or verb.name in ("demo", "help")


@pytest.mark.parametrize(
    ("argv", "offered"),
    [
        ("mem rec", "recall"),
        ("mem recall --ty", "--type"),
        ("mem recall --mode h", "history"),
        ("mem index re", "rebuild"),
    ],
)
def test_a_shell_is_offered_verbs_options_and_choices(argv, offered, mem):
    count = str(len(argv.split()) - 1)
    ran = mem(env={"_MEM_COMPLETE": "complete_bash", "COMP_WORDS": argv, "COMP_CWORD": count})
    assert offered in ran.out.split()
