"""Why a receipt cannot be asked again: each reason has a name, a sentence and an exit code."""

from enum import StrEnum

from memcli.errors import BadFile, HistoryCut, MemError, Refused, Unavailable
from memcli.memory.numerals import counted


class Why(StrEnum):
    """The reasons, in the order in which they are looked for."""

    ALTERED = "altered"  # it is not what it was given as
    MASKED = "masked"  # its question held a credential, which was not kept
    STALE = "stale"  # the index was behind the files
    UNCOMMITTED = "uncommitted"  # it was given over what no commit holds
    HISTORY = "history"  # history was rewritten, cut or purged since
    ENGINE = "engine"  # other rules gave it
    ENCODER = "encoder"  # another encoder gave it
    SETTINGS = "settings"  # other settings gave it, and its commit does not hold them
    FORGOTTEN = "forgotten"  # what it was given over is forgotten now, and shown at no time


class Refusal(Exception):
    """A named refusal, with the error that a command ends with."""

    def __init__(self, why: Why, error: MemError) -> None:
        super().__init__(error.message)
        self.why = why
        self.error = error


def altered(name: str) -> Refusal:
    """Its id does not fit what it says: who asks by it asks something else than was asked."""
    return Refusal(
        Why.ALTERED,
        BadFile(f"{name} does not say what it was given as.", f"Where it differs: mem receipt verify {name}"),
    )


def masked() -> Refusal:
    """Its question held a credential."""
    return Refusal(
        Why.MASKED,
        Refused(
            "The question held what looked like a credential, which was not kept.",
            "Ask it again with mem recall.",
        ),
    )


def stale() -> Refusal:
    """It was given by an index that was behind the files."""
    return Refusal(
        Why.STALE,
        Refused(
            "The answer came from an index that was behind the files, and no commit holds that.",
            "What was known then: mem recall … --known-at COMMIT",
        ),
    )


def uncommitted(paths: tuple[str, ...]) -> Refusal:
    """It was given over files that lay on the disk otherwise than in the commit."""
    what = counted(len(paths), "file that was not committed", "files that were not committed")
    return Refusal(
        Why.UNCOMMITTED,
        Refused(
            f"The answer was given over {what}, so no commit gives it again."
            if paths
            else "The answer was given before anything was committed, so no commit gives it again.",
            "Save before asking where receipts matter: mem save",
            paths,
        ),
    )


def history(commit: str) -> Refusal:
    """The commit is not to be had any more."""
    return Refusal(
        Why.HISTORY,
        HistoryCut(
            f"The answer came from commit {commit[:12]}, which is not part of the history here any more.",
            "History was rewritten or purged, or this clone is another one.",
        ),
    )


def rewritten(error: HistoryCut) -> Refusal:
    """History was rewritten, and nobody accepted that."""
    return Refusal(Why.HISTORY, error)


def engine(gave: object, here: int) -> Refusal:
    """Other rules answer here."""
    return Refusal(
        Why.ENGINE,
        Unavailable(
            f"The answer was given by rules of version {gave}; this mem has version {here}.",
            "Install the mem that gave it, or see what became of it: mem receipt diff",
        ),
    )


def encoder(gave: object, here: object) -> Refusal:
    """Another encoder answers here."""
    return Refusal(
        Why.ENCODER,
        Unavailable(
            f"The answer was ranked by {_named(gave)}; here it would be by {_named(here)}.",
            "See what became of it instead: mem receipt diff",
        ),
    )


def _named(encoder: object) -> str:
    return f"the encoder {encoder}" if encoder else "words alone"


def settings() -> Refusal:
    """Other settings hold here and in the commit."""
    return Refusal(
        Why.SETTINGS,
        Unavailable(
            "The answer went by settings that hold neither here nor in its commit.",
            "See what became of it instead: mem receipt diff",
        ),
    )


def forgotten() -> Refusal:
    """Something that the answer was given over is forgotten now."""
    return Refusal(
        Why.FORGOTTEN,
        Refused(
            "Something that this answer was given over is forgotten now, and is shown at no time.",
            "See what became of the rest: mem receipt diff",
        ),
    )
