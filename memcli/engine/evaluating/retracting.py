"""How well a retraction finds who falls with it, measured on clusters that a person judged."""

from collections.abc import Sequence
from pathlib import Path

from memcli.engine.evaluating import labelled
from memcli.engine.opened import Opened
from memcli.errors import Unavailable, Usage
from memcli.memory import clusters
from memcli.memory.clusters import Measured, Member
from memcli.store import clusters as files


def run(opened: Opened, paths: Sequence[Path]) -> Measured:
    """The figures on the clusters of all files together, as one store; nothing is written.

    Without files those of the store, `gold/clusters/*.yaml`. Raises Usage and BadFile for files,
    Unavailable without an encoder, since related claims are found by what they mean.
    """
    own = labelled.own(opened, "gold/clusters/*.yaml")
    read = labelled.contents(opened, paths, own)
    if not read:
        raise Usage(
            "There are no clusters here (gold/clusters/*.yaml).", "Name a file: mem eval retract FILE"
        )
    found = tuple(one for path, raw in read for one in files.of_bytes(raw, path))
    if len({one.name for one in found}) < len(found):
        raise Usage("Two clusters have one name.", "Give each its own.")
    members = [one for cluster in found for one in cluster.members]
    return clusters.measured(found, _cosines(opened, members), opened.settings.constants)


def _cosines(opened: Opened, members: Sequence[Member]) -> dict[str, dict[str, float]]:
    encoder = opened.encoder
    if encoder is None:
        raise Unavailable(
            "There is no encoder, and related claims are found by what they mean.", "`mem doctor` says why."
        )
    vectors = encoder.encode([one.claim for one in members])
    near = (vectors @ vectors.T).round(6).tolist()
    return {
        one.id: {other.id: near[at][place] for place, other in enumerate(members)}
        for at, one in enumerate(members)
    }
