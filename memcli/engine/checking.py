"""Check: what in the files does not fit the format, and what mem can put right itself."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Finding:
    """`path:line: key: what`; `severity` is error (set aside) or warning."""

    path: str
    line: int
    key: str
    what: str
    severity: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Files on disk = understood + set aside, always. `fixed` paths were rewritten by --fix."""

    findings: tuple[Finding, ...]
    files: int
    understood: int
    set_aside: int
    fixed: tuple[str, ...] = ()
    commit: str | None = None


def run(opened: Opened, paths: tuple[str, ...] = (), *, fix: bool = False) -> Checked:
    """Read every file (or those named). With `fix`, write missing ids and move misplaced files."""
    raise NotImplementedError
