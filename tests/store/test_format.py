"""What a file says, over the fixtures and over generated schemas and bytes."""

import re
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.errors import BadFile
from memcli.memory import scope
from memcli.memory.schema import (
    CONFIDENCE,
    Affected,
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Retraction,
    Review,
    ReviewReason,
    Schema,
    Stage,
    StaleReason,
    Status,
    Trust,
    Type,
    Validity,
)
from memcli.store import body, fences, head, plain
from memcli.store import format as files

FILES = Path(__file__).parents[2] / "fixtures" / "files"
EXPECTED = yaml.safe_load((FILES / "expected.yaml").read_text(encoding="utf-8"))
PATH = "schemas/project/t/a.md"


def entries(kind: str) -> list[object]:
    return [
        pytest.param(
            entry, id=entry["file"], marks=[pytest.mark.case(entry["case"])] if "case" in entry else []
        )
        for entry in EXPECTED
        if kind in entry
    ]


def read(raw: bytes | str, path: str = PATH, zone=UTC) -> files.Parsed:
    return files.parse(raw.encode() if isinstance(raw, str) else raw, path, zone)


def said(problems: tuple[files.Problem, ...]) -> list[str]:
    return sorted(str(problem).removeprefix(problem.path).lstrip(": ") for problem in problems)


def assert_said(problems: tuple[files.Problem, ...], beginnings: list[str]) -> None:
    messages = said(problems)
    assert len(messages) == len(beginnings), messages
    for message, beginning in zip(messages, sorted(beginnings), strict=True):
        assert message.startswith(beginning)


def test_every_fixture_stands_in_the_table_once():
    files = sorted(f"{path.parent.name}/{path.name}" for path in FILES.glob("*/*.md"))
    assert sorted(entry["file"] for entry in EXPECTED) == files
    assert all(("reads" in entry) != ("set_aside" in entry) for entry in EXPECTED)


@pytest.mark.parametrize("entry", entries("reads"))
def test_a_good_file_reads_as_its_table_says(entry):
    raw = (FILES / entry["file"]).read_bytes()
    parsed = read(raw, f"schemas/project/t/{Path(entry['file']).name}")
    assert not parsed.problems
    schema = parsed.schema
    assert schema is not None
    got = {key: getattr(schema, key, None) for key in entry["reads"]}
    got |= {key: list(value) for key, value in got.items() if isinstance(value, tuple)}
    got |= {"start": schema.validity.start} if "start" in got else {}
    got |= {"end": schema.validity.end} if "end" in got else {}
    assert got == entry["reads"]
    assert_said(parsed.notices, entry.get("notices", []))


@pytest.mark.parametrize("entry", entries("reads"))
def test_the_claim_is_the_same_without_reading_the_frontmatter(entry):
    raw = (FILES / entry["file"]).read_bytes()
    parsed = read(raw)
    assert parsed.schema is not None
    assert files.claim_of(raw) == parsed.schema.claim != ""


@pytest.mark.parametrize("entry", entries("reads"))
def test_a_good_file_written_afresh_says_the_same(entry):
    schema = read((FILES / entry["file"]).read_bytes()).schema
    assert schema is not None
    assert read(files.compose(schema, zone=UTC)).schema == schema


@pytest.mark.parametrize("entry", entries("set_aside"))
def test_a_broken_file_is_set_aside_with_its_line(entry):
    parsed = read((FILES / entry["file"]).read_bytes())
    assert parsed.schema is None
    assert_said(parsed.problems, entry["set_aside"])
    assert all(problem.path == PATH for problem in parsed.problems)


@pytest.mark.case("P-FM-11")
def test_an_alias_bomb_is_refused_at_its_first_anchor_without_unfolding(monkeypatch):
    events = 0
    original = head._Reader._value

    def counted(self, event, depth):
        nonlocal events
        events += 1
        return original(self, event, depth)

    monkeypatch.setattr(head._Reader, "_value", counted)
    assert read((FILES / "broken/alias-bomb.md").read_bytes()).schema is None
    assert events <= 3


