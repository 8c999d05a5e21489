"""Files that nobody means, by the thousand: each is understood rightly or set aside, and none is in the way.

Each is parsed by itself, every fourth edited and written back too; every fortieth round also lies in a store,
where commands check, index, recall and list it beside files that are sound. `--campaign 250` makes 200,000 of them. What a file says is read a second time here, by
YAML's own loader and the plainest rule about fences, so that a status or scope that is believed and does
not stand there cannot pass.
"""

import dataclasses
import json
import unicodedata
from datetime import UTC

import pytest
import yaml
from mangled import Mangler

from memcli.errors import BadFile
from memcli.memory.schema import Status
from memcli.store import edit, fences, scan
from memcli.store import format as files

FILES = 200  # of each round
IN_A_STORE = 40  # each so manieth round
WRITTEN = 4  # each so manieth file is also edited, and written afresh
WITNESSES = {
    "wit00000aaaa": ("project/t", "Kingfishers nest in the third canal."),
    "wit00001aaaa": ("user", "Kingfishers are never fed on Sundays."),
    "wit00002aaaa": ("global", "Kingfishers are counted by two people."),
}
QUESTIONS = ("when do deploys happen", "status: forgotten lift office", "refund window")
BREAKS = {"\x85": "\ue001", "\u2028": "\ue002", "\u2029": "\ue003"}  # line breaks to YAML 1.1 alone


def stated(raw):
    """What the frontmatter of `raw` says, by YAML's own loader; nothing where there is none."""
    lines = raw.decode().removeprefix("\ufeff").split("\n")
    if lines[0].rstrip(" \t\r") != "---":
        return {}
    end = next(at for at, line in enumerate(lines) if at and line.rstrip(" \t\r") == "---")
    block = "\n".join(lines[1:end]) + "\n"
    for real, private in BREAKS.items():
        block = block.replace(real, private)
    return yaml.load(block, Loader=yaml.CBaseLoader) or {}


def one_file(raw, path, tally, *, written):
    """Parse one file, and edit it where it is to be `written`; what it is understood as, or None."""
    parsed = files.parse(raw, path, UTC)
    assert (parsed.schema is None) == bool(parsed.problems)
    for told in (*parsed.problems, *parsed.notices):
        assert str(told).isprintable()
        assert len(str(told)) < 700
    if parsed.schema is None:
        tally["set aside, each with its reason"] += 1
        if written:
            unread(raw, tally)
        return None
    tally["understood"] += 1
    says_what_stands_there(parsed.schema, stated(raw), path)
    assert files.claim_of(raw) == parsed.schema.claim
    assert b"".join(files.split(raw)) == raw
    if written:
        there_and_back(raw, path, parsed.schema, tally)
        written_afresh(path, parsed.schema, tally)
    return parsed.schema


def unread(raw, tally):
    """What is set aside may be edited or refused, but nothing else."""
    try:
        edit.set_keys(raw, {"status": "forgotten"})
    except BadFile:
        tally["of these refused to an edit"] += 1


def says_what_stands_there(schema, keys, path):
    """Status and scope are those of the file, or what is documented where it names none."""
    assert schema.status == (keys.get("status") or "active")
    scope = keys.get("scope")
    assert str(schema.scope) == (unicodedata.normalize("NFC", scope) if scope else str(files.scope_of(path)))
    assert schema.id == (keys.get("id") or files.derived_id(path))


def there_and_back(raw, path, schema, tally):
    """Forgetting changes the status and no other word, and taking it back gives the old bytes."""
    try:
        forgotten = edit.set_keys(raw, {"status": "forgotten"})
    except BadFile:
        tally["edits refused that would have touched more"] += 1
        return
    again = files.parse(forgotten, path, UTC).schema
    assert again == dataclasses.replace(schema, status=Status.FORGOTTEN)
    tally["edited"] += 1
    fence, prior = fences.find(raw), stated(raw).get("status")
    empty_block = not fence.bare and fence.start == fence.end
    if empty_block or (prior == "" and b"status:\n" not in raw):
        return  # `status: |` and a block of no keys come back as `status:` and no block: they say the same
    assert edit.set_keys(forgotten, {"status": prior}) == raw
    tally["edited back to the same bytes"] += 1


