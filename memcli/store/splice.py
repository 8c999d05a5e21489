"""Where in a frontmatter block a value begins and ends, and the block with that place rewritten.

Works on the text, by the offsets that `head` kept; what it returns is not trusted until it
has been read again (see `edit`).
"""

from dataclasses import dataclass

from memcli.store import plain
from memcli.store.head import Keyed, NotRead, Text, Value
from memcli.store.plain import Plain


@dataclass(frozen=True, slots=True)
class Place:
    """One mapping of the block `block`; new lines end in `line_end`."""

    block: str
    keyed: Keyed
    line_end: str

    def added(self, name: str, value: Plain) -> str:
        """With a new key behind the others."""
        if self.keyed.flow:
            return self._added_in_flow(name, value)
        names = list(self.keyed.members)
        if not names:
            return self.block + self._lines(name, value, "")
        at = self._end_of_lines(names[-1])
        return self.block[:at] + self._lines(name, value, self._indent()) + self.block[at:]

    def replaced(self, name: str, value: Plain) -> str:
        """With another value for a key that is there; a text keeps its quotes."""
        held = self.keyed.members[name]
        if self.keyed.flow:
            return self._spliced(held, plain.inline(value, _style(held), flow=True))
        lines = plain.behind(value, self._indent())
        if len(lines) > 1 or _is_block(held):
            return self._relined(name, lines)
        if value == "":
            start = held.start - (self.block[held.start - 1 : held.start] == " ")
            return self.block[:start] + self.block[_end(self.block, held) :]
        return self._spliced(held, plain.inline(value, _style(held)))

    def removed(self, name: str) -> str:
        """Without a key, its value, and what stands on its lines."""
        if self.keyed.flow:
            start, end = self._span_in_flow(name)
        else:
            start, end = self._start_of_line(name), self._end_of_lines(name)
        return self.block[:start] + self.block[end:]

    def remarked(self, name: str, inner: Value) -> bool:
        """Whether a comment stands on the lines of `name`, beside its one value `inner`."""
        start, end = self.keyed.keys[name].start, self._end_of_lines(name)
        return "#" in self.block[start : inner.start] or "#" in self.block[inner.end : end]

    def _lines(self, name: str, value: Plain, indent: str) -> str:
        return "".join(line + self.line_end for line in plain.lines(name, value, indent))

    def _indent(self) -> str:
        first = next(iter(self.keyed.keys.values()))
        return self.block[self.block.rfind("\n", 0, first.start) + 1 : first.start]

    def _spliced(self, held: Value, text: str) -> str:
        end = _end(self.block, held)
        glued = held.start == end and self.block[held.start - 1 : held.start] == ":"
        return self.block[: held.start] + (" " if glued else "") + text + self.block[end:]

    def _relined(self, name: str, lines: list[str]) -> str:
        """Where the old or the new value takes lines of its own; the key itself stays as it is written."""
        held = self.keyed.members[name]
        colon = self.block.find(":", self.keyed.keys[name].end) + 1
        if not colon:  # `? key` alone
            raise NotRead(self.keyed.keys[name].start, name, f"{name} has no colon behind it")
        if len(lines) > 1 and _end(self.block, held) <= colon:
            at = self._end_of_lines(name)
            return self.block[:at] + "".join(line + self.line_end for line in lines[1:]) + self.block[at:]
        return self.block[:colon] + self.line_end.join(lines) + self.block[_end(self.block, held) :]

    def _start_of_line(self, name: str) -> int:
        at = self.keyed.keys[name].start
        start = self.block.rfind("\n", 0, at) + 1
        if self.block[start:at].strip(" "):
            raise NotRead(at, name, f"{name} does not begin its line")
        return start

    def _end_of_lines(self, name: str) -> int:
        """Behind the last line of a key's value."""
        held = self.keyed.members[name]
        if held.end and self.block[held.end - 1] == "\n" and held.end > held.start:
            return held.end  # a block scalar ends with its lines
        end = self.block.find("\n", max(held.end, self.keyed.keys[name].end))
        return len(self.block) if end < 0 else end + 1

    def _added_in_flow(self, name: str, value: Plain) -> str:
        pair = plain.inline({name: value})[1:-1]
        names = list(self.keyed.members)
        at = self.keyed.members[names[-1]].end if names else self.keyed.start + 1
        return self.block[:at] + (", " if names else "") + pair + self.block[at:]

    def _span_in_flow(self, name: str) -> tuple[int, int]:
        names = list(self.keyed.members)
        at = names.index(name)
        start, end = self.keyed.keys[name].start, self.keyed.members[name].end
        if at + 1 < len(names):
            return start, self.keyed.keys[names[at + 1]].start
        return (self.keyed.members[names[at - 1]].end if at else start), end


def _is_block(held: Value) -> bool:
    if isinstance(held, Text):
        return held.style in ("|", ">")
    return not held.flow


def _style(held: Value) -> str:
    return held.style if isinstance(held, Text) and held.style in ("'", '"') else ""


def _end(block: str, held: Value) -> int:
    """Where a value's text ends; the blank lines behind a block scalar are not part of it."""
    if isinstance(held, Text) and held.style not in ("|", ">"):
        return held.end
    return len(block[: held.end].rstrip(" \t\r\n"))
