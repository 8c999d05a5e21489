"""Receipt: listed, shown, verified, replayed, and compared with what holds today."""

from collections.abc import Callable
from itertools import islice

from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import fates, replayed
from memcli.cli.render import receipts as look
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.opened import Opened
from memcli.engine.receipts.finding import Found
from memcli.errors import BadFile, Usage
from memcli.memory import receipt as rules


def receipt(streams: Streams) -> int:
    """`mem receipt`."""
    action = streams.call.text("action") or "list"
    _refuse_contradictions(streams, action)
    opened = open_for(streams)
    if action == "list":
        return _list(streams, opened)
    from memcli.engine.receipts import finding

    scope = scope_of(streams, opened)
    found = [finding.one(opened, text, scope) for text in streams.call.texts("receipts")]
    acts: dict[str, Callable[[Streams, Opened, Found], int]] = {
        "show": _show,
        "verify": _verify,
        "diff": _diff,
        "replay": _replay,
    }
    codes = [acts[action](streams, opened, one) for one in found]
    streams.notices(opened.notices)
    return max(codes)


def _refuse_contradictions(streams: Streams, action: str) -> None:
    """Raise Usage for words that this action does not take."""
    call = streams.call
    named = bool(call.texts("receipts"))
    if action != "list" and not named:
        raise Usage(f"mem receipt {action} needs RECEIPT: which one.", "`mem receipt list` shows them.")
    if action == "list" and named:
        raise Usage("mem receipt list takes no RECEIPT.", "See mem receipt --help.")
    if call.whole("limit") and action != "list":
        raise Usage("--limit goes only with mem receipt list.", "See mem receipt --help.")
    if call.text("at") and action != "replay":
        raise Usage("--at goes only with mem receipt replay.", "See mem receipt --help.")


def _list(streams: Streams, opened: Opened) -> int:
    from memcli.engine.receipts import finding, unsaid

    veil = unsaid.read(opened)
    found = list(islice(finding.every(opened, scope_of(streams, opened)), streams.call.whole("limit")))
    if streams.json:
        streams.answer(
            {"format": "mem.receipts/1", "receipts": [look.listed_json(one, veil) for one in found]}
        )
    elif streams.at_terminal:
        from memcli.cli.render.tables import table

        table(streams, look.HEADS, [look.listed(one, veil, opened.settings.timezone) for one in found])
    else:
        for one in found:
            streams.row(*look.listed_row(one, veil))
    streams.notices(opened.notices)
    if not found and not streams.json:
        streams.say("No receipts are kept here. mem recall … --receipt writes one.")
    return 0 if found else EMPTY


def _show(streams: Streams, opened: Opened, found: Found) -> int:
    from memcli.engine.receipts import unsaid

    veil = unsaid.read(opened)
    if rules.touched(found.raw, found.name):
        streams.notices((f"{found.name} does not say what it was given as (mem receipt verify).",))
    if streams.json:
        streams.answer(look.shown_json(found, veil))
    elif streams.at_terminal:
        for pieces in look.shown(found, veil, opened.settings.timezone):
            streams.line(*pieces)
    else:
        streams.text(look.spelled(found, veil) + "\n")
    return 0


def _verify(streams: Streams, opened: Opened, found: Found) -> int:
    from memcli.engine.receipts import verifying

    done = verifying.verify(opened, found)
    streams.looks(
        lambda: replayed.verified_json(found, done),
        lambda: replayed.verified(found, done),
        lambda: replayed.verified_rows(found, done),
    )
    if done.outcome == verifying.ALTERED:
        return BadFile.code
    return done.refusal.error.code if done.refusal else 0


def _replay(streams: Streams, opened: Opened, found: Found) -> int:
    from memcli.engine.receipts import replaying

    at = streams.call.text("at")
    if at is not None:
        return _replay_at(streams, opened, found, at)
    done = replaying.replay(opened, found)
    if streams.json:
        streams.answer(replayed.replayed_json(found, done))
    elif done.refusal is not None:
        if len(streams.call.texts("receipts")) == 1:
            raise done.refusal.error
        streams.line(*replayed.refused(found, done.refusal))
    else:
        for pieces in replayed.replayed(found, done, opened.settings.timezone):
            streams.line(*pieces)
    if done.refusal is not None:
        return done.refusal.error.code
    return 0 if done.equal else BadFile.code


def _replay_at(streams: Streams, opened: Opened, found: Found, at: str) -> int:
    from memcli.engine.receipts import replaying

    _refuse_altered(found)
    done = replaying.at(opened, found.receipt, at)
    if streams.json:
        streams.answer(replayed.replayed_at_json(found, done))
    else:
        for pieces in replayed.replayed_at(found, done, opened.settings.timezone):
            streams.line(*pieces)
    return 0 if done.same else EMPTY


def _refuse_altered(found: Found) -> None:
    """Raise BadFile for a receipt that somebody touched: its question is nobody's."""
    from memcli.engine.receipts import finding, refusing

    try:
        finding.refuse_altered(found)
    except refusing.Refusal as refusal:
        raise refusal.error from None


def _diff(streams: Streams, opened: Opened, found: Found) -> int:
    from memcli.engine.receipts import comparing

    _refuse_altered(found)
    done = comparing.compare(opened, found.receipt)
    streams.looks(
        lambda: fates.compared_json(done),
        lambda: fates.compared(done, opened.settings.timezone),
        lambda: fates.compared_rows(done),
    )
    return 0
