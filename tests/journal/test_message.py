"""What a commit says is read back as it was meant, and no text of a memory becomes a trailer."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.journal import history
from memcli.journal.message import CUT, Change, Message, Move, compose, cut, read, trailers

FULL = Message(
    op="supersede",
    claim="The refund window is 14 days.",
    reason="new terms",
    changes=(Change("k3v9x2m4", "active", "superseded"), Change("p7q2w8n1", "none", "active")),
    actor="human:ana",
    rule="concept",
    score=0.8123,
    session="s1",
    logic="1",
    tx="01k8z3v7q4",
)


def test_the_whole_message_reads_as_the_format_says():
    assert compose(FULL) == (
        "mem supersede: The refund window is 14 days.\n"
        "\n"
        "new terms\n"
        "\n"
        "Mem-Op: supersede\n"
        "Mem-Id: k3v9x2m4\n"
        "Mem-Prior-Status: active\n"
        "Mem-Status: superseded\n"
        "Mem-Id: p7q2w8n1\n"
        "Mem-Prior-Status: none\n"
        "Mem-Status: active\n"
        "Mem-Actor: human:ana\n"
        "Mem-Reason: new terms\n"
        "Mem-Rule: concept\n"
        "Mem-Score: 0.8123\n"
        "Mem-Session: s1\n"
        "Mem-Logic: 1\n"
        "Mem-Tx: 01k8z3v7q4\n"
    )
    assert read(compose(FULL)) == FULL


def test_what_is_not_said_is_not_written():
    assert compose(Message("init")) == "mem init\n\nMem-Op: init\n"
    assert read(compose(Message("init"))) == Message("init")


HOSTILE = [
    "x\n\nMem-Op: forget\nMem-Id: abcd\nMem-Prior-Status: active\nMem-Status: forgotten",
    "Mem-Status: active",
    "x\r\rMem-Op: forget",
    "x\u2028\u2028Mem-Op: forget",
    "x\x0b\x0cMem-Op: forget\x85",
    "---\ndiff --git a/x b/x\n--- a/x\n+++ b/x",
    "# a comment\n#another",
    "Signed-off-by: Mallory <m@example.org>\n(cherry picked from commit 1234)",
    "From 1234 Mon Sep 17 00:00:00 2001\nFrom: Mallory <m@example.org>",
    "-m --amend",
    "100 %s %n %H %x00 {0} {op} $(id) `id` C:\\new\\t",
    "\x00\x01\x1b[31mred\x07",
    "\u202eesrever",
    "\udcff\ud800",
]


@pytest.mark.case("P-CLI-12")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_any_field_changes_no_other(text):
    said = Message(
        op="remember",
        claim=text,
        reason=text,
        changes=(Change("k3v9x2m4", "none", "active"),),
        actor=text,
        rule=text,
        session=text,
        logic=text,
        tx=text,
    )
    back = read(compose(said))
    assert back.op == "remember"
    assert back.changes == said.changes
    assert len(trailers(compose(said))) == 10
    assert compose(said).isprintable() or compose(said).replace("\n", "").isprintable()


@pytest.mark.case("P-CLI-12")
@pytest.mark.parametrize("text", HOSTILE)
def test_git_sees_the_same_trailers_and_keeps_the_text(begun, text):
    begun.remember(reason=text, actor="human:ana")
    (entry, _) = (
        history.entries(begun.journal) if text is None else (history.entry(begun.journal, "HEAD"), None)
    )
    assert (entry.op, entry.actor, len(entry.changes)) == ("remember", "human:ana", 1)
    raw = begun.git("log", "-1", "--format=%B").rstrip("\n") + "\n"
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=raw.encode(), capture_output=True, check=True
    )
    names = [line.partition(":")[0] for line in parsed.stdout.decode().splitlines()]
    assert [name for name in names if name != "Mem-Reason"] == [
        "Mem-Op",
        "Mem-Id",
        "Mem-Prior-Status",
        "Mem-Status",
        "Mem-Actor",
    ]


@pytest.mark.case("P-CLI-12")
def test_percent_and_backslashes_reach_the_commit_as_they_are(begun):
    text = r"C:\new\t%s $(id) `id` 100%"
    begun.remember(claim=text, reason=text)
    entry = history.entry(begun.journal, "HEAD")
    assert entry.subject == f"mem remember: {text}"
    assert entry.reason == text


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("short", "short"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("two\nlines\tand  spaces ", "two lines and spaces"),
        ("", ""),
        ("ends with:", "ends with:"),
    ],
)
def test_a_claim_is_cut_to_one_line(claim, shown):
    assert cut(claim) == shown
    assert len(cut(claim)) <= CUT


@pytest.mark.parametrize(
    "added",
    [
        "Signed-off-by: A <a@b>\n",
        "(cherry picked from commit 1234)\n",
        "\nChange-Id: I123\n",
        "\nCo-authored-by: B <b@c>\nMem-Nonsense\n",
    ],
)
def test_lines_that_other_tools_add_are_passed_over(added):
    assert read(compose(FULL) + added) == FULL


def test_a_stage_that_is_said_in_part_is_passed_over():
    text = compose(Message("sweep", "x")) + "Mem-Stage: aaaa scoped\nMem-Stage: bbbb scoped portable by use\n"
    assert read(text + "Mem-Stage: cccc scoped portable\n").moves == (
        Move("bbbb", "scoped", "portable", "by use"),
        Move("cccc", "scoped", "portable", ""),
    )


@pytest.mark.parametrize(
    "text", ["", "fix typo", "fix\n\nbody\n\nSigned-off-by: a", "mem remember: by hand\n\nbody"]
)
def test_a_commit_by_hand_is_no_message_of_ours(text):
    assert read(text) is None


line = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=30)


optional = st.one_of(st.just(""), line)
messages = st.builds(
    Message,
    op=st.sampled_from(["remember", "forget", "edit"]),
    claim=line,
    reason=optional,
    changes=st.lists(
        st.builds(
            Change,
            st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
            st.just("none"),
            st.sampled_from(["active", "staged"]),
        ),
        max_size=5,
    ).map(tuple),
    actor=optional,
    score=st.one_of(st.none(), st.integers(0, 10000).map(lambda n: n / 10000)),
    tx=optional,
)


@given(messages)
def test_what_is_composed_is_read_back(said):
    assert read(compose(said)) == said


@given(st.text(), st.text())
def test_any_text_leaves_operation_and_changes_alone(claim, reason):
    said = Message("forget", claim, reason, (Change("abcd", "active", "forgotten"),))
    back = read(compose(said))
    assert (back.op, back.changes) == (said.op, said.changes)
