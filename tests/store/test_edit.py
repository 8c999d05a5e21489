"""Changing keys: the asked bytes and no others, over the fixtures and over generated frontmatter."""

from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memcli.errors import BadFile
from memcli.store import fences, head
from memcli.store import format as files
from memcli.store.edit import set_keys

FILES = Path(__file__).parents[2] / "fixtures" / "files"
GOOD = sorted((FILES / "good").glob("*.md"))
PATH = "schemas/project/t/a.md"


def tree(raw: bytes) -> object:
    fence = fences.find(raw)
    return plain(head.read(raw[fence.start : fence.end].decode()))


def plain(value: head.Value) -> object:
    if isinstance(value, head.Text):
        return value.value
    if isinstance(value, head.Listed):
        return [plain(member) for member in value.members]
    return {key: plain(member) for key, member in value.members.items()}


def differing_lines(before: bytes, after: bytes) -> list[tuple[bytes, bytes]]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(old) == len(new)
    return [(one, other) for one, other in zip(old, new, strict=True) if one != other]


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.name)
def test_a_fixture_survives_a_change_there_and_back(file):
    raw = file.read_bytes()
    assert set_keys(raw, {}) == raw
    prior = None if fences.find(raw).bare else tree(raw).get("status")
    forgotten = set_keys(raw, {"status": "forgotten"})
    assert files.parse(forgotten, PATH, UTC).schema.status == "forgotten"
    assert set_keys(forgotten, {"status": prior}) == raw


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.name)
def test_a_fixture_survives_new_keys_there_and_back(file):
    raw = file.read_bytes()
    known = {} if fences.find(raw).bare else tree(raw)
    new = {"superseded_by": "abcd", "x-list": [{"a": "b: c", "d": 1}], "x-map": {"on": "off"}, "x-bool": True}
    new = {key: value for key, value in new.items() if key not in known}
    changed = set_keys(raw, new)
    assert files.claim_of(changed) == files.claim_of(raw)
    assert set_keys(changed, dict.fromkeys(new)) == raw


@pytest.mark.parametrize(
    "name",
    [
        "unparsable",
        "no-closing-fence",
        "list",
        "scalar",
        "alias-bomb",
        "tag-custom",
        "double-block",
        "conflict-status",
        "conflict-stash",
        "stands-twice",
        "deep",
        "control-in-value",
        "late-fence",
        "carriage-returns",
        "two-documents",
    ],
)
@pytest.mark.case("P-FM-02")
def test_a_file_that_cannot_be_understood_is_never_rewritten(name):
    with pytest.raises(BadFile):
        set_keys((FILES / "broken" / f"{name}.md").read_bytes(), {"status": "forgotten"})


def test_a_refusal_names_the_file_the_line_and_the_key():
    with pytest.raises(BadFile) as caught:
        set_keys((FILES / "broken/unparsable.md").read_bytes(), {"status": "forgotten"}, PATH)
    assert caught.value.details[0].startswith(f"{PATH}:3: note: not readable as YAML")
    with pytest.raises(BadFile, match="not UTF-8"):
        set_keys(b"---\nid: caf\xe9\n---\nBody", {"status": "forgotten"})


@pytest.mark.case("P-FM-05")
def test_a_status_change_touches_its_own_word():
    raw = (FILES / "good/comments-and-order.md").read_bytes()
    changed = set_keys(raw, {"status": "forgotten"})
    assert differing_lines(raw, changed) == [
        (b"status: active # human note\n", b"status: forgotten # human note\n")
    ]


@pytest.mark.case("P-ENC-02")
def test_a_crlf_file_stays_crlf_in_old_and_new_lines():
    raw = (FILES / "good/crlf.md").read_bytes()
    changed = set_keys(raw, {"status": "forgotten", "superseded_by": "abcd", "validity.to": "2026-01-01"})
    assert changed.count(b"\n") == changed.count(b"\r\n") == 9
    assert set_keys(changed, {"status": "active", "superseded_by": None, "validity.to": None}) == raw