def test_a_file_above_the_limit_is_set_aside_unread():
    limit = files.LIMIT_BYTES
    assert read(b"a" * limit).schema is not None
    assert said(read(b"a" * (limit + 1)).problems) == ["is larger than 1024 KiB, the limit of a file"]


def test_a_head_above_its_limit_is_set_aside():
    raw = f"---\nx: {'a' * head.LIMIT_BYTES}\n---\nClaim\n"
    assert said(read(raw).problems) == ["2: the frontmatter is larger than 64 KiB"]
    half = (head.LIMIT_BYTES - len("x: \n")) // len("é".encode())
    assert read(f"---\nx: {'é' * half}\n---\nClaim\n").schema is not None
    assert said(read(f"---\nx: {'é' * (half + 1)}\n---\nClaim\n").problems) == [
        "2: the frontmatter is larger than 64 KiB"
    ]


@pytest.mark.case("P-ENC-07")
def test_lines_are_counted_by_lf_alone():
    raw = '---\nconcept: "a\u2028b\x85c"\nnote: "\u2029"\nstatus: Active\r\n---\nClaim\n'
    assert [problem.line for problem in read(raw).problems] == [4]


@pytest.mark.case("P-TIME-01")
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "Pacific/Kiritimati"])
def test_a_time_without_offset_is_read_in_the_stores_zone(zone):
    raw = "---\nvalidity:\n  from: 2026-01-01 10:00:00\n  to: 2026-01-02T10:00:00Z\n---\nClaim\n"
    schema = read(raw, zone=ZoneInfo(zone)).schema
    assert schema is not None
    offset = {"UTC": 0, "Asia/Kathmandu": 20700, "Pacific/Kiritimati": 50400}[zone]
    assert schema.validity == Validity(1767261600 - offset, 1767348000)


@pytest.mark.case("P-TIME-05")
def test_a_window_of_one_second_holds_at_its_start_and_no_more_at_its_end():
    raw = "---\nvalidity:\n  from: 2026-01-01T00:00:00Z\n  to: 2026-01-01T00:00:01Z\n---\nClaim\n"
    schema = read(raw).schema
    assert schema is not None
    assert [schema.validity.holds_at(1767225600 + second) for second in (-1, 0, 1)] == [False, True, False]


def test_the_scope_follows_the_folder_where_it_is_left_out():
    for path, wanted in {
        "schemas/project/shop/ab/x.md": "project:shop",
        "schemas/global/x.md": "global",
        "schemas/user/deep/er/x.md": "user",
        "schemas/project/o%27brien/x.md": "project:o'brien",
    }.items():
        schema = read("Claim", path).schema
        assert schema is not None
        assert str(schema.scope) == wanted


@pytest.mark.case("P-FM-09")
@pytest.mark.parametrize("path", ["schemas/x.md", "schemas/project/x.md", "x.md", "other/project/t/x.md"])
def test_a_file_whose_folder_names_no_scope_has_to_name_one(path):
    assert said(read("Claim", path).problems)[0].startswith("1: scope: is missing")
    parsed = read("---\nid: a\nscope: user\n---\nClaim", path)
    assert parsed.schema is not None
    assert said(parsed.notices) == ["1: scope: the folder names no scope, the frontmatter user, which counts"]


@pytest.mark.case("P-FM-09")
def test_a_derived_id_is_valid_and_of_the_path_alone():
    ids = [
        files.derived_id(path) for path in (PATH, "schemas/caf\u00e9.md", "schemas/cafe\u0301.md", "a\udcff")
    ]
    assert len(set(ids)) == 4
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{12}", each) for each in ids)
    assert files.derived_id(PATH) == ids[0]
    assert (read("Claim").derived, read("---\nid: a\n---\nClaim").derived) == (True, False)


def test_a_reader_without_the_c_library_reads_the_same(monkeypatch):
    with_c = {entry["file"]: read((FILES / entry["file"]).read_bytes()).schema for entry in EXPECTED}
    monkeypatch.delattr(yaml, "CBaseLoader")
    for file, schema in with_c.items():
        assert read((FILES / file).read_bytes()).schema == schema


def test_a_path_with_a_line_break_is_told_on_one_line():
    assert str(files.Problem("a\nb\udcff\x1b.md", 3, "id", "is odd")) == "a\\nb\\xff\\x1b.md:3: id: is odd"


