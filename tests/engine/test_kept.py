"""What a resident keeps between two questions is what a look at all files would find."""

import os
import random
import shutil

import pytest
from trial import AGENT, Trial

from memcli import surroundings
from memcli.engine import reconcile
from memcli.engine.kept import Elsewhere, Kept
from memcli.engine.opened import open_store
from memcli.store.place import Place

STEPS = 14
CLAIMS = (
    "The refund window is 30 days.",
    "Deploys happen on Tuesdays only.",
    "Stock is counted in June.",
    "Wages are paid on the 25th.",
    "The server room is locked at night.",
)


class Told:
    """A witness that is told what was done, as the kernel would tell it."""

    def __init__(self):
        self.paths = set()
        self.blind = False

    def touched(self):
        paths, self.paths = frozenset(self.paths), set()
        return None if self.blind else paths


class Kin:
    """One store, what is kept of it, and a fresh look beside it."""

    def __init__(self, trial):
        self.trial = trial
        self.witness = Told()
        self.kept = Kept(Place(trial.root), self.witness)

    def opened(self):
        environment = {
            name: value for name, value in self.trial.environment.items() if name in surroundings.NAMES
        }
        stands = surroundings.made(environment, self.trial.root, (False,) * 3, 0, terminal=False)
        return open_store(stands, named=str(self.trial.root))

    def kept_view(self):
        opened = self.opened()
        self.kept.serve(opened)
        return reconcile.freshen(opened)

    def same(self):
        """Compare both; what is looked at second must not have been mended by the first."""
        ours, theirs = self.kept_view(), reconcile.freshen(self.opened())
        assert said(ours) == said(theirs)
        return ours

    def files(self):
        return sorted((self.trial.root / "schemas").rglob("*.md"))

    def touch(self, path):
        self.witness.paths.add(path.relative_to(self.trial.root).as_posix())


def said(view):
    rows = view.index.all_rows(("path", "id", "digest", "status", "stated", "hidden"))
    return (
        sorted(map(str, rows)),
        {path: (one.digest, one.id, one.problem) for path, one in view.known.items()},
        view.head,
        view.dirty,
        view.confirmed.removed,
        view.confirmed.withheld,
    )


@pytest.fixture(params=["alone", "inside a project"])
def kin(request, empty, tmp_path, one_encoder):
    if request.param == "alone":
        return Kin(empty.copy(tmp_path))
    outer = Trial.made(tmp_path)
    inner = outer.root / "notes" / "deep"
    inner.mkdir(parents=True)
    outer.did("init", "--here", cwd=inner)
    return Kin(Trial(inner, outer.environment))


def edited(kin, chance):
    path = chance.choice(kin.files())
    path.write_bytes(path.read_bytes() + b"\nMore of it.\n")
    kin.touch(path)


def made(kin, chance):
    path = kin.trial.root / "schemas" / "project" / "t" / f"new{chance.random()}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nid: new{chance.randrange(10**8):08}\n---\n\n{chance.choice(CLAIMS)}\n")
    kin.touch(path)


def put_deep(kin, chance):
    """A file where a scan may not go, or in a folder that is new."""
    folder = (
        kin.trial.root
        / "schemas"
        / "project"
        / "t"
        / chance.choice(["one", "node_modules", "own", "two/three"])
    )
    folder.mkdir(parents=True, exist_ok=True)
    if folder.name == "own":
        (folder / ".git").mkdir(exist_ok=True)
    path = folder / f"deep{chance.randrange(10**6)}.md"
    path.write_text(f"---\nid: deep{chance.randrange(10**8):08}\n---\n\n{chance.choice(CLAIMS)}\n")
    kin.touch(path)


def gone(kin, chance):
    path = chance.choice(kin.files())
    path.unlink()
    kin.touch(path)


def broken(kin, chance):
    path = chance.choice(kin.files())
    path.write_text("---\nid: [\n---\nx\n")
    kin.touch(path)


def reverted(kin, chance):
    path = chance.choice(kin.files())
    name = path.relative_to(kin.trial.root).as_posix()
    kin.trial.git("checkout", "-q", "--", name, check=False)
    kin.touch(path)


def renamed(kin, chance):
    path = chance.choice(kin.files())
    new = path.with_name(f"moved{chance.random()}.md")
    path.rename(new)
    kin.touch(path)
    kin.touch(new)


