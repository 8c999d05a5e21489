"""What an audit can find: values, one for each change that no entry of the journal explains."""

from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """What sort of thing was found."""

    STATUS = "status"  # a status changed, a file came or went, and no entry says so
    TEXT = "text"  # a file was changed by a commit that mem did not make
    UNTRUE = "untrue"  # an entry says what the file of its commit does not
    DIFFERS = "differs"  # what the entries come to is not what the file says
    LINES = "lines"  # lines of a file that only grows are gone
    UNSIGNED = "unsigned"  # a signature is demanded, and there is none
    SIGNATURE = "signature"  # there is one, and it is bad or of nobody who may sign


@dataclass(frozen=True, slots=True)
class Finding:
    """One of them: in which commit, of whom, at which record time (seconds since 1970).

    `prior` and `status` are those of the memory `id` before and after, empty where nothing is said
    of a status; `why` says more in words.
    """

    sort: Sort
    commit: str
    at: int
    author: str
    path: str = ""
    id: str = ""
    prior: str = ""
    status: str = ""
    why: str = ""
