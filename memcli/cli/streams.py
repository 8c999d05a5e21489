"""Where the words of one call came from and where its answer goes.

Results go to stdout, everything else to stderr. All text passes through here, so that
`--quiet`, `--json` and colour are decided in one place, and output is UTF-8 whatever the
locale says.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from memcli.cli.grammar import Call
from memcli.cli.render.paint import Piece, painted
from memcli.errors import Unavailable, Usage

if TYPE_CHECKING:
    from memcli.engine.kept import Kept
    from memcli.surroundings import Surroundings

EMPTY: Final = 1  # nothing was found: the exit code that --ok-if-empty turns into 0


@dataclass
class Streams:
    """The streams of one call with what its options say about looks.

    `log_folder` is where a bug is written down once a store is open; `kept` what a resident,
    which answers for another process, keeps of its store. `afterwards` is what remains to be
    done once the answer is out.
    """

    call: Call
    surroundings: "Surroundings"
    input: BinaryIO
    out: TextIO
    err: TextIO
    log_folder: Path | None = None
    kept: "Kept | None" = None
    afterwards: Callable[[], None] | None = None

    @property
    def json(self) -> bool:
        """Whether the answer is JSON."""
        return self.call.flag("json")

    @property
    def quiet(self) -> bool:
        """Whether only errors are printed."""
        return self.call.flag("quiet")

    @property
    def at_terminal(self) -> bool:
        """Whether a person reads stdout as it comes."""
        return self.surroundings.ttys[1]

    @property
    def width(self) -> int:
        """Columns to lay out for."""
        return self.surroundings.width

    @property
    def colour(self) -> bool:
        """Whether stdout takes colour."""
        return self._coloured(1)

    def _coloured(self, descriptor: int) -> bool:
        when = self.call.text("color") or "auto"
        environment = self.surroundings.environment
        if when == "auto":
            plain = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
            return self.surroundings.ttys[descriptor] and not plain
        return when == "always"

    def line(self, *pieces: Piece) -> None:
        """One line of the answer."""
        self.text(painted(pieces, colour=self.colour) + "\n")

    def row(self, *cells: str) -> None:
        """One line for another program: cells, none of which holds a tab, with tabs between them."""
        self.text("\t".join(cells) + "\n")

    def text(self, text: str) -> None:
        """Text that is already fit to print, as it is."""
        if not self.quiet:
            self._put(text)

    def raw(self, raw: bytes) -> None:
        """Bytes as they are: a file shown in a pipe, a path."""
        if self.quiet:
            return
        try:
            self._put(raw.decode())
        except UnicodeDecodeError:
            with _told():
                self.out.flush()
                self.out.buffer.write(raw)

    def looks(
        self,
        as_json: Callable[[], Mapping[str, object]],
        lines: Callable[[], Iterable[Sequence[Piece]]],
        rows: Callable[[], Iterable[Sequence[str]]],
    ) -> None:
        """The answer in the one look that was asked for: an object, lines for a person, rows for a pipe."""
        if self.json:
            self.answer(as_json())
        elif self.at_terminal:
            for pieces in lines():
                self.line(*pieces)
        else:
            for cells in rows():
                self.row(*cells)

    def answer(self, value: Mapping[str, object]) -> None:
        """The one object that `--json` asks for; --quiet does not silence it."""
        from memcli.cli.render.strict_json import dumps

        self.json_text(dumps(value) + "\n")

    def json_text(self, text: str) -> None:
        """A piece of JSON that is written as it grows; --quiet does not silence it."""
        self._put(text)

    def _put(self, text: str) -> None:
        with _told():
            self.out.write(text)

    def finish(self) -> None:
        """Hand everything to the system. Raises Unavailable where it does not take it."""
        with _told():
            self.out.flush()

    def say(self, *pieces: Piece) -> None:
        """One line for the person, beside the answer."""
        if not self.quiet:
            self.finish()
            self.err.write(painted(pieces, colour=self._coloured(2)) + "\n")

    def committed(self, commit: str | None) -> None:
        """Say which commit an act made, and how it is taken back; nothing where it made none."""
        if commit:
            self.say((f"Commit {commit[:10]}. Undo: mem undo", "dim"))

    def notices(self, notices: Iterable[str]) -> None:
        """Things the person should know, each once."""
        for notice in dict.fromkeys(notices):
            self.say(("Note: ", "warn"), notice)

    def read_text(self) -> str:
        """All of stdin as text. Raises Usage where it is not UTF-8."""
        raw = self.input.read()
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Usage(
                f"The text on stdin is not UTF-8 (byte {error.start + 1}).",
                "Convert it first, for example with iconv.",
            ) from error

    def worded(self, option: str) -> str | None:
        """The text of an option, which is stdin's for `-`; None where it was not given."""
        text = self.call.text(option)
        return self.read_text() if text == "-" else text

    def read_source(self, source: str, hint: str) -> str:
        """The text of the file called `source`, or of stdin for `-`. Raises Usage, with `hint`."""
        if source == "-":
            return self.read_text()
        try:
            folder = self.surroundings.cwd or Path()
            with open(folder / source if source else source, encoding="utf-8-sig") as file:  # noqa: PTH123 - "" too
                return file.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise Usage(f"{source} cannot be read: {reason}.", hint) from error


def run(streams: Streams) -> int:
    """Do what the call says, by importing only its verb; its exit code. Raises MemError."""
    from importlib import import_module

    module, _, name = streams.call.verb.run.partition(":")
    code: int = getattr(import_module(module), name)(streams)
    streams.finish()
    return 0 if code == EMPTY and streams.call.flag("ok_if_empty") else code


@contextmanager
def _told() -> Iterator[None]:
    """A full disk behind stdout is no bug of ours; a closed pipe is for the boundary."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unavailable(
            f"The answer could not be written: {error.strerror}.", "Nothing was lost but the output."
        ) from error


def of_process(call: Call, surroundings: "Surroundings") -> Streams:
    """The streams of this process."""
    return Streams(call, surroundings, sys.stdin.buffer, sys.stdout, sys.stderr)