def remembered(kin, chance):
    kin.trial.ran("remember", f"Number {chance.randrange(10**6)} is drawn.", env=AGENT)


def forgotten(kin, chance):
    ids = kin.trial.did("list", "--ids", "--scope", "*").split()
    if ids:
        kin.trial.ran("forget", chance.choice(ids), "--yes")


def saved(kin, chance):
    kin.trial.ran("save", "--yes")


def unreported(kin, chance):
    edited(kin, chance)
    kin.witness.blind = True


@pytest.mark.parametrize("seed", range(3))
def test_the_view_that_is_held_equals_a_look_at_all_files_after_any_steps(kin, seed, campaign):
    chance = random.Random(seed)
    for claim in CLAIMS:
        kin.trial.remember(claim, "--scope", "project:t")
    kin.same()
    steps = (edited, made, put_deep, gone, broken, reverted, renamed)
    steps += (remembered, forgotten, saved, unreported)
    for _ in range(STEPS * campaign):
        chance.choice(steps)(kin, chance)
        kin.same()
        kin.witness.blind = False


def test_nothing_changed_is_no_look_at_all(kin, monkeypatch):
    kin.trial.remember(CLAIMS[0])
    view = kin.same()
    kin.kept_view()
    monkeypatch.setattr(reconcile, "_freshened", pytest.fail)
    assert said(kin.kept_view()) == said(view)


def test_a_few_changed_files_are_taken_in_without_looking_at_the_others(kin, monkeypatch):
    kin.trial.remember(CLAIMS[0])
    kin.kept_view()
    kin.kept_view()
    monkeypatch.setattr(reconcile, "_freshened", pytest.fail)
    edited(kin, random.Random(1))
    view = kin.kept_view()
    assert len(view.dirty) == 1
    monkeypatch.undo()
    assert said(view) == said(reconcile.freshen(kin.opened()))


def test_all_files_gone_at_once_are_no_deletion(kin):
    for claim in CLAIMS:
        kin.trial.remember(claim)
    kin.kept_view()
    kin.kept_view()
    for path in kin.files():
        path.rename(path.with_suffix(".away"))
        kin.touch(path)
    view = kin.kept_view()
    assert (view.stale, len(view.known)) == (True, len(CLAIMS))
    for path in (kin.trial.root / "schemas").rglob("*.away"):
        path.rename(path.with_suffix(".md"))
        kin.touch(path.with_suffix(".md"))
    assert len(kin.same().known) == len(CLAIMS)


def test_another_store_is_not_answered_for(kin, empty, tmp_path):
    other = Kin(empty.copy(tmp_path / "other"))
    with pytest.raises(Elsewhere):
        kin.kept.serve(other.opened())


def test_an_index_that_is_deleted_and_made_anew_is_not_taken_for_the_old_one(kin):
    kin.trial.remember(CLAIMS[0])
    for number in range(3):
        kin.same()
        kin.same()
        edited(kin, random.Random(number))
        shutil.rmtree(kin.trial.root / ".mem" / "index")
        kin.trial.ran("recall", "refund")
        kin.same()


def test_a_model_that_is_replaced_or_gone_is_noticed(kin, tmp_path):
    kin.trial.remember(CLAIMS[0])
    folder = tmp_path / "model"
    folder.mkdir()
    (kin.trial.root / "mem.toml").write_text(f'[encoder]\npath = "{folder}"\n')
    loads = []

    class Encoder:
        def warm(self):
            loads.append(1)

    for change in (lambda: None, lambda: (folder / "model.onnx").write_bytes(b"1"), lambda: None):
        change()
        kin.kept.encoder(str(folder), Encoder)
    assert len(loads) == 2
    before = kin.kept.stamp(str(folder))
    (folder / "model.onnx").unlink()
    assert kin.kept.stamp(str(folder)) != before


@pytest.mark.parametrize("file", ["known", "standing.json", "index/current"])
def test_a_pipe_in_place_of_what_is_kept_holds_nobody_up(kin, file):
    kin.trial.remember(CLAIMS[0])
    kin.same()
    path = kin.trial.root / ".mem" / file
    path.unlink()
    os.mkfifo(path)
    assert len(kin.same().known) == 1
