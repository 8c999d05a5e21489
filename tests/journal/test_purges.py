"""What purges left in history: which there are, what each replaced, and whose history still holds it."""

import pytest

from memcli.journal import purges
from memcli.journal.message import Change, Message

A = "schemas/project/t/a.md"


def purge(store, rule, *ids, op="purge"):
    """A commit that says that it took these ids out."""
    store.remember(A, f"{rule}{ids}\n")
    said = Message(op, "taken out", changes=tuple(Change(one, "active", "purged") for one in ids), rule=rule)
    from memcli.journal import commit as commits

    return commits.commit(store.journal, (A,), said, actor_name="ana")


def between(store, known=None):
    return purges.between(store.journal, known, store.head)


def test_a_purge_says_what_went_what_it_replaced_and_where_the_histories_part(begun):
    old, first = begun.head, "1" * 40
    made = purge(begun, purges.rule(old, (first, "2" * 40)), "aaaa", "bbbb", "aaaa")
    (found,) = between(begun)
    assert (found.commit, found.ids, found.replaced) == (made, ("aaaa", "bbbb"), old)
    assert found.first == (first, "2" * 40)


def test_only_what_the_other_side_does_not_know_is_told_newest_first(begun):
    one = purge(begun, purges.rule("1" * 40, ("a",)), "aaaa")
    two = purge(begun, purges.rule("2" * 40, ("b",)), "bbbb")
    three = purge(begun, purges.rule("3" * 40, ("c",)), "cccc")
    assert [found.commit for found in between(begun, one)] == [three, two]
    assert between(begun, three) == ()


@pytest.mark.parametrize("rule", ["", "replaces", "replaces abc", "instead abc from def"])
def test_a_purge_that_does_not_say_what_it_replaced_is_passed_over(begun, rule):
    purge(begun, rule, "aaaa")
    assert between(begun) == ()


def test_an_act_that_only_speaks_of_one_is_none(begun):
    purge(begun, purges.rule("1" * 40, ("a",)), "aaaa", op="forget")
    begun.write(A, "by hand\n")
    begun.git("commit", "-qam", "by hand\n\nMem-Op: purge is what I did not do\n")
    assert between(begun) == ()


def test_no_more_places_are_named_than_a_trailer_should_hold(begun):
    many = tuple(f"{number:040x}" for number in range(30))
    purge(begun, purges.rule("1" * 40, many), "aaaa")
    (found,) = between(begun)
    assert found.first == many[:20]


def test_a_history_keeps_what_went_while_it_descends_from_one_that_was_rewritten(begun):
    old = begun.remember()
    kept = begun.remember("schemas/project/t/b.md")
    begun.git("branch", "before")
    begun.git("reset", "-q", "--hard", f"{old}^")
    purge(begun, purges.rule(kept, (old,)), "k3v9x2m4")
    (found,) = between(begun)
    assert purges.kept_by(begun.journal, found, kept)
    assert purges.kept_by(begun.journal, found, old)
    assert not purges.kept_by(begun.journal, found, begun.head)


def rewritten(store, base, *commits):
    """The commits once more on `base`, by whom and when they were made, with another tree."""
    tip = base
    for one in commits:
        form = store.git("log", "-1", "--format=%an%n%ae%n%at%n%B", one).split("\n", 3)
        said = dict(zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"), form, strict=False))
        said["GIT_AUTHOR_DATE"] = f"@{form[2]} +0000"
        tree = store.git("rev-parse", f"{base}^{{tree}}").strip()
        words = ("commit-tree", tree, "-p", tip, "-F", "-")
        tip = store.git(*words, setting=said, given=form[3].encode()).strip()
    return tip


def test_what_a_clone_did_since_begins_behind_the_last_commit_that_was_rewritten(begun):
    base = begun.head
    one = begun.remember(A, "1\n", tx="tx1")
    two = begun.remember(A, "2\n", tx="tx2")
    tip = rewritten(begun, base, one, two)
    assert purges.own(begun.journal, tip, two) is None
    three = begun.remember(A, "3\n", tx="tx3")
    begun.remember(A, "4\n", tx="tx4")
    assert purges.own(begun.journal, tip, begun.head) == f"{three}^"
