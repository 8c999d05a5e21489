"""A retraction in another store, in another clone, and after a merge: the doubts go with it, and nobody's else do."""

import pytest

WRONG = "The refund window is 30 days for online orders."
LABELS = "Return labels expire after 30 days."
TIE = "links:\n  - to: wrong000\n    weight: 0.7\n"


@pytest.fixture
def shop(trial):
    """A wrong claim, and one that leans on it."""
    trial.write("wrong000", WRONG)
    trial.write("labels00", LABELS, TIE)
    trial.did("save")
    return trial


def retract(store, *options):
    store.did("retract", "wrong000", "--reason", "misread", "--yes", *options)


def confidence(store, id_="labels00"):
    return store.told("show", id_)["confidence"]


def take(store, lines, *options):
    return store.told("import", "-", *options, stdin=lines)


@pytest.fixture
def other(empty, tmp_path):
    """Another empty store, of the same scope."""
    return empty.copy(tmp_path / "other")


def test_a_store_that_is_restored_from_its_export_doubts_the_same(shop, other):
    retract(shop)
    take(other, shop.did("export"), "--yes")
    assert confidence(other) == confidence(shop) == 0.73
    assert "wrong000" not in other.found("refund window")
    assert "labels00" in other.found("return labels")


def test_an_export_over_a_store_that_still_believes_it_brings_the_doubts_along(shop, other):
    take(other, shop.did("export"), "--yes")
    assert confidence(other) == 0.8
    retract(shop)
    take(other, shop.did("export"), "--yes")
    assert (other.status("wrong000"), confidence(other)) == ("retracted", 0.73)


def test_lines_of_somebody_elses_making_cast_no_doubt_here(shop, other):
    other.write("labels00", LABELS, TIE)
    other.did("save")
    retract(shop)
    take(other, shop.did("export"))
    assert confidence(other) == 0.8
    assert "wrong000" not in other.found("refund window")


@pytest.fixture
def pair(shop, tmp_path):
    """Two clones of a bare repository."""
    bare = tmp_path / "t.git"
    shop.git("init", "-q", "--bare", "-b", "main", str(bare))
    shop.git("remote", "add", "origin", str(bare))
    shop.told("sync")
    there = shop.clone(tmp_path / "there")
    there.git("remote", "set-url", "origin", str(bare))
    return shop, there


def meet(here, there):
    here.moment = there.moment = max(here.moment, there.moment)
    for one in (here, there, here):
        one.told("sync")
    assert here.head() == there.head()


def test_a_clone_that_edited_it_meanwhile_has_the_doubts_after_they_met(pair):
    here, there = pair
    retract(here)
    path = there.path("wrong000")
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    there.did("save")
    meet(here, there)
    for one in (here, there):
        assert (one.status("wrong000"), confidence(one)) == ("retracted", 0.73)
        assert "Gift cards" in one.path("wrong000").read_text()
    there.did("unretract", "wrong000", "--yes")
    meet(here, there)
    for one in (here, there):
        assert (one.status("wrong000"), confidence(one)) == ("active", 0.8)
        assert "retraction" not in one.path("wrong000").read_text()


def test_two_clones_that_retract_it_alike_agree(pair):
    here, there = pair
    there.write("orders00", "Orders are packed in the evening.", TIE)
    there.did("save")
    retract(here)
    there.did("retract", "wrong000", "--reason", "the contract says 60", "--yes")
    meet(here, there)
    for one in (here, there):
        assert one.status("wrong000") == "retracted"
        assert "wrong000" not in one.found("refund window")
        assert one.ran("check").code == 0
    assert confidence(here) == confidence(there) < 0.8


def test_a_claim_retracted_on_one_side_does_not_come_back_from_the_other(pair):
    here, there = pair
    retract(here)
    again = there.remember(WRONG)
    assert again["decision"] == "reinforced"
    there.remember("Orders over 100 euros ship for free.")
    meet(here, there)
    for one in (here, there):
        assert "wrong000" not in one.found("refund window")
        assert one.found("free shipping of orders")
