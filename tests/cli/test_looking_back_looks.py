"""History, timeline, diff and blame as a terminal and a pipe show them."""

import json

import pytest

ID = "refund00aaaa"
PLAIN = {"NO_COLOR": "1"}
HUMAN = {"MEM_ACTOR": "human:ana"}


@pytest.fixture
def superseded(within):
    """The refund window, superseded; the id of its successor."""
    ran = within("supersede", ID, "--with", "The refund window is 14 days.", "--from", "2026-07-01", "--json")
    return json.loads(ran.out)["new"]


def shown(within, *words, columns=80):
    ran = within.at_terminal(*words, env=PLAIN, columns=columns)
    assert ran.code == 0, ran.err
    return ran.out


def test_a_history_lays_both_times_out_and_a_grid_below(within, superseded):
    lines = shown(within, "history", ID).splitlines()
    assert lines[0].split() == ["recorded", "true", "from", "true", "until", "status", "by"]
    assert "  The refund window is 30 days." in lines
    assert f"  → {superseded}" in lines
    blank = lines.index("")
    assert lines[blank + 1].startswith("known from")
    assert lines[blank + 2].split() == ["–", "2026-07-01"]
    assert [line.split()[2:] for line in lines[blank + 3 :]] == [["true", "true"], ["true", "·"]]
    assert all(len(line) <= 80 for line in lines)


def test_a_history_stands_on_one_line_each_where_there_is_room(within, superseded):
    lines = shown(within, "history", ID, columns=120).splitlines()
    assert lines[1].endswith("The refund window is 30 days.")
    assert lines[2].endswith(f"→ {superseded}")


def test_a_grid_that_says_nothing_more_or_does_not_fit_is_left_out(within, superseded):
    assert "known from" not in shown(within, "history", superseded)
    assert "known from" not in shown(within, "history", ID, columns=30)


def test_a_timeline_is_told_by_days(within, superseded):
    lines = shown(within, "timeline", "refund").splitlines()
    assert [line.split()[1] for line in lines if ID in line and line[2] == ":"] == ["added", "superseded"]
    assert any(superseded in line and " added " in line for line in lines)
    assert sum(line[:2] == "20" for line in lines) == len({line for line in lines if line[:2] == "20"})
    assert "       The refund window is 14 days." in lines


def test_what_holds_now_is_marked(within, superseded):
    lines = shown(within, "timeline", "--active", "refund").splitlines()
    assert [("now" in line.split(), "30 days" in line) for line in lines[1:]] == [
        (False, True),
        (True, False),
    ]


def test_rows_for_a_pipe_have_the_same_cells_each(within, superseded):
    for words, cells in (
        (("timeline",), 6),
        (("timeline", "--active"), 5),
        (("diff", "HEAD~1"), 8),
        (("blame", ID), 7),
        (("history", ID), 7),
    ):
        ran = within(*words)
        assert ran.code == 0, words
        assert {len(line.split("\t")) for line in ran.out.splitlines()} == {cells}, words


def test_a_reworded_claim_shows_both_readings(within, store):
    path = store.root / "schemas" / "project" / "t" / f"{ID}.md"
    path.write_text(path.read_text().replace("30 days", "31 days"))
    lines = shown(within, "diff").splitlines()
    assert lines[0].startswith("From HEAD (commit ")
    assert lines[0].endswith(" to the files: 1 reworded.")
    assert "- The refund window is 30 days." in lines
    assert "+ The refund window is 31 days." in lines
    coloured = within.at_terminal("diff", columns=80).out
    assert "\x1b[31m30\x1b[0m" in coloured
    assert "\x1b[32m31\x1b[0m" in coloured


def test_lines_that_belong_together_are_told_of_once(within, store):
    path = store.root / "schemas" / "project" / "t" / f"{ID}.md"
    path.write_text(path.read_text() + "\nNot for vouchers.\n")
    lines = shown(within, "blame", ID).splitlines()
    assert [line.partition("│")[0].strip() != "" for line in lines].count(True) == 2
    assert [line.partition("│ ")[2] for line in lines if line.startswith("not saved")] in (
        ["Not for vouchers."],
        [""],
    )


def test_nothing_found_is_said_and_exits_with_1(within):
    for words in (("timeline", "heron"), ("timeline", "--active", "heron"), ("diff",)):
        ran = within(*words)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.strip()
        assert within(*words, "--ok-if-empty").code == 0
        told = json.loads(within(*words, "--json").out)
        assert [] in told.values()


@pytest.mark.parametrize("verb", ["timeline", "diff", "blame", "history"])
def test_what_a_memory_holds_moves_no_cursor(within, store, verb):
    store.write("evil0000aaaa", "Red \x1b[31malert\x1b[0m \u202egnol", head="concept: 'a\x07b'\n")
    store.commit()
    words = {"timeline": (), "diff": ("HEAD~1",)}.get(verb, ("evil0000aaaa",))
    for how in (within, within.at_terminal):
        ran = how(verb, *words, env=PLAIN)
        assert not {"\x1b", "\u202e", "\x07"} & set(ran.out), verb


def test_dates_are_those_of_the_stores_zone(within, store):
    (store.root / "mem.toml").write_text('timezone = "Asia/Kolkata"\n')
    path = store.root / "schemas" / "project" / "t" / f"{ID}.md"
    path.write_text(path.read_text().replace("---\n\n", "validity:\n  to: 2026-07-01\n---\n\n", 1))
    row = within("timeline", "--active", "refund").out.split("\t")
    assert row[1] == "2026-06-30T18:30:00Z"
    assert "2026-07-01  " in shown(within, "timeline", "--active", "refund")
