"""The queue as one text in an editor: what it says when closed is what shall be, shown as a plan first."""

import json
import shlex
import subprocess
import sys

import pytest

PROPOSED, STAGED, REPORTED, CLASHES = "prop0000aaaa", "stag0000aaaa", "repo0000aaaa", "port0000bbbb"
PERSON = {"MEM_ACTOR": "human:ana"}


@pytest.fixture
def queue(store):
    """A report, a conflict, a proposal and something staged."""
    store.write(
        PROPOSED, "Invoices run per country.", head="status: needs_review\nreview:\n  reason: proposal\n"
    )
    store.write(STAGED, "Parcels over 30 kg go by rail.", head="status: staged\n")
    reported = "status: stale\nstale_reason: outdated\nreview:\n  reason: reported\n"
    store.write(REPORTED, "The shop closes at six.", head=reported)
    store.write("port0000aaaa", "The port is 80.", head="concept: port\n")
    store.write(CLASHES, "The port is 443.", head="concept: port\n")
    store.commit()
    return store


@pytest.fixture
def editing(tmp_path):
    """An editor that changes the text by one replacement after the other; the environment that names it."""

    def made(*replacements):
        (tmp_path / "once").unlink(missing_ok=True)
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\n"
            "path = pathlib.Path(sys.argv[1])\n"
            "text = path.read_text()\n"
            f"pathlib.Path({str(tmp_path / 'seen')!r}).write_text(text)\n"
            f"once = pathlib.Path({str(tmp_path / 'once')!r})\n"
            f"for old, new in () if once.exists() else {replacements!r}:\n"
            "    text = text.replace(old, new)\n"
            "once.touch()\n"
            "path.write_text(text)\n"
        )
        return {"MEM_EDITOR": shlex.join([sys.executable, str(script)]), **PERSON}

    return made


def commits(store):
    argv = ["git", "rev-list", "--count", "HEAD"]
    ran = subprocess.run(argv, cwd=store.root, env=store.environment, capture_output=True, check=True)
    return int(ran.stdout)


def status(within, id_):
    return json.loads(within("show", id_, "--json").out)["status"]


def test_closed_unchanged_it_makes_no_commit(within, queue, editing, tmp_path):
    before = queue.head()
    ran = within("review", "--edit", "--yes", env=editing())
    assert ran.code == 0
    assert "nothing was decided" in ran.err
    assert queue.head() == before
    seen = (tmp_path / "seen").read_text()
    heads = [line.split()[1:3] for line in seen.splitlines() if line.startswith("== ") and "new" not in line]
    assert heads == [["wait", id_] for id_ in (REPORTED, CLASHES, PROPOSED, STAGED)]


def test_what_it_says_when_closed_is_done_one_commit_each(within, queue, editing):
    before = commits(queue)
    env = editing(
        (f"== wait {REPORTED}", f"== accept {REPORTED}"),
        ("The port is 443.", "The port is 8443."),
        ("Invoices run per country.", "Invoices are numbered per country."),
        (
            f"== wait {STAGED}  staged, project:t\nParcels over 30 kg go by rail.\n",
            "== new\nLunch is at noon.\n",
        ),
    )
    ran = within("review", "--edit", "--yes", env=env)
    assert ran.code == 0, ran.err
    assert commits(queue) == before + 5
    assert [status(within, id_) for id_ in (REPORTED, CLASHES, PROPOSED, STAGED)] == [
        *("active", "active", "active", "archived")
    ]
    shown = json.loads(within("show", PROPOSED, "--json").out)
    assert shown["text"] == "Invoices are numbered per country."
    assert "Lunch is at noon." in within("recall", "lunch").out
    assert within("review", "list", "--ids").out.split() == [CLASHES]


