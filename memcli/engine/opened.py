"""An open store: everything a verb needs, each part made when it is first asked for.

The hot path must not pay for what it does not use: a verb that only shows a file opens
neither git nor the index, and nothing here is imported before its first use.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.errors import MemError, NoStore, Unavailable, Usage
from memcli.memory import scope as scopes
from memcli.memory.scope import Scope
from memcli.store import discovery, private, settings, working_scope
from memcli.store.discovery import Found
from memcli.store.place import Place
from memcli.store.settings import Settings
from memcli.surroundings import Actor, Surroundings, actor_of

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.filing import Filed
    from memcli.engine.kept import Kept
    from memcli.index.encoder import Encoder
    from memcli.journal.repository import Journal
    from memcli.memory.account import Account


@dataclass
class Opened:
    """One store, for one command. `notices` gathers what the person should be told on stderr.

    `found_by` is the rule that found the store: a value of `discovery.By`. `kept` is what a
    resident keeps of it, None in a process of one command.
    """

    surroundings: Surroundings
    place: Place
    settings: Settings
    scope: Scope
    actor_text: str = ""
    notices: list[str] = field(default_factory=list)
    found_by: str = ""
    kept: "Kept | None" = None
    accounts: "tuple[str | None, Mapping[str, Account]] | None" = None  # of use, as they were at a commit
    by_tree: bool = False  # the settings are those of a commit, and no index is to be made by them
    meant: "dict[str, np.ndarray]" = field(default_factory=dict)  # vectors of texts that were compared
    committed: "dict[tuple[str, str], Filed]" = field(default_factory=dict)  # by path and blob, as understood

    @property
    def now(self) -> int:
        """The one moment of this command, seconds since 1970."""
        return self.surroundings.now

    @property
    def now_ms(self) -> int:
        """The same in milliseconds: what ids are made of, so that those of one second sort."""
        return self.now * 1000 + self.surroundings.fraction_ms

    @property
    def name(self) -> str:
        """What to call the store: the last part of its folder."""
        return self.place.root.name

    @cached_property
    def journal(self) -> "Journal":
        """The store's git. Raises Unavailable."""
        from memcli.engine import trust
        from memcli.journal.repository import Journal

        trusted = trust.holds(self.surroundings, self.place.root)
        return Journal.open(self.place.root, self.surroundings.environment, trusted=trusted)

    def take_journal(self, journal: "Journal") -> None:
        """Go on with `journal`, which the caller has opened."""
        self.__dict__["journal"] = journal

    @cached_property
    def readable_journal(self) -> "Journal | None":
        """The store's git, or None where reading must do without: no repository, or HEAD is damaged."""
        try:
            self.journal.head()
        except Unavailable as error:
            self.notices.append(error.message)
            return None
        return self.journal

    def do_without_journal(self, why: MemError) -> None:
        """Read on without git, saying why: it is missing, or its history is damaged."""
        self.notices.append(why.message)
        self.__dict__["readable_journal"] = None

    @cached_property
    def actor(self) -> Actor:
        """Who acts."""
        environment = dict(self.surroundings.environment)
        if self.actor_text:
            environment["MEM_ACTOR"] = self.actor_text
        return actor_of(environment, self._git_user)

    def _git_user(self) -> str | None:
        journal = self.readable_journal
        return journal.configuration.text("user.name") or None if journal else None

    @cached_property
    def encoder(self) -> "Encoder | None":
        """The model, or None (with a notice) where it is missing or gives no meaning."""
        if self.kept is not None:
            return self.kept.encoder(self.settings.encoder_path, self._load_encoder)
        return self._load_encoder()

    def take_encoder(self, encoder: "Encoder | None") -> None:
        """Go on with `encoder` (None: with words only), which the caller has loaded."""
        self.__dict__["encoder"] = encoder

    def _load_encoder(self) -> "Encoder | None":
        from memcli.index import encoder

        try:
            loaded = encoder.load(self.settings.encoder_path, workspace=self._workspace())
        except MemError as error:
            self.notices.append(f"{error.message} Answers go by words only.")
            return None
        if not loaded.meaningful():
            self.notices.append(
                "The encoder fails its self-test: its vectors carry no meaning. Answers go by words only."
            )
            return None
        return loaded

    def _workspace(self) -> Path:
        """Where prepared models lie (130 MB each): shared by the user's stores, else in this one."""
        folder = Path(self.surroundings.environment.get("XDG_CACHE_HOME", ""))
        if folder.is_absolute():
            return folder / "mem" / "model"
        home = self.surroundings.home
        return home / ".cache" / "mem" / "model" if home else self.place.private / "model"

    def later(self, seconds: int) -> "Opened":
        """The same store, as it is asked again `seconds` from now."""
        moved = replace(self.surroundings, now=self.now + seconds)
        return replace(self, surroundings=moved)

    def parse_scope(self, text: str | None) -> Scope:
        """The scope that `text` names, or the one of this command. Raises Usage."""
        if text is None:
            return self.scope
        return _scope(text)


def open_store(
    surroundings: Surroundings,
    *,
    named: str | None = None,
    scope: str | None = None,
    actor: str = "",
    make_own: bool = False,
) -> Opened:
    """The store that these surroundings mean. Raises NoStore, BadFile, Usage, Refused.

    With `make_own` the user's own store is made where there is none anywhere.
    """
    made: list[str] = []
    try:
        found = _find(surroundings, named)
    except NoStore:
        if not make_own or named or surroundings.environment.get("MEM_STORE") or surroundings.own is None:
            raise
        from memcli.engine import starting

        begun = starting.init(surroundings, starting.InitRequest())
        found = _find(surroundings, named)
        made.append(f"Made your store in {_short(surroundings, found.place)} (git, private to you).")
        made += begun.notices
    place = found.place
    private.refuse_links(place)
    loaded = settings.load(place)
    here = _scope(scope) if scope not in (None, "*") else _scope_here(surroundings, loaded, place)
    made += [str(notice) for notice in loaded.notices]
    return Opened(surroundings, place, loaded, here, actor, made, found.by.value)


def open_with_defaults(surroundings: Surroundings, *, named: str | None = None) -> Opened:
    """The same store whatever its settings say, for whoever looks what is wrong with them. Raises NoStore."""
    found = _find(surroundings, named)
    loaded = Settings()
    here = _working_scope(surroundings, loaded, found.place)
    return Opened(surroundings, found.place, loaded, here, found_by=found.by.value)


def _find(surroundings: Surroundings, named: str | None) -> Found:
    return discovery.locate(
        named=named,
        environment=surroundings.environment.get("MEM_STORE"),
        start=surroundings.cwd,
        own=surroundings.own,
    )


def _working_scope(surroundings: Surroundings, loaded: Settings, place: Place) -> Scope:
    return working_scope.of(surroundings.cwd, loaded, place, home=surroundings.home)


def _scope_here(surroundings: Surroundings, loaded: Settings, place: Place) -> Scope:
    """The scope of the session that the command names, wherever it stands; else that of its folder."""
    named = surroundings.environment.get("MEM_SESSION")
    if named:
        from memcli.store import sessions

        session = sessions.load(place, named)
        if session is not None:
            return session.scope
    return _working_scope(surroundings, loaded, place)


def _short(surroundings: Surroundings, place: Place) -> str:
    home = surroundings.home
    if home and place.root.is_relative_to(home):
        return f"~/{place.root.relative_to(home)}"
    return str(place.root)


def _scope(text: str) -> Scope:
    try:
        return scopes.parse(text)
    except scopes.NotAScope as error:
        raise Usage(str(error), "Scopes look like project:shop, global or user.") from error