@pytest.mark.case("P-ENC-01")
def test_a_byte_order_mark_stays_first():
    for name in ("bom.md", "bare-bom.md"):
        changed = set_keys((FILES / "good" / name).read_bytes(), {"status": "forgotten"})
        assert changed.startswith(b"\xef\xbb\xbf---")
        assert changed.count(b"\xef\xbb\xbf") == 1


@pytest.mark.case("P-FM-14")
def test_body_edges_are_kept():
    raw = (FILES / "good/body-edges.md").read_bytes()
    assert files.split(set_keys(raw, {"status": "forgotten"}))[1] == b"\n\n    code\n\nend  \n\n"


@pytest.mark.parametrize(
    ("block", "changes", "wanted"),
    [
        ("a: 1\n", {"b": "x"}, "a: 1\nb: x\n"),
        ("a: 'it''s'\n", {"a": "he's"}, "a: 'he''s'\n"),
        ("a: 'x'\n", {"a": "two\nlines"}, 'a: "two\\nlines"\n'),
        ('a: "x"\n', {"a": "y"}, 'a: "y"\n'),
        ("a: x\n", {"a": "no"}, 'a: "no"\n'),
        ("a: x\n", {"a": "x"}, "a: x\n"),
        ("a: |\n  one\n\nb: 2\n", {"a": "z"}, "a: z\n\nb: 2\n"),
        ("a: |\n  one\n\nb: 2\n", {"a": None}, "b: 2\n"),
        ("a:\n- x # c\n- y\nb: 2\n", {"a": ["z"]}, "a: [z]\nb: 2\n"),
        ("a: x # c\n", {"a": [{"k": "v"}]}, "a:\n  - k: v # c\n"),
        ("a:  # c\nb: 2\n", {"a": "x"}, "a: x  # c\nb: 2\n"),
        ("a:  # c\nb: 2\n", {"a.k": "x"}, "a:  # c\n  k: x\nb: 2\n"),
        ("a: {}\n", {"a.k": "x"}, "a:\n  k: x\n"),
        ("a: {k: x}\n", {"a.j": "z: z"}, 'a: {k: x, j: "z: z"}\n'),
        ("a: {k: x, j: y}\n", {"a.k": None}, "a: {j: y}\n"),
        ("a: {k: x, j: y}\n", {"a.j": None}, "a: {k: x}\n"),
        ("a: {k: x, j: y}\n", {"a.j": "z"}, "a: {k: x, j: z}\n"),
        ("a:\n    k: x\n    j: y\n", {"a.i": True}, "a:\n    k: x\n    j: y\n    i: true\n"),
        ("a:\n  k: x\n", {"a.k": None}, ""),
        ("a: # why\n  k: x\n", {"a.k": None}, "a: # why\n"),
        ("a:\n  k: x # why\n", {"a.k": None}, "a:\n"),
        ("a: x\n", {"a": ""}, "a:\n"),
        ("a:\n  k: x\n", {"a.k": ""}, "a:\n  k:\n"),
        ("# head\na: 1 # c\n\n# tail\n", {"b": 0.5}, "# head\na: 1 # c\nb: 0.5\n\n# tail\n"),
        ("{a: x}\n", {"b": ["z", "no"]}, '{a: x, b: [z, "no"]}\n'),
        ("{}\n", {"b": "z"}, "{b: z}\n"),
        ("  a: 1\n  b: 2\n", {"c": "x", "a": None}, "  b: 2\n  c: x\n"),
        ("? a\n: x\n", {"a": "z"}, "? a\n: z\n"),
        ("a: b\n  c\nd: e\n", {"a": "f"}, "a: f\nd: e\n"),
        ("'a:b': x\n", {"a:b": [{"k": "v"}]}, "'a:b':\n  - k: v\n"),
        ("a: |+\n  x\n\n", {"b": "c"}, "a: |+\n  x\n\nb: c\n"),
        ("a: 1\n", {"missing": None, "also.missing": None}, "a: 1\n"),
    ],
)
def test_a_change_reads_as_a_person_would_have_written_it(block, changes, wanted):
    raw = f"---\n{block}---\nBody\n".encode()
    assert set_keys(raw, changes) == f"---\n{wanted}---\nBody\n".encode()


