"""Init, status and config."""

from memcli.cli.opening import open_for
from memcli.cli.render import standing as render
from memcli.cli.render.text import one_line
from memcli.cli.streams import Streams
from memcli.engine import starting
from memcli.engine.health import status as standing_of
from memcli.errors import Usage
from memcli.resident import starting as resident_of


def init(streams: Streams) -> int:
    """`mem init`."""
    call = streams.call
    if call.text("store") is not None:
        raise Usage("mem init takes its folder as a word, and no --store.", "For example: mem init ~/notes")
    made = starting.init(
        streams.surroundings,
        starting.InitRequest(
            folder=call.text("dir"),
            branch=call.text("branch"),
            here=call.flag("here"),
            dry_run=call.flag("dry_run"),
        ),
    )
    if streams.json:
        streams.notices(made.notices)
        streams.answer(render.made_json(made))
        return 0
    for step in made.steps:
        streams.line(step)
    streams.notices(made.notices)
    if made.existed:
        streams.say(f"There is a store in {made.root} already: nothing was changed.")
    elif not call.flag("dry_run"):
        streams.say('Next: mem remember "…"')
        if call.flag("here") or call.text("branch"):
            streams.say("For smoother merges by git pull: mem merge-driver --install")
    return 0


def status(streams: Streams) -> int:
    """`mem status`."""
    opened = open_for(streams)
    standing = standing_of.run(opened)
    streams.notices((*opened.notices, *standing.notices))
    resident = resident_of.status(opened.place)
    if streams.json:
        streams.answer({**render.as_json(standing), "resident": resident})
        return 0
    for pieces in render.lines(standing, resident):
        streams.line(*pieces)
    return 0


def trust(streams: Streams) -> int:
    """`mem trust`."""
    from memcli.cli import person
    from memcli.engine import trust as engine

    opened = open_for(streams)
    programs = engine.programs(opened)
    if not engine.holds(streams.surroundings, opened.place.root):
        shown = render.trusting(programs)
        person.word_for(streams, person.Act("Trusting a store", "trust", shown, str(opened.place.root)))
    done = engine.add(streams.surroundings, opened.place.root)
    if streams.json:
        streams.answer(render.trusted_json(done, programs))
        return 0
    streams.line("Trusted already: " if done.before else "Trusted: ", (done.root, "name"))
    for program in programs:
        streams.line("  ", one_line(program))
    return 0


def config(streams: Streams) -> int:
    """`mem config`."""
    from memcli.engine import configured

    opened = open_for(streams)
    found = configured.settings(opened, streams.call.text("key"))
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(render.configured_json(found))
        return 0
    for one in found:
        origin = (one.where,) if streams.call.flag("show_origin") else ()
        if streams.at_terminal:
            streams.line((f"{one.key:<24}", "name"), *(f"  {cell}" for cell in (one.toml, *origin)))
        else:
            streams.row(one.key, one.plain, *origin)
    return 0
