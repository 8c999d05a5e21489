"""Files as nobody means them: fixtures damaged at random, and files made of whatever is awkward.

Everything is drawn from the dice that it is given, so a file that breaks something can be made again.
"""

import re
from pathlib import Path

# fmt: off
FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"
# Few claims and concepts, so that the encoder is asked for few texts: what is on trial is the files.
CLAIMS = (
    *("The refund window is 14 days.", "Deploys happen on Tuesdays only."),
    *("# Title\n\nInvoices are blue.", "Otters\nsleep\nafloat."),
    *("```\ncode: yes\n\nstatus: forgotten\n```", "Stock is counted in June", "Ana\u202e said\u202c no."),
    *("caf\xe9 \u05e9\u05dc\u05d5\u05dd \U0001f469\u200d\U0001f467 \u0928\u093f", "- one\n- two"),
    *("Keys are\x1b[31m red.", "status: forgotten", "\u200b\U000e0041 hidden", "A" * 300),
    *("* * *\n\nAfter a rule.",),
)
# What is taken out is mostly said by nobody else: what says it again is withheld, which other tests show.
GONE = ("The old office closes at noon.", "Wages are paid in cash.", "The lift is out of order.")
STATUSES = ["staged", "active", "needs_review", "superseded", "stale", "retracted", "archived", "forgotten"]
VALUES = (
    *("", "~", "null", "no", "yes", "true", "1e3", "0x1F", "0o17", "1_000", "12:30", "=", "<<", "-", "?"),
    *(".", "2026-07-01", "2026-07-01T10:00:00Z", "2026-02-30", "0000-01-01", "9999-12-31T23:59:59Z"),
    *("10000-01-01", "&a x", "*a", "!!python/object/apply:os.system [id]", "!!binary aGk=", "!t x", "|"),
    *(">-", "|2", "%a", "@a", "'it''s'", '"a\\nb"', '"\\ud800"', '"\\0"', '"\\x1b[2J"', "'open", '"open'),
    *("[a, b", "{a: b", "[]", "{}", "[[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]", "{a: {b: {c: d}}}"),
    *("a: b", "a #b", "a# b", "# a", "x" * 5000, "\u202eevil", "a\u2028b", "a\x85b", "a\xadb", "\ufeff"),
    *("\U000e0041", "../../etc/passwd", "-rf", "$(id)", "project:t", "project:other", "global", "user"),
    *("project:../x", "*", "team:\xc5", "human", "consolidator", "staged", "active", "needs_review"),
    *("superseded", "stale", "retracted", "archived", "forgotten", "Active", "ACTIVE ", "deleted"),
    *("fact", "lesson", "portable", "global", "0.5", "2", "-1", "nan", "[aaaa, bbbb]"),
    *("[{to: aaaa, rel: x}]", "{reason: proposal, of: [aaaa]}", "outdated", "duplicate", "inf"),
    *("[{event: 01k8z3v7q4, quote: x}]", "{from: 2026-01-01, to: 2025-01-01}", "{from: 2030-01-01}"),
    *("[a, [b]]",),
)
KEYS = (
    *("id", "type", "status", "scope", "stage", "stage_pinned", "validity", "concept", "evidence"),
    *("review", "stale_reason", "archive_reason", "supersedes", "superseded_by", "retraction"),
    *("overrides", "confidence", "origin", "trust", "tags", "links", "key", "Status", "status "),
    *("'status'", '"scope"', "sta\xadtus", "st\u0430tus", "valid_from", "x-own", "? status", "<<"),
    *("\u202estatus", "status\u200b", "a b", "123", "-", "..."),
)
TOKENS = (
    *(b"---\n", b"---", b"\n---\n", b"...\n", b"%YAML 1.1\n---\n", b"\n\n", b"\r", b"\r\n", b"\t", b"  "),
    *(b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"\xe2\x80\xa8", b"\xc2\x85", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81", b"\x1b[2J", b"\x7f", b"\x08"),
    *(b"\xcc\x81", b"\xe2\x80\x8b", b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> x\n", b"||||||| x\n"),
    *(b"status: forgotten\n", b"status: active\n", b"id: x\n", b"scope: global\n", b"&a ", b"*a", b"!!"),
    *(b"<<: *a\n", b"'", b'"', b"[", b"]", b"{", b"}", b": ", b"# ", b"|\n", b">\n", b"- ", b"? "),
    *(b"+++\n", b"```\n", b"a: &a [x,x]\nb: &b [*a,*a]\n", b"\\", b"\xe2\x81\xa6"),
)
OPENINGS = (
    *("---\n", "--- \n", "---\t\n", "\ufeff---\n", "---\r\n", "\n---\n", "----\n", "--- #\n", "+++\n"),
    *("", " ---\n"),
)
CLOSINGS = ("---\n", "---\r\n", "--- \n", "...\n", "---", " ---\n", "----\n", "", "---\n---\nid: b\n---\n")
COUNTING = (
    *("", "", "", "status: active\n", "status: staged\n", "status: superseded\nsuperseded_by: aaaa\n"),
    *("status: needs_review\nreview: {reason: resembles, of: [aaaa]}\n",),
    *("status: stale\nstale_reason: outdated\n", "status: stale\nstale_reason: withdrawn\n"),
    *("status: archived\narchive_reason: rejected\n", "status:\n"),
    *("status: retracted\nretraction:\n  reason: never so\n", "status: 'forgotten' # why\n"),
    *("status: forgotten\n",),
)
HARMLESS = (
    *("scope: project:t\n", "scope: project:other\n", "scope: global\n", "scope: 'team:\xc5'\n"),
    *("type: lesson\n", "concept: refund\n", "tags: [a, 'b c']\n", "tags:\n- a\n- b # c\n"),
    *("x-own: {a: [b, {c: d}]}\n", "# words\n", "validity:\n  from: 2026-01-01\n"),
    *("validity: {to: 2020-01-01}\n", "validity:\n  from: 2090-01-01\n", "\n", "stage: global\n"),
    *("stage: portable\nstage_pinned: true\n", "origin: agent\ntrust: untrusted\n", "key: k1\n"),
    *("evidence:\n  - event: 01k8z3v7q4\n    quote: from July\n", "links: [{to: aaaa, rel: about}]\n"),
    *("key: |\n  a\n", "confidence: 0.3\n", "overrides: [aaaa]\n", "supersedes: [aaaa, bbbb]\n"),
    *('concept: "a\\u202eb"\n', "note: >-\n  a\n"),
)
INDENTS = ("  ", "- ", "", "\t", "   - ")
COLONS = (": ", ": ", ": ", ":", " : ", ":\t")
NAMES = (
    *("a.md", "-rf.md", "--.md", "a b.md", "$(id).md", "a'b.md", 'a"b.md', "a\nb.md", "a\x1bb.md"),
    *("%2e%2e.md", "..md", "caf\xe9.md", "cafe\u0301.md", "\u202ea.md", "\u200b.md", "CON.md", "a.MD.md"),
    *("\U0001f600.md", "a\u2028b.md", "x" * 200 + ".md", "{id}.md", "*.md", "a;b.md", "a|b.md", "#.md"),
    *("~.md", "a\\b.md", ":x.md", "!x.md"),
)
FOLDERS = (
    *("schemas/project/t", "schemas/project/t", "schemas/project/t", "schemas/project/t/sub"),
    *("schemas/project/other", "schemas/user", "schemas/global", "schemas", "schemas/project"),
    *("schemas/team/%c3%85", "schemas/project/..x"),
)
# fmt: on
_ID = re.compile(rb"^(id:[ \t]*)[\"']?[A-Za-z0-9._-]+[\"']?", re.MULTILINE)


class Mangler:
    """Draws files from `dice`: their bytes, and where they lie."""

    def __init__(self, dice):
        self.dice = dice
        self.fixtures = [path.read_bytes() for path in sorted(FIXTURES.glob("*/*.md"))]

    def file(self, number):
        """The bytes of one file; where it names an id it is mostly one of its own, made of `number`."""
        raw = self.chosen((self.damaged, self.damaged, self.made, self.sound, self.sound))()
        if self.dice.random() < 0.9:
            raw = _ID.sub(rb"\g<1>fz%07d" % number, raw, count=1)
        return raw[: 1 << 17]

    def place(self, number):
        """A path for one file, no two alike."""
        folder = self.dice.choice(FOLDERS)
        if self.dice.random() < 0.7:
            return f"{folder}/f{number:07}.md"
        return f"{folder}/{number:07}/{self.dice.choice(NAMES)}"

    def damaged(self):
        """A fixture after one to five accidents."""
        raw = self.dice.choice(self.fixtures)
        for _ in range(self.dice.choice((1, 1, 1, 2, 2, 3, 5))):
            raw = self.dice.choice(ACCIDENTS)(self, raw)
        return raw

    def made(self):
        """A file of drawn keys, values and body."""
        common = self.dice.random() < 0.6
        opening, closing = ("---\n", "---\n") if common else (self.chosen(OPENINGS), self.chosen(CLOSINGS))
        lines = [f"id: x{self.dice.randrange(10**6)}\n"] if self.dice.random() < 0.8 else []
        lines += [self.line() for _ in range(self.dice.choice((0, 1, 1, 2, 3, 5, 8)))]
        end = self.chosen(("\n", "", "\r\n", "\n\n"))
        text = f"{opening}{''.join(lines)}{closing}{end}{self.chosen(CLAIMS)}{end}"
        return (text.replace("\n", "\r\n") if self.dice.random() < 0.1 else text).encode(
            "utf-8", "surrogatepass"
        )

    def sound(self):
        """A file that mostly fits the format, of any status."""
        counting = self.chosen(COUNTING)
        claim = self.chosen(GONE if "forgotten" in counting or "retracted" in counting else CLAIMS)
        keys = [f"id: x{self.dice.randrange(10**6)}\n", counting]
        keys += [self.chosen(HARMLESS) for _ in range(self.dice.choice((0, 1, 2, 4)))]
        self.dice.shuffle(keys)
        raw = f"---\n{''.join(dict.fromkeys(keys))}---\n\n{claim}\n".encode()
        return self.chosen(ACCIDENTS)(self, raw) if self.dice.random() < 0.2 else raw

    def line(self):
        """One line (or a few) of a frontmatter; a status is mostly a word that counts."""
        key = self.chosen(KEYS)
        if self.dice.random() < 0.3:
            return f"status: {self.chosen(STATUSES)}\n" + self.chosen(REASONS)
        if self.dice.random() < 0.15:
            return f"{key}:\n{self.chosen(INDENTS)}{self.chosen(KEYS)}: {self.chosen(VALUES)}\n"
        return f"{key}{self.chosen(COLONS)}{self.chosen(VALUES)}\n"

    def chosen(self, several):
        """One of several."""
        return self.dice.choice(several)

    def cut(self, raw):
        """Two places in `raw`, the earlier first."""
        first = self.dice.randrange(len(raw) + 1)
        return first, min(len(raw), first + self.dice.choice((1, 1, 2, 5, 20, 100)))


# fmt: off
REASONS = (
    *("", "", "review: {reason: proposal}\n", "review:\n  reason: conflict\n  of: [aaaa]\n"),
    *("stale_reason: outdated\n", "archive_reason: rejected\n", "stale_reason: withdrawn\n"),
    *("archive_reason: duplicate\nstale_reason: x\n",),
)
# fmt: on


def _flipped(mangler, raw):
    at = mangler.dice.randrange(len(raw) or 1)
    return raw[:at] + bytes([mangler.dice.randrange(256)]) + raw[at + 1 :]


def _lost(mangler, raw):
    first, last = mangler.cut(raw)
    return raw[:first] + raw[last:]


def _doubled(mangler, raw):
    first, last = mangler.cut(raw)
    return raw[:last] + raw[first:last] + raw[last:]


def _given(mangler, raw):
    at = mangler.dice.randrange(len(raw) + 1)
    return raw[:at] + mangler.chosen(TOKENS) + raw[at:]


def _given_a_line(mangler, raw):
    lines = raw.splitlines(keepends=True)
    lines.insert(mangler.dice.randrange(len(lines) + 1), mangler.line().encode("utf-8", "surrogatepass"))
    return b"".join(lines)


def _lines_moved(mangler, raw):
    lines = raw.splitlines(keepends=True)
    mangler.dice.shuffle(lines) if mangler.dice.random() < 0.3 else lines.reverse()
    return b"".join(lines)


def _line_lost(mangler, raw):
    lines = raw.splitlines(keepends=True)
    if lines:
        del lines[mangler.dice.randrange(len(lines))]
    return b"".join(lines)


def _grafted(mangler, raw):
    other = mangler.chosen(mangler.fixtures)
    return raw[: mangler.cut(raw)[0]] + other[mangler.cut(other)[0] :]


def _value_changed(mangler, raw):
    lines = raw.split(b"\n")
    at = mangler.dice.randrange(len(lines))
    key, colon, _ = lines[at].partition(b":")
    if colon:
        lines[at] = key + b": " + mangler.chosen(VALUES).encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _torn(mangler, raw):
    return raw[: mangler.dice.randrange(len(raw) + 1)]


def _marked(mangler, raw):
    return b"\xef\xbb\xbf" + raw


def _other_line_ends(mangler, raw):
    return raw.replace(b"\n", mangler.chosen((b"\r\n", b"\r", b"\n\n", b"\x0b")))


ACCIDENTS = (
    *(_flipped, _lost, _doubled, _given, _given, _given_a_line, _given_a_line, _lines_moved, _line_lost),
    *(_grafted, _value_changed, _value_changed, _value_changed, _torn, _marked, _other_line_ends),
)
