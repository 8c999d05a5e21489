"""Review as one text: the queue in an editor, its decisions as a plan, then one commit each."""

from collections.abc import Sequence
from typing import Final

from memcli.cli import editor, person
from memcli.cli.opening import scope_of
from memcli.cli.render import text_of_queue as render
from memcli.cli.streams import EMPTY, Streams
from memcli.cli.verbs import review as verb
from memcli.engine import configured, remember
from memcli.engine.opened import Opened
from memcli.engine.reviewing import background, queue, review_plan
from memcli.engine.reviewing.review_plan import Planned
from memcli.errors import MemError, Refused
from memcli.memory import buffer
from memcli.memory.buffer import Word

NAME: Final = "review.md"


def edit(streams: Streams, opened: Opened) -> int:
    """`mem review --edit`."""
    stands = streams.surroundings
    person.allowed(streams, person.Act("Deciding about what waits for review", "", "", ask=verb.ASK))
    view, scope = queue.view_of(opened), scope_of(streams, opened)
    waiting = [one for one in queue.waiting(opened, view, scope) if one.schema is not None]
    if not waiting:
        streams.notices(opened.notices)
        streams.say("Nothing waits for a decision here.")
        return EMPTY
    blocks = [render.block(one, background.of(opened, view, one, scope)) for one in waiting]
    plan = review_plan.Plan(waiting, blocks)
    run = editor.command(stands.environment, lambda: configured.editor(opened), terminal=stands.terminal)
    streams.finish()
    before = buffer.written(blocks, render.guide(len(waiting))).encode()
    changed = editor.edited(
        run, NAME, before, plan.problems, lambda after: _carry_out(streams, opened, plan.of(after))
    )
    streams.notices(opened.notices)
    if not changed:
        streams.say("The text is as it was: nothing was decided.")
    return 0


def _carry_out(streams: Streams, opened: Opened, planned: Sequence[Planned]) -> None:
    """Show the plan, have a person's word for it, do it step by step. Raises what failed, at the end."""
    if not planned:
        streams.say("Nothing was decided.")
        return
    if streams.call.flag("dry_run"):
        for one in planned:
            streams.line(*render.planned(one))
        return
    person.word_for(streams, _plan(planned), *(verb.forgetting(one.waiting) for one in _forgetting(planned)))
    failed: list[MemError] = []
    for one in planned:
        try:
            _do(streams, opened, one)
        except MemError as error:
            failed.append(error)
    if failed:
        first = failed[0]
        first.details = (*first.details, *(error.message for error in failed[1:]))
        raise first


def _plan(planned: Sequence[Planned]) -> person.Act:
    shown = "\n".join(render.planned_text(one) for one in planned)
    return person.Act("Carrying out this plan", "yes", shown, f"{len(planned)} decisions", verb.ASK)


def _forgetting(planned: Sequence[Planned]) -> list[Planned]:
    return [one for one in planned if one.step.word is Word.FORGET]


def _do(streams: Streams, opened: Opened, one: Planned) -> None:
    """One decision, one commit."""
    reason, step = streams.call.text("reason") or "", one.step
    if step.word is Word.NEW:
        _remember(streams, opened, one, reason)
    elif step.word is Word.FORGET:
        verb.tell(streams, verb.forgotten(opened, one.waiting, reason))
    else:
        verb.tell(streams, verb.decided(opened, one.waiting, step.word.value, reason, step.text))


def _remember(streams: Streams, opened: Opened, one: Planned, reason: str) -> None:
    request = remember.Request(one.step.text, scope=one.step.of or None, reason=reason)
    done = remember.run(opened, request)
    if done.error:
        raise Refused(done.error, done.hint or "")
    streams.line(*render.remembered(done))
    streams.notices(done.notices)
