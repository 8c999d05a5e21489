"""What became of files: findings, edits by hand, what an editor wrote."""

from typing import TYPE_CHECKING

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.cli.streams import Streams
    from memcli.engine.checking import Checked, Finding
    from memcli.engine.saving import HandEdit, Saved
    from memcli.engine.writing import Written


def finding(one: "Finding") -> tuple[Piece, ...]:
    """`path:line: key: what`, as compilers and editors have it."""
    key = f"{one.key}: " if one.key else ""
    place = f"{one.path}:{one.line}" if one.line else one.path  # 0 is the file as a whole
    return (f"{place}: ", "name"), f"{key}{one.what}"


def counts(found: "Checked") -> str:
    """How the files add up."""
    return f"{counted(found.set_aside, 'file')} set aside, {found.understood} understood."


def checked_json(found: "Checked") -> dict[str, object]:
    """The object of `mem.check/1`."""
    return {
        "format": "mem.check/1",
        "files": found.files,
        "understood": found.understood,
        "set_aside": found.set_aside,
        "findings": [
            {
                "path": one.path,
                "line": one.line,
                "key": one.key or None,
                "what": one.what,
                "severity": one.severity,
            }
            for one in found.findings
        ],
        "fixed": list(found.fixed),
        "commit": found.commit,
    }


def edit(one: "HandEdit") -> tuple[Piece, ...]:
    """One changed file and what the difference says happened."""
    change = (
        f"{one.prior_status or 'none'} → {one.status or 'none'}" if one.prior_status != one.status else ""
    )
    why = one.refused or one.needs_person
    pieces: list[Piece] = [(one.op, "strong"), "  ", (one.id, "name"), f"  {one.path}"]
    if change:
        pieces.append((f"  {change}", "dim"))
    if why:
        pieces.append((f"  ({one_line(why)})", "warn"))
    return tuple(pieces)


def _edit_json(one: "HandEdit") -> dict[str, object]:
    return {
        "path": one.path,
        "id": one.id,
        "op": one.op,
        "prior_status": one.prior_status,
        "status": one.status,
        "text": one.claim,
        "needs_person": one.needs_person or None,
        "refused": one.refused or None,
        "overrides": list(one.overrides),
    }


def planned_json(edits: tuple["HandEdit", ...]) -> dict[str, object]:
    """The object of `mem.save/1` for a dry run."""
    return {"format": "mem.save/1", "edits": [_edit_json(one) for one in edits], "left": [], "commits": []}


def saved_json(done: "Saved") -> dict[str, object]:
    """The object of `mem.save/1`."""
    commits = done.commits or ((done.commit,) if done.commit else ())
    return {
        "format": "mem.save/1",
        "edits": [_edit_json(one) for one in done.edits],
        "left": [_edit_json(one) for one in done.left],
        "commits": list(commits),
    }


def written(streams: "Streams", done: "Written") -> None:
    """Show what an editor, or a move, came to."""
    if streams.json:
        told: dict[str, object] = {
            "format": "mem.act/1",
            "op": done.op,
            "id": done.id,
            "path": done.path,
            "text": done.claim,
            "commit": done.commit,
        }
        streams.answer(told)
        return
    if done.commit is None:
        streams.say("Nothing was changed.")
        return
    if streams.at_terminal:
        streams.line((done.id, "name"), f"  {done.path}")
        streams.line(one_line(done.claim))
    else:
        streams.row(done.id, done.op, done.path)
    streams.committed(done.commit)
