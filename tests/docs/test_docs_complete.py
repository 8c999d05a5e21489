"""Whatever the code knows, a page names, and what a page quotes the code says."""

import ast
import re
from pathlib import Path

import pytest

from memcli.cli import batch, words
from memcli.cli.reference import CODES
from memcli.cli.render.template import FIELDS
from memcli.engine.recalling.answer import Answer, Item
from memcli.journal import message
from memcli.memory.admission import Kind as Decision
from memcli.memory.constants import DEFAULTS
from memcli.memory.schema import (
    ArchiveReason,
    Origin,
    ReviewReason,
    Stage,
    StaleReason,
    Status,
    Trust,
    Type,
)
from memcli.memory.visibility import Mode
from memcli.store import event, fields, setting_keys, tombstones

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FORMAT = (DOCS / "format.md").read_text("utf-8")
ERRORS = (DOCS / "errors.md").read_text("utf-8")
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
CODE = re.compile(r"`([^`\n]+)`")


def section(page, heading):
    """The text below `heading` down to the next one of its rank or above."""
    rank = len(heading) - len(heading.lstrip("#"))
    _, _, below = page.partition(f"\n{heading}\n")
    assert below, heading
    return re.split(rf"\n#{{1,{rank}}} ", below)[0]


def rows(text):
    """The first cell of every row of the tables in `text`, heads left out."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    heads = {
        before
        for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False)
        if line.startswith("|---")
    }
    return [line.split("|")[1].strip() for line in lines if line not in heads]


def named(text):
    """Everything that stands in backquotes."""
    return set(CODE.findall(text))


def test_every_key_of_a_memory_is_documented_and_no_other():
    assert [cell.strip("`") for cell in rows(section(FORMAT, "### Keys"))] == list(fields.KNOWN)


@pytest.mark.parametrize("kind", [Type, StaleReason, ArchiveReason, ReviewReason, Origin, Trust])
def test_every_word_that_a_key_takes_is_documented(kind):
    assert {word.value for word in kind} <= named(section(FORMAT, "### Keys"))


def test_every_stage_and_every_part_of_a_key_is_documented():
    parts = {"from", "to", "event", "quote", "weight", "reason", "of", "rel"}
    assert {stage.word for stage in Stage} | parts <= named(section(FORMAT, "### Keys"))


def test_every_status_is_documented_and_no_other():
    assert {cell.strip("`") for cell in rows(section(FORMAT, "### Statuses"))} == {
        one.value for one in Status
    }


def test_every_mode_is_documented():
    page = section((DOCS / "cli.md").read_text("utf-8"), "### mem recall")
    assert all(mode.value in page for mode in Mode)


def test_every_key_and_kind_of_an_event_is_documented():
    said = named(section(FORMAT, "## Events"))
    assert {kind.value for kind in event.Kind} <= said
    assert {one.name for one in event.Event.__dataclass_fields__.values()} <= said


def test_every_key_and_act_of_a_tombstone_is_documented():
    said = named(section(FORMAT, "## Tombstones"))
    assert {*tombstones.ACTS, *tombstones.Tombstone.__dataclass_fields__} <= said


def test_every_trailer_is_documented_and_no_other():
    change, move = message.Change("x", "x", "x"), message.Move("x", "x", "x")
    full = message.Message("x", reason="x", changes=(change,), score=0.5, moves=(move,))
    full = message.compose(full.__class__(**{
        **{name: getattr(full, name) for name in full.__dataclass_fields__},
        **dict.fromkeys(("actor", "rule", "session", "logic", "tx"), "x"),
    }))  # fmt: skip
    written = {name for name, _ in message.trailers(full)}
    said = {name for cell in rows(section(FORMAT, "## Commits")) for name in named(cell)}
    assert said == written


def acts_in_code():
    """The names of acts that a `Message(...)` is made with, wherever a literal says it."""
    from memcli.engine import handmade

    found = {
        "edit",
        "add",
        "delete",
        "move",
        handmade.BURY,
        *handmade._OPS.values(),
        *handmade._BACK.values(),
    }
    for path in (ROOT / "memcli" / "engine").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Message" and node.args:
                found |= {one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)}
    return found


def test_every_act_is_documented():
    assert acts_in_code() <= named(section(FORMAT, "## Commits"))


def test_every_setting_is_documented_and_no_other():
    settings = {setting_keys.dotted(key) for key in setting_keys.KEYS} | {one.key for one in DEFAULTS}
    said = {cell.strip("`") for cell in rows(section(FORMAT, "## Settings"))}
    assert said - {'scopes."FOLDER"'} == settings


def test_every_format_of_json_is_documented_and_no_other():
    made = set()
    for path in (ROOT / "memcli").rglob("*.py"):
        made |= set(re.findall(r'"(mem\.[a-z]+/\d)"', path.read_text("utf-8")))
    made -= {"mem.figures/1"}
    assert {name for cell in rows(section(FORMAT, "## What `--json` prints")) for name in named(cell)} == made


def test_every_part_of_an_answer_is_documented():
    said = named(section(FORMAT, "## What `--json` prints"))
    assert {"outcome", "items", "withheld", "known_at", "stale", "hint"} <= said
    assert set(Item.__dataclass_fields__) - {"schema", "vector", "lexical", "tokens", "since"} <= said
    assert {"query", "scope", "mode", "as_of"} <= set(Answer.__dataclass_fields__) & said
    assert {kind.value for kind in Decision} | {"refused"} <= said


def test_every_key_of_a_batch_line_is_documented():
    assert set(batch._KEYS) <= named(section(FORMAT, "## What `--json` prints"))


def test_every_field_of_a_template_is_documented():
    page = section((DOCS / "cli.md").read_text("utf-8"), "### mem list")
    assert all(field in page for field in FIELDS)


def test_every_exit_code_is_explained_and_no_other():
    heads = re.findall(r"^## ([\d and]+): ", ERRORS, re.MULTILINE)
    assert [int(code) for head in heads for code in head.split(" and ")] == list(CODES)


def test_every_exit_code_that_can_be_shown_is_shown():
    shown = {
        part.split(":")[0] for part in re.split(r"^## ", ERRORS, flags=re.MULTILINE) if "```console" in part
    }
    assert {str(code) for code in CODES} - shown == {"7", "70", "130", "141"}


def sentences():
    """Every text that stands in the code of memcli, parts of formatted ones included."""
    for path in (ROOT / "memcli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_sentence_that_the_page_on_errors_quotes_is_one_of_ours():
    ours = list(sentences())
    quoted = rows(ERRORS)
    assert len(quoted) > 20
    assert [text for text in quoted if not any(text in one for one in ours)] == []


def test_every_status_and_decision_is_a_word_of_the_glossary():
    terms = {
        term for head in re.findall(r"^\*\*([^*]+)\*\*", GLOSSARY, re.MULTILINE) for term in head.split(", ")
    }
    wanted = {one.value.replace("_", " ") for one in Status} | {one.value for one in Decision}
    assert wanted <= terms


def mentioned():
    """(page, verb) for each `mem VERB` in code of the documentation."""
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        text = page.read_text("utf-8")
        for fence in re.findall(r"^```(?:console|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield from (
                (page.name, verb)
                for verb in re.findall(
                    r"(?:^|[|;&(] ?)(?:\$ )?(?:\w+=\S+ )*mem (?:--\S+ )*([a-z]+(?:-[a-z]+)*)",
                    fence,
                    re.MULTILINE,
                )
            )
        yield from ((page.name, verb) for verb in re.findall(r"`mem ([a-z]+(?:-[a-z]+)*)", text))


def test_every_verb_that_a_page_tells_to_use_exists():
    known = {verb.name for verb in words.all_verbs()} | {"recll"}  # shown as a mistake
    assert {(page, verb) for page, verb in mentioned() if verb not in known} == set()


def test_every_long_run_is_told_with_its_command():
    told = set(
        re.findall(r"python tests/benchmarks/(\w+)\.py", (DOCS / "contributing.md").read_text("utf-8"))
    )
    runs = set()
    for path in (ROOT / "tests" / "benchmarks").glob("*.py"):
        about = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        if f"python tests/benchmarks/{path.name}" in about:
            runs.add(path.stem)
    assert told == runs - {"prepare"}  # a step of a run, not one