def test_a_plan_decides_nothing(within, queue, editing):
    before = queue.head()
    ran = within(
        "review", "--edit", "--dry-run", "--yes", env=editing((f"== wait {STAGED}", f"== reject {STAGED}"))
    )
    assert (ran.code, ran.out) == (0, f"reject   {STAGED}  Parcels over 30 kg go by rail.\n")
    assert queue.head() == before


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ((f"== wait {CLASHES}", f"== accept {CLASHES}"), "counts already"),
        (("The shop closes at six.", "The shop closes at seven."), "its words cannot be changed here"),
        ((f"== wait {STAGED}", f"== wiat {STAGED}"), "'wiat' is not one of"),
        (("Invoices run per country.", "Invoices run per country.\n\nAnd more."), "one paragraph"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_is(within, queue, editing, change, what):
    before = queue.head()
    ran = within("review", "--edit", "--yes", env=editing(change))
    assert ran.code == 4
    assert what in ran.err
    assert "What you wrote is in" in ran.err
    assert queue.head() == before


def test_the_plan_is_shown_and_agreed_to(mem, within, queue, editing):
    env = {**editing((f"== wait {STAGED}", f"== accept {STAGED}")), "NO_COLOR": "1"}
    before = queue.head()
    ran = mem.at_terminal("review", "--edit", answers=[("Type yes", "")], env=env)
    assert ran.code == 5
    assert f"accept   {STAGED}  Parcels over 30 kg go by rail." in ran.screen
    assert "What you wrote is in" in ran.screen
    assert queue.head() == before
    env = {**editing((f"== wait {STAGED}", f"== accept {STAGED}")), "NO_COLOR": "1"}
    ran = mem.at_terminal("review", "--edit", answers=[("Type yes", "yes")], env=env)
    assert ran.code == 0, ran.screen
    assert status(within, STAGED) == "active"


def test_forgetting_in_the_text_asks_for_the_id_too(mem, within, queue, editing):
    env = {**editing((f"== wait {STAGED}", f"== forget {STAGED}")), "NO_COLOR": "1"}
    ran = mem.at_terminal(
        "review", "--edit", answers=[("Type yes", "yes"), (f"Type {STAGED}", STAGED)], env=env
    )
    assert ran.code == 0, ran.screen
    assert status(within, STAGED) == "forgotten"


def test_what_fails_stops_nothing_else(within, queue, editing):
    """A new block that says what was forgotten is refused; the decisions beside it are done."""
    assert within("forget", "refund00aaaa", "--yes", env=PERSON).code == 0
    env = editing(
        (f"== wait {STAGED}", f"== new\nThe refund window is 30 days.\n\n== accept {STAGED}"),
    )
    ran = within("review", "--edit", "--yes", env=env)
    assert ran.code == 5
    assert "It says again what was removed" in ran.err
    assert status(within, STAGED) == "active"


ODD = (
    "```\n== wait nothing\n\n# no heading\n#> no remark\n```",
    "== new\nis how a block begins.",
    "\\ a backslash leads,\n\\== and another one.",
    "Wide \u2028 characters\u000b and caf\u00e9, \u6f22\u5b57, \U0001f469\u200d\U0001f469.",
    "  indented by two,\n\tand a tab.",
    "Ends with a backslash \\",
)


def test_claims_of_any_shape_go_round(within, store, editing):
    for nth, claim in enumerate(ODD):
        store.write(f"odd{nth:09}", claim, head="status: staged\n")
    store.commit()
    before = {nth: show(within, f"odd{nth:09}")["text"] for nth in range(len(ODD))}
    raw = {nth: path(store, nth).read_bytes() for nth in range(len(ODD))}
    assert "nothing was decided" in within("review", "--edit", "--yes", env=editing()).err
    assert {nth: path(store, nth).read_bytes() for nth in range(len(ODD))} == raw
    ran = within("review", "--edit", "--yes", env=editing(("== wait odd", "== accept odd")))
    assert ran.code == 0, ran.err
    assert {nth: show(within, f"odd{nth:09}")["text"] for nth in range(len(ODD))} == before
    assert [
        path(store, nth).read_bytes().replace(b"status: active\n", b"status: staged\n") for nth in raw
    ] == [*raw.values()]


def show(within, id_):
    return json.loads(within("show", id_, "--json").out)


def path(store, nth):
    return store.root / f"schemas/project/t/odd{nth:09}.md"
