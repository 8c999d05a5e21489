"""Procedures kept: what a task taught, captured as a SKILL.md, in one commit with its event.

The danger is a better page that forgets what went wrong before. So a page that replaces
another keeps the other's warnings, and an attempt that failed is added to the page as one
instead of replacing it.
"""

from dataclasses import dataclass

from memcli.engine.drafting import LOGIC, entropy
from memcli.engine.opened import Opened
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import BadFile, Refused, TryAgain, Usage
from memcli.journal import tree
from memcli.journal.message import Message
from memcli.memory import procedure as rules
from memcli.memory import times, tokens
from memcli.memory.procedure import Procedure
from memcli.store import atomic, event, fences, format, secrets, skill
from memcli.store.events import Event, Kind

_EXAMPLE = "It begins like this: ---, name: release-notes, description: How …, ---, then the steps."


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a procedure: `decision` is created, replaced, warned (it failed) or unchanged."""

    procedure: Procedure
    decision: str
    commit: str | None


def read(opened: Opened, text: str) -> Procedure:
    """The procedure that `text` would become in this scope; nothing is written.

    Raises Usage for a blank text, BadFile for one that is no skill, Refused for a secret.
    """
    if tokens.blank(text):
        raise Usage("The procedure is blank.", "Give a SKILL.md, or leave --procedure out.")
    raw = text.encode()
    stated = _stated_name(raw)
    found = skill.understood(skill.path_of(opened.scope, stated or "-"), raw)
    if found.procedure is None:
        details = tuple(f"{one.line}: {one.key}: {one.what}" for one in found.problems)
        raise BadFile("The procedure is no SKILL.md.", _EXAMPLE, details)
    secret = secrets.find(text)
    if secret:
        raise Refused(f"The procedure holds what looks like a secret ({secret}).", "Leave the secret out.")
    if len(raw) > format.LIMIT_BYTES // 2:  # half is left for the warnings that it may be given
        raise BadFile("The procedure is too large.", "Keep the steps; put the rest into files beside it.")
    return found.procedure


def _stated_name(raw: bytes) -> str:
    """The name that the frontmatter of `raw` states, where it can be the name of a folder."""
    from memcli.store import head

    try:
        fence = fences.find(raw)
        said = head.read(raw[fence.start : fence.end].decode()).members.get("name")
    except (fences.Unfenced, head.NotRead, UnicodeDecodeError):
        return ""
    name = said.value if isinstance(said, head.Text) else ""
    return name if rules.NAME.fullmatch(name) else ""


def capture(opened: Opened, session: str, text: str, *, failed: bool = False) -> Captured:
    """Keep `text`, a SKILL.md, as a procedure of this scope: one commit, none where it stands there already.

    With `failed` its body becomes a warning of the procedure of that name. Raises as `read`,
    and the writer's errors.
    """
    meant = read(opened, text)
    with writing(opened, "capture") as writer:
        before = _before(opened, meant.path)
        after = _after(opened, before, text, failed=failed).encode()
        if before == after:
            return Captured(meant, "unchanged", None)
        _save_by_hand(writer, meant)
        expected = None if before is None else format.digest(before)
        operation = Operation(
            Message("capture", meant.description, session=session),
            (FileChange(meant.path, expected, after),),
            (_event(opened, session, meant),),
        )
        commit = writer.carry_out(operation)
    decision = "warned" if failed else "created" if before is None else "replaced"
    return Captured(meant, decision, commit)


def _before(opened: Opened, path: str) -> bytes | None:
    try:
        return atomic.read(opened.place, path)
    except TryAgain:
        return None


def _after(opened: Opened, before: bytes | None, text: str, *, failed: bool) -> str:
    head, body = _parts(text.encode())
    old_head, old_body = ("", "") if before is None else _parts(before)
    if failed:
        day = times.show_day(opened.now)
        return (old_head or head) + rules.failed(old_body, body, day)
    return head + rules.with_warnings(old_body, body)


def _parts(raw: bytes) -> tuple[str, str]:
    try:
        head, body = fences.split(raw)
    except fences.Unfenced:  # a page that cannot be understood any more is all warning
        head, body = b"", raw
    return head.decode(errors="replace"), body.decode(errors="replace")


def _save_by_hand(writer: Writer, meant: Procedure) -> None:
    """What somebody wrote there by hand is committed first, so that replacing it loses nothing."""
    if any(one.path == meant.path for one in tree.uncommitted(writer.opened.journal, (meant.path,))):
        writer.carry_out(Operation(Message("edit", meant.description), further=(meant.path,)))


def _event(opened: Opened, session: str, meant: Procedure) -> Event:
    return Event(
        id=event.new_id(opened.now_ms, entropy()),
        at=opened.now,
        scope=opened.scope,
        actor=str(opened.actor),
        kind=Kind.PROCEDURE,
        logic=LOGIC,
        text=meant.description,
        session=session,
        data={"name": meant.name, "path": meant.path},
    )


def unsaved(opened: Opened) -> tuple[str, ...]:
    """Paths below `procedures/` that differ from the last commit, hidden ones and links left out."""
    if not opened.place.procedures.is_dir() and opened.journal.head() is None:
        return ()
    found = tree.uncommitted(opened.journal, (skill.FOLDER,))
    return tuple(
        one.path for one in found if skill.is_path(one.path) and skill.entered(opened.place, one.path)
    )


def unfit(opened: Opened, path: str) -> str:
    """Why the file `path` of a procedure is not committed as it is; empty where it is."""
    try:
        raw = atomic.read(opened.place, path)
    except TryAgain:
        return ""  # deleted
    except BadFile as error:
        return error.message
    secret = secrets.find(raw.decode("utf-8", "replace"))
    return f"holds what looks like a secret ({secret})" if secret else ""
