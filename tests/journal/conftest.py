"""Every test has an empty home, nothing of the caller's git, and a store in a temporary folder."""

import os

import pytest
from journal_store import NAMED, Store

from memcli.journal.repository import Journal


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    """The environment of every test: an empty home, and nothing of the caller's git."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_", "MEM_")) or name == "EMAIL":
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    return {"PATH": os.environ["PATH"], "HOME": str(home), **NAMED}


@pytest.fixture
def store(tmp_path, environment):
    root = tmp_path / "store"
    root.mkdir()
    Journal.init(root, environment)
    return Store(root, environment)


@pytest.fixture
def begun(store):
    """A store with one commit of a person: `user.txt`."""
    store.write("user.txt", "one\n")
    store.git("add", ".")
    store.git("commit", "-qm", "first")
    return store