@pytest.mark.parametrize(
    ("block", "changes"),
    [
        ("a: x\n", {"a.b": "y"}),
        ("a: x\n", {"a.b": None}),
        ("? a\n: x\n", {"a": None}),
        ("? a\n", {"a": [{"k": "v"}]}),
        ("? a\n", {"a.k": "x"}),
        ("? a\n", {"b": "x"}),
        ("? a\nb: 1\n", {"a": "x"}),
        ("{a: , b: 1}\n", {"c.d.e.f": {"": {}}, "a": {"x": 1}, "b.c": "y"}),
    ],
)
def test_an_edit_that_would_touch_more_is_refused(block, changes):
    with pytest.raises(BadFile):
        set_keys(f"---\n{block}---\nBody\n".encode(), changes)


def test_the_last_key_takes_its_block_along_only_where_mem_may_have_made_it():
    assert set_keys(b"---\na: 1\n---\n\nBody", {"a": None}) == b"Body"
    assert set_keys(b"---\na: 1\n---\nBody", {"a": None}) == b"---\n---\nBody"
    assert set_keys(b"---\n# c\na: 1\n---\n\nBody", {"a": None}) == b"---\n# c\n---\n\nBody"


WORD = st.sampled_from(
    [
        "x",
        "no",
        "12:30",
        "it's",
        'say "hi"',
        "a: b",
        "a # b",
        "caf\u00e9",
        "\u05e9\u05dc\u05d5\u05dd",
        "2026-01-01",
        "",
        "two words",
        "\U0001f469\u200d\U0001f467",
        "tab\there",
        "a\u2028b",
        "- x",
        "*",
    ]
)
GAP = st.sampled_from(["", "", " # why", "  # it's: [odd]", "   "])
BETWEEN = st.sampled_from(["", "", "", "# a remark", "   ", "# status: fake"])


@st.composite
def values(draw, indent="  "):
    """One value as a person might write it behind a colon, on one line or more."""
    word = draw(WORD)
    single = "'" + word.replace("'", "''").replace("\u2028", "") + "'"
    double = '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("\u2028", "\\L") + '"'
    simple = draw(st.sampled_from(["plain", "1.5", "true", single, double, "", "[a, 'b']", "{k: v, l: [m]}"]))
    comment = draw(GAP) if simple else ""
    return draw(
        st.sampled_from(
            [
                [f" {simple}{comment}"] if simple else [""],
                [" |", f"{indent}one", "", f"{indent}  two # no comment"],
                [" >-", f"{indent}folded", f"{indent}text"],
                ["", f"{indent}- a{comment}", f"{indent}- {double}"],
                [" # on the key", f"{indent}from: {double}", f"{indent}to:{draw(GAP)}"],
                ["", f"{indent}- event: e1", f"{indent}  quote: {single}"],
            ]
        )
    )


@st.composite
def documents(draw, status=None):
    """A whole file: keys in any order with remarks between, each line with its own end.

    With `status`, one key is `status` and stands on its line as that text.
    """
    keys = draw(
        st.lists(
            st.sampled_from(["id", "status", "zeta", "x-team", "validity", '"tags"', "concept", "1"]),
            unique=True,
            max_size=6,
        )
    )
    lines = ["---"]
    keys = [key for key in keys if key != "status" or status is None]
    if status is not None:
        keys.insert(draw(st.integers(0, len(keys))), "status")
    for key in keys:
        own = key == "status" and status is not None
        first, *more = [f"{status}{draw(GAP)}"] if own else draw(values())
        lines += [remark for remark in [draw(BETWEEN)] if remark]
        lines += [f"{key}:{first}", *more]
    lines += [
        draw(BETWEEN),
        "---",
        *draw(st.lists(st.sampled_from(["", "Body  ", "---", "# t", "\ttab"]), max_size=4)),
    ]
    ends = draw(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=len(lines), max_size=len(lines)))
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


