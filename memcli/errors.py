"""What can go wrong, as a person is told it: one sentence, one hint, one exit code.

Every room raises these; `__main__` alone turns them into text or JSON. Anything
else that escapes is a bug of ours (exit 70).
"""

from typing import ClassVar, Final

# What a file below `.mem/`, or a line, may raise while it is read: any store may have been made by somebody
# else. Numbers without end and brackets without end are no ValueError.
UNREADABLE: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


class MemError(Exception):
    """A refusal or failure that the user can act on.

    `message` is one sentence that names the thing; `hint` says what would work;
    `details` are further lines (the ids that match, the files in question).
    """

    code: ClassVar[int] = 70

    def __init__(self, message: str, hint: str = "", details: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class NothingKnown(MemError):
    """The moment asked about lies before all that was recorded: there is no answer, and that is one."""

    code = 1


class Usage(MemError):
    """The command line is wrong."""

    code = 2


class NoSuchMemory(MemError):
    """No memory has this id, or several do (they are listed in `details`)."""

    code = 3


class BadFile(MemError):
    """A file does not fit the format; `details` holds `path:line: key: what` lines."""

    code = 4


class Refused(MemError):
    """A person's act without a person, a secret, a removed claim, a foreign scope."""

    code = 5


class Unavailable(MemError):
    """The index, the encoder or git cannot be used; the files are unharmed."""

    code = 6


class HistoryCut(MemError):
    """History was rewritten or cut: the question cannot be answered from it."""

    code = 7


class Exhausted(Unavailable):
    """The process may open no more files, or has no memory left: that says nothing of any file."""


class NotFetched(Unavailable):
    """What is asked for lies in another clone alone: this one took only a part of history."""

    code = 7


class TryAgain(MemError):
    """Busy, changed underneath, or a merge is in progress on that file."""

    code = 8


class NoStore(MemError):
    """There is no store here."""

    code = 9
