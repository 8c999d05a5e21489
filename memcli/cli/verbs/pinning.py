"""Stage pin: a person says how far a memory may travel."""

from typing import Final

from memcli.cli import person
from memcli.cli.opening import open_for
from memcli.cli.render import reach
from memcli.cli.streams import Streams
from memcli.engine import forget as targeting
from memcli.engine.use import pinning as engine
from memcli.errors import Usage
from memcli.memory.schema import Stage

_STAGES: Final = {stage.word: stage for stage in Stage}
_ASK: Final = "Tell the person which memory should be seen from where, and why."
_GIVEN: Final = 2  # an id and a stage


def pin(streams: Streams) -> int:
    """`mem stage pin`."""
    id_, stage = _given(streams)
    opened = open_for(streams)
    (target,) = targeting.targets(opened, (id_,))
    about = f"{target.type}  {target.status}  {target.scope}, to be {stage.word}"
    person.word_for(streams, person.Act("Pinning a stage", target.id, target.claim, about, _ASK))
    done = engine.pin(opened, target.id, stage, streams.call.text("reason") or "")
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(reach.pinned_json(done))
    elif streams.at_terminal:
        streams.line(*reach.pinned(done))
    else:
        streams.row(done.id, engine.PIN, done.prior.word, done.stage.word)
    if not streams.json:
        streams.committed(done.commit)
    return 0


def _given(streams: Streams) -> tuple[str, Stage]:
    """The id and the stage of this call. Raises Usage."""
    words = streams.call.texts("ids")
    if len(words) != _GIVEN or words[1] not in _STAGES:
        raise Usage(
            "mem stage pin takes one ID and one STAGE.",
            f"The stages are {', '.join(_STAGES)}: mem stage pin k3v9 portable",
        )
    return words[0], _STAGES[words[1]]