CHANGE = st.sampled_from(
    ["status", "id", "zeta", "validity.to", "superseded_by", "evidence", "tags", "validity"]
)
NEW = (
    st.none()
    | WORD
    | st.booleans()
    | st.lists(WORD, max_size=2)
    | st.just([{"event": "e9", "quote": "q: r"}])
)


@pytest.mark.case("P-FM-05")
@settings(deadline=None)
@given(documents(), CHANGE, NEW)
def test_only_the_asked_key_changes_in_any_frontmatter(raw, key, value):
    try:
        before = tree(raw)
    except (fences.Unfenced, head.NotRead):
        with pytest.raises(BadFile):
            set_keys(raw, {key: value})
        return
    try:
        changed = set_keys(raw, {key: value})
    except BadFile:
        drawn_into_the_block_above = value is None and (b" |" in raw or b" >" in raw)
        below_one_value = "." in key and isinstance(before.get("validity"), str | list)
        assert drawn_into_the_block_above or below_one_value
        return
    top, _, below = key.partition(".")
    after = tree(changed)
    assert {k: v for k, v in after.items() if k != top} == {k: v for k, v in before.items() if k != top}
    got = (after.get(top) or {}).get(below) if below else after.get(top)
    assert (got or "") == (value_as_read(value) or "")
    assert files.split(changed)[1] == files.split(raw)[1]
    assert comments(changed) >= comments_outside(raw, top)


def value_as_read(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def comments(raw: bytes) -> set[bytes]:
    return {line.strip() for line in files.split(raw)[0].splitlines() if line.lstrip().startswith(b"#")}


def comments_outside(raw: bytes, top: str) -> set[bytes]:
    """Lines that are remarks, except within the lines of the key that is changed."""
    kept, inside = set(), False
    for line in files.split(raw)[0].splitlines():
        if line[:1] not in (b" ", b"#", b""):
            inside = line.replace(b'"', b"").startswith(top.encode() + b":")
        if line.startswith(b"#") and not inside:
            kept.add(line.strip())
    return kept


@pytest.mark.case("P-FM-14")
@settings(deadline=None)
@given(documents(), st.sampled_from(["superseded_by", "evidence", "x.y"]), NEW)
@example(b"---\r\n---\nBody", "evidence", "x")
def test_a_new_key_taken_away_again_leaves_the_same_bytes(raw, key, value):
    assume(value not in (None, ""))
    try:
        changed = set_keys(raw, {key: value})
    except BadFile:
        return
    empty = files.split(raw)[0].strip(b"\xef\xbb\xbf\r\n- ") == b""
    if empty and files.split(raw)[1].startswith((b"\n", b"\r\n")):
        return  # an empty block before a blank line is taken for one that mem made
    assert set_keys(changed, {key: None}) == raw


STATUS = st.sampled_from([" active", "   active", ' "active"', " 'active'", ""])


@pytest.mark.case("P-FM-05")
@settings(deadline=None)
@given(st.data(), STATUS, st.sampled_from(["forgotten", "needs_review"]))
def test_a_status_set_and_set_back_leaves_the_same_bytes(data, written, status):
    raw = data.draw(documents(written))
    try:
        prior = tree(raw)["status"]
    except (fences.Unfenced, head.NotRead):
        return
    changed = set_keys(raw, {"status": status})
    assert len(differing_lines(raw, changed)) == 1
    assert set_keys(changed, {"status": prior}) == raw


@settings(deadline=None)
@given(st.text(alphabet="ab# \n\r\u2028-:", max_size=30), NEW)
def test_a_file_without_frontmatter_gets_a_block_and_loses_it_again(text, value):
    assume(value not in (None, ""))
    raw = text.encode()
    try:
        bare = fences.find(raw).bare
    except fences.Unfenced:
        bare = False
    assume(bare)
    changed = set_keys(raw, {"x": value})
    assert changed.endswith(raw)
    assert set_keys(changed, {"x": None}) == raw
