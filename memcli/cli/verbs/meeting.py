"""Sync and the merge driver."""

from memcli.cli.opening import open_for
from memcli.cli.render import met
from memcli.cli.streams import EMPTY, Streams


def sync(streams: Streams) -> int:
    """`mem sync`."""
    from memcli.engine.moving import syncing

    opened = open_for(streams)
    done = syncing.run(opened, streams.call.text("remote"))
    streams.notices(opened.notices)
    met.synced(streams, done)
    return 0


def merge_driver(streams: Streams) -> int:
    """`mem merge-driver`: exit 1 where the result holds conflicts."""
    from memcli.engine.moving import merging

    if streams.call.flag("install"):
        met.installed(streams, merging.install(open_for(streams)))
        return 0
    done = merging.drive(streams.surroundings, streams.call.texts("files"))
    met.merged(streams, done)
    return 0 if done.clean else EMPTY