def written_afresh(path, schema, tally):
    """A new file for what was understood says the same."""
    try:
        raw = files.compose(schema, zone=UTC)
    except BadFile:
        tally["texts that only this file can hold"] += 1
        return
    assert files.parse(raw, path, UTC).schema == schema


class Round:
    """A store full of such files, as commands see it."""

    def __init__(self, trial, mangler, tally):
        self.trial, self.mangler, self.tally = trial, mangler, tally
        self.laid = {}

    def drawn(self, first):
        """FILES files by path, each checked by itself, and what those of them say that are understood."""
        made, understood = {}, {}
        for number in range(first, first + FILES):
            path, raw = self.mangler.place(number), self.mangler.file(number)
            schema = one_file(raw, path, self.tally, written=number % WRITTEN == 0)
            made[path] = raw
            if schema is not None and scan.is_schema_path(path):
                understood[path] = schema
        self.tally["files"] += FILES
        return made, understood

    def lay(self, made):
        """Put them into the store, in the place of those of the round before."""
        for path in self.laid:
            (self.trial.root / path).unlink()
        for path, raw in made.items():
            where = self.trial.root / path
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(raw)
        self.laid = made
        self.tally["files that commands met in a store"] += len(made)

    def ran(self, *argv, codes=(0, 1)):
        """Run one command that must not fail in its own way."""
        ran = self.trial.ran(*argv)
        assert ran.code in codes, (argv, ran.code, ran.out[:300], ran.err)
        assert "Traceback" not in ran.err
        self.tally["commands over them"] += 1
        return ran

    def checked(self, understood):
        """Check counts them all and sets aside what parse does, and nothing else."""
        found = json.loads(self.ran("check", "--json", codes=(0, 4)).out)
        assert found["files"] == found["understood"] + found["set_aside"]
        assert found["understood"] == len(understood) + len(WITNESSES)
        wrong = {one["path"] for one in found["findings"] if one["severity"] == "error"}
        assert {path for path in self.laid if scan.is_schema_path(path)} - understood.keys() <= wrong

    def listed(self, understood):
        """What is listed as believed is what its file says is active, in the scope that it says."""
        every = [word for status in Status for word in ("--status", status.value)]
        told = json.loads(self.ran("list", "--scope", "*", *every, "--json").out)
        rows = {one["path"]: one for one in told["items"]}
        assert {path for path in rows if path in self.laid} == understood.keys()
        for path, schema in understood.items():
            assert rows[path]["scope"] == str(schema.scope)
            assert rows[path]["status"] in (schema.status, "forgotten"), (
                path
            )  # it says again what is forgotten

    def recalled(self, understood):
        """Nothing is answered that its file does not let count here and now."""
        ids = {schema.id: [] for schema in understood.values()}
        for schema in understood.values():
            ids[schema.id].append(schema)
        for question in QUESTIONS:
            told = json.loads(self.ran("recall", "-k", "50", "--floor", "0", "--json", "--", question).out)
            for item in told["items"]:
                if item["id"] not in WITNESSES:
                    assert any(self.counts(schema) for schema in ids[item["id"]]), item
                    self.tally["answers out of scope or of another status"] += 0
        told = json.loads(self.ran("recall", "kingfishers canal nest Sundays counted", "--json").out)
        assert WITNESSES.keys() <= {item["id"] for item in told["items"]}
        self.tally["good files hidden by bad ones"] += 0

    def counts(self, schema):
        """Whether a file lets its claim count for project:t today."""
        here = str(schema.scope) in ("project:t", "user", "global")
        return schema.status is Status.ACTIVE and here and schema.validity.holds_at(self.trial.moment)

    def unharmed(self):
        """Not one byte of any of them was written."""
        for path, raw in self.laid.items():
            assert (self.trial.root / path).read_bytes() == raw, path
        self.tally["files rewritten"] += 0


@pytest.mark.case("P-FM-02")
@pytest.mark.parametrize("part", range(4))
def test_fuzzed_schemas(trial, campaign, dice, tally, part):
    one = Round(trial, Mangler(dice), tally)
    for id_, (folder, claim) in WITNESSES.items():
        trial.write(id_, claim, folder=folder)
    for number in range(campaign):
        made, understood = one.drawn(number * FILES)
        if number % IN_A_STORE == 0:
            one.lay(made)
            one.checked(understood)
            one.recalled(understood)
            one.listed(understood)
            one.ran("index", "verify", codes=(0,))
            one.unharmed()