def test_a_message_is_one_short_printable_line_whatever_the_file_holds():
    evil = "\u202eevil\u2028" + "x" * 60_000
    for block in (
        f"scope: '{evil}'",
        f"a: !{'t' * 60_000} x",
        f"id: '{evil}'",
        f"{evil}: !t x",
        f"status: '{evil}'",
    ):
        (problem,) = read(f"---\n{block}\n---\nClaim\n").problems
        assert str(problem).isprintable()
        assert len(str(problem)) < 500


def test_digests_are_32_digits_of_sha256():
    assert files.digest(b"") == "e3b0c44298fc1c149afbf4c8996fb924"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ID = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True).filter(
    lambda text: not re.match(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)", text),
)
MOMENT = st.integers(-62_000_000_000, 250_000_000_000)
SCOPE = st.sampled_from(
    ["global", "user", "project:shop", 'project:O\'Brien & "Sons"', "team:100%", "p:no: x"]
)


@st.composite
def windows(draw):
    start, length = draw(st.none() | MOMENT), draw(st.none() | st.integers(1, 10**9))
    end = None if length is None else (start or 0) + length
    return Validity(start, end)


SHARE = st.sampled_from([0.0, 0.25, 1.0])
AFFECTED = st.builds(Affected, ID, SHARE, st.sampled_from([1, 2]), SHARE, st.booleans())
RETRACTION = st.builds(Retraction, TEXT, st.just("") | ID, SHARE, st.lists(AFFECTED, max_size=2).map(tuple))


@st.composite
def schemas(draw):
    claim = body.read(draw(TEXT)).claim
    origin = draw(st.sampled_from(Origin))
    status = draw(st.sampled_from(Status))
    review = Review(draw(st.sampled_from(ReviewReason)), tuple(draw(st.lists(ID, max_size=2))))
    return Schema(
        id=draw(ID),
        scope=scope.parse(draw(SCOPE)),
        claim=claim if body.says_something(claim) else "Claim",
        title=body.read(f"# {draw(TEXT)}").title,
        detail=body.read(f"x\n\n{draw(TEXT)}").detail,
        type=draw(st.sampled_from(Type)),
        status=status,
        stage=draw(st.sampled_from(Stage)),
        stage_pinned=draw(st.booleans()),
        validity=draw(windows()),
        concept=draw(TEXT),
        evidence=tuple(
            draw(st.lists(st.builds(Evidence, ID, TEXT, st.sampled_from([1.0, 0.5, 0.0])), max_size=2))
        ),
        stale_reason=StaleReason.OUTDATED if status is Status.STALE else None,
        archive_reason=ArchiveReason.DUPLICATE if status is Status.ARCHIVED else None,
        review=review if status is Status.NEEDS_REVIEW else None,
        retraction=draw(st.none() | RETRACTION),
        supersedes=tuple(draw(st.lists(ID, max_size=2))),
        superseded_by=draw(st.just("") | ID),
        overrides=tuple(draw(st.lists(ID, max_size=2))),
        confidence=draw(st.sampled_from([CONFIDENCE[origin], 0.0, 0.123, 1.0])),
        origin=origin,
        trust=draw(st.sampled_from(Trust)),
        tags=tuple(draw(st.lists(TEXT.filter(bool), max_size=3))),
        links=tuple(draw(st.lists(st.builds(Link, ID, TEXT.filter(bool), st.just(0.4)), max_size=2))),
        key=draw(TEXT),
    )


@pytest.mark.parametrize("claim", ["", "\x1f", "\ufffd\ufffd", "\u200b"])
def test_a_claim_in_which_a_reader_sees_nothing_is_not_written(claim):
    whole = Schema(id="0" * 12, scope=scope.USER, claim="Whole.")
    assert files.compose(whole)
    with pytest.raises(BadFile):
        files.compose(replace(whole, claim=claim))


