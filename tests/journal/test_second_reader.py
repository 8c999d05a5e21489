"""GitPython, which shares no code with us, reads from a store what we say is there."""

import git
import pytest

from memcli.journal import damage, history, tree


@pytest.fixture
def kept(begun):
    for n in range(5):
        begun.remember(f"schemas/project/t{n % 2}/é {n}.md", f"claim {n}\n", tx=f"tx{n}")
    (begun.root / "schemas/project/t0/é 0.md").unlink()
    begun.commit("schemas/project/t0/é 0.md", op="forget")
    return begun


def test_gitpython_reads_the_same_commits_trees_and_staging_area(kept):
    with git.Repo(kept.root) as repo:
        commits = list(repo.iter_commits())
        mine = list(history.entries(kept.journal))
        assert [one.hexsha for one in commits][:-1] == [one.commit for one in mine]
        assert [one.summary for one in commits][:-1] == [one.subject for one in mine]
        blobs = {one.path: one.hexsha for one in repo.head.commit.tree.traverse() if one.type == "blob"}
        assert blobs == tree.blobs(kept.journal, "HEAD", "")
        contents = {path: repo.odb.stream(bytes.fromhex(blob)).read() for path, blob in blobs.items()}
        assert contents == tree.read(kept.journal, "HEAD", list(blobs))
        assert {path: entry.hexsha for (path, _), entry in repo.index.entries.items()} == blobs
        assert not repo.is_dirty(untracked_files=True)
        assert [line.newhexsha for line in repo.head.log()[1:]] == [one.commit for one in reversed(mine)]


@pytest.mark.case("P-GIT-16")
def test_damage_is_found_and_named(kept):
    assert damage.find(kept.journal) == ()
    blob = kept.git("rev-parse", "HEAD:schemas/project/t1/é 1.md").strip()
    (kept.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert any(blob in line for line in damage.find(kept.journal))
    (kept.root / ".git/refs/heads/main").write_text("")
    assert damage.find(kept.journal) == ("History is damaged: refs/heads/main does not name a commit.",)


def test_a_fresh_repository_is_not_damaged(store):
    assert damage.find(store.journal) == ()
