"""Doctor: what is wrong and what to do; with --fix what mem can put right by itself is put right."""

from memcli.cli.render import health as render
from memcli.cli.streams import Streams
from memcli.engine.health import doctor as engine
from memcli.engine.health.examining import Finding, Level
from memcli.errors import Unavailable
from memcli.resident import examining as resident

UNAVAILABLE = Unavailable.code


def doctor(streams: Streams) -> int:
    """`mem doctor`."""
    call = streams.call
    request = engine.Request(call.text("store"), _scope(streams), call.flag("deep"))
    health = engine.run(streams.surroundings, request, resident.CHECKS)
    fixed: tuple[Finding, ...] = ()
    if call.flag("fix"):
        fixed = engine.mend(streams.surroundings, request, health, resident.MENDS)
        health = engine.run(streams.surroundings, request, resident.CHECKS) if fixed else health
    render.told(streams, health, fixed)
    return UNAVAILABLE if health.at(Level.FAIL) else 0


def _scope(streams: Streams) -> str | None:
    """The scope that is named; every scope at once makes no difference here."""
    scope = streams.call.text("scope")
    return None if scope == "*" else scope