@pytest.mark.case("P-FM-06")
@settings(deadline=None)
@given(schemas(), st.sampled_from(["UTC", "Europe/Rome", None]))
def test_a_composed_schema_reads_back_equal_and_every_reader_sees_text(schema, zone):
    zone = ZoneInfo(zone) if zone else None
    try:
        raw = files.compose(schema, zone=zone)
    except BadFile:
        assert fences.conflict_line(schema.detail.encode()) or "---" in schema.claim + schema.detail
        return
    parsed = read(raw, f"schemas/{schema.scope.folder}/x.md", zone or UTC)
    assert parsed.problems == ()
    assert parsed.schema == schema
    assert files.claim_of(raw) == schema.claim
    _, block, _ = raw.decode().split("---\n", 2)
    texts = [yaml.safe_load(block)[key] for key in ("id", "type", "status", "scope")]
    assert texts == [schema.id, schema.type, schema.status, str(schema.scope)]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1), min_size=1))
@example("2026-07-01")
@example("12:30")
@example("=")
@example("<<")
@example("y")
@example("1.5e3")
@example("0b1")
@example("1:20:30")
@example("a: b")
@example("a #b")
@example("-")
@example("\ufeff")
def test_text_that_is_written_is_text_to_a_reader_of_yaml(text):
    for document in (f"key: {plain.inline(text)}", f"key: {{a: {plain.inline(text, flow=True)}}}"):
        value = yaml.safe_load(document)["key"]
        assert (value["a"] if isinstance(value, dict) else value) == text


@settings(deadline=None)
@given(
    st.binary()
    | st.lists(
        st.sampled_from(
            [
                b"---\n",
                b"\n",
                b"\r\n",
                b"id: a\n",
                b"- x",
                b"# t\n",
                b"B\n",
                b"\xef\xbb\xbf",
                b"  ",
                b"a: |\n",
                b"=======\n",
                b">>>>>>> x\n",
                b"\0",
            ]
        )
    ).map(b"".join)
)
def test_any_bytes_get_an_answer(raw):
    parsed = read(raw)
    assert (parsed.schema is None) == bool(parsed.problems)
    if parsed.schema is not None:
        assert files.claim_of(raw) == parsed.schema.claim
        first, second = files.split(raw)
        assert first + second == raw


@pytest.mark.parametrize(
    ("text", "title", "claim", "detail"),
    [
        ("a\nb\n\nc", "", "a\nb", "c"),
        ("# t\r\n\r\na\r\nb\r\n\r\nc\r\n", "t", "a\nb", "c"),
        ("#\n\n# a", "", "# a", ""),
        ("    # code", "", "# code", ""),
        ("####### seven", "", "####### seven", ""),
        ("C # sharp", "", "C # sharp", ""),
        ("# C #", "C", "", ""),
        ("~~~\na\n\nb", "", "~~~\na\n\nb", ""),
        ("a\n* * *\nb", "", "a", "* * *\nb"),
        ("- one\n- two\n\nrest", "", "- one\n- two", "rest"),
        ("", "", "", ""),
    ],
)
def test_a_body_is_title_claim_and_detail(text, title, claim, detail):
    assert body.read(text)[:3] == (title, claim, detail)


@given(st.text(alphabet="ab`\n\r \t"))
def test_a_body_is_divided_without_losing_text(text):
    found = body.read(text)
    assert body.read(text[: found.rest]).claim == found.claim
    assert "".join((found.claim + found.detail).split()) == "".join(text.split())


def test_what_follows_the_claim_is_kept_as_given():
    schema = Schema("a", scope.USER, "Claim")
    assert files.compose(schema, "\n\n\n  Rest  \n").endswith(b"\n\nClaim\n\n\n  Rest  \n")


@pytest.mark.parametrize("claim", ["", "two\n\nparagraphs", "---", "<<<<<<< ours", " spaces ", "nul\0"])
def test_a_claim_that_would_not_read_back_is_refused(claim):
    with pytest.raises(BadFile):
        files.compose(Schema("a", scope.USER, claim))


def test_a_file_that_is_not_understood_has_no_claim():
    assert files.claim_of(b"---\nid: a\n\nClaim\n") == ""


@pytest.mark.case("P-ENC-04")
def test_text_that_is_not_utf8_is_refused():
    with pytest.raises(BadFile):
        files.compose(Schema("a", scope.USER, "caf\udce9"))
