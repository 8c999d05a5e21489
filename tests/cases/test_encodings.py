"""Encodings (ENC): whatever bytes a file, a name or an argument is made of, at the command line."""

import json
import os
import unicodedata

import pytest
from situations import checked, findings, here, memory, one_word_changed, put, sound, told_once

BOM = b"\xef\xbb\xbf"
SCRIPTS = "שלום 👩‍👩‍👧‍👦 e\u0301 नि"


@pytest.mark.case("P-ENC-01")
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_mark_of_byte_order_is_read_over_and_kept(trial, end):
    raw = BOM + b"---\nid: bom1\nstatus: active\n---\nBody of the quince\n".replace(b"\n", end)
    path = put(trial, "bom.md", raw)
    put(trial, "bare.md", BOM + b"A quince without any frontmatter.\n")
    (item, bare) = trial.recall("quince")["items"]
    assert (item["id"], item["text"]) == ("bom1", "Body of the quince")
    assert "\ufeff" not in json.dumps([item, bare])
    assert checked(trial)["set_aside"] == 0
    trial.forget("bom1")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    trial.unforget("bom1")
    assert path.read_bytes() == raw
    assert trial.process("show", "bom1").raw == raw
    sound(trial)


@pytest.mark.case("P-ENC-02")
@pytest.mark.parametrize(
    "raw",
    [
        b"---\r\nid: crlf1\r\nstatus: active\r\n---\r\nL1\r\nL2\r\n",
        b"---\r\nid: crlf1\nstatus: active\r\n---\nL1\r\nL2\nL3\r\n",
        b"---\nid: crlf1\nstatus: active\n---\r\nL1\r\nL2",
    ],
    ids=["all", "line by line", "body alone"],
)
def test_a_changed_status_changes_one_line_and_every_other_keeps_its_end(trial, raw):
    path = put(trial, "c.md", raw)
    trial.forget("crlf1")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    assert trial.git("status", "--porcelain") == ""
    trial.unforget("crlf1")
    assert path.read_bytes() == raw


@pytest.mark.case("P-ENC-02")
def test_a_key_that_is_added_ends_as_the_lines_around_it(trial):
    path = put(trial, "c.md", b"---\r\nid: crlf1\r\n---\r\nL1\r\n")
    trial.forget("crlf1")
    assert path.read_bytes() == b"---\r\nid: crlf1\r\nstatus: forgotten\r\n---\r\nL1\r\n"


@pytest.mark.case("P-ENC-03")
@pytest.mark.parametrize("place", ["alpha \0 omega zebra", "\0zebra", "First.\n\nSecond \0\0 zebra"])
def test_text_behind_a_nul_is_found_and_the_nul_is_named(trial, place):
    raw = f"---\nid: nul1\nstatus: active\n---\n{place}\n".encode()
    path = put(trial, "n.md", raw)
    for _ in range(2):
        assert trial.found("zebra") == ["nul1"]
    assert "\0" not in trial.ran("recall", "zebra").out
    (said,) = findings(trial, "n.md")
    assert (said[4], "U+0000" in said[3]) == ("warning", True)
    assert path.read_bytes() == raw
    trial.forget("nul1")
    assert path.read_bytes() == raw.replace(b"active", b"forgotten")


@pytest.mark.case("P-ENC-04")
@pytest.mark.parametrize(
    "argv",
    [
        ("remember", b"caf\xe9 au lait"),
        ("remember", "fine", "--concept", b"caf\xe9"),
        ("remember", "fine", "--tag", b"\xff"),
        ("remember", "fine", "--scope", b"project:\xe9"),
        ("recall", b"caf\xe9"),
        ("forget", b"\xe9\xe9\xe9\xe9", "--yes"),
        ("show", b"\xc0\xafetc"),
        ("log", "--by", b"\xe9"),
        ("supersede", b"\xe9\xe9\xe9\xe9", "--with", b"\xff"),
    ],
)
def test_an_argument_that_is_no_utf8_is_refused_and_nothing_is_written(trial, argv):
    before = trial.head()
    ran = trial.ran(*(os.fsdecode(word) for word in argv))
    assert ran.code in (2, 3)
    told_once(ran, ran.code)
    assert trial.head() == before
    assert list(here(trial).iterdir()) == []
    assert trial.git("status", "--porcelain") == ""
    assert trial.remember("Café au lait.")["decision"] == "created"


@pytest.mark.case("P-ENC-04")
def test_stdin_and_a_batch_that_are_no_utf8_are_refused(trial, tmp_path):
    batch = tmp_path / "claims.jsonl"
    batch.write_bytes(b'{"text": "caf\xe9"}\n')
    before = trial.head()
    for argv, stdin in (
        (["remember", "-"], b"caf\xe9"),
        (["recall", "-"], b"caf\xe9"),
        (["remember", "--batch", "-"], batch.read_bytes()),
        (["remember", "--batch", str(batch)], b""),
        (["forget", "--stdin", "--yes"], b"\xe9\n"),
    ):
        told_once(trial.ran(*argv, stdin=stdin), 2)
    assert trial.head() == before


@pytest.mark.case("P-ENC-05")
def test_two_unicode_forms_of_a_name_are_two_files(trial):
    composed, apart = "caf\xe9.md", "cafe\u0301.md"
    put(trial, composed, memory("one5", "One word about anchovies."))
    put(trial, apart, memory("two5", "Two words about anchovies."))
    trial.did("save")
    assert set(trial.found("anchovies")) == {"one5", "two5"}
    assert any("not portable" in what for _, _, _, what, _ in findings(trial))
    (here(trial) / composed).unlink()
    assert trial.found("anchovies") == ["two5"]
    trial.did("save")
    assert trial.git("-c", "core.quotePath=false", "ls-files", "schemas/project") == (
        f"schemas/project/t/{apart}"
    )
    sound(trial)


@pytest.mark.case("P-ENC-05")
def test_concepts_scopes_and_words_compare_in_one_form_and_names_are_composed(trial):
    put(trial, "a.md", memory("nfd5", "The cafe\u0301 opens at eight.", "concept: cafe\u0301 hours\n"))
    assert trial.found("caf\xe9") == trial.found("cafe\u0301") == ["nfd5"]
    assert trial.did("list", "--concept", "caf\xe9 HOURS", "--ids") == "nfd5\n"
    made = trial.remember(
        "Cafe\u0301 tables are round.", "--concept", "cafe\u0301", "--scope", "project:cafe\u0301"
    )
    assert made["path"] == unicodedata.normalize("NFC", made["path"])
    assert trial.found("tables", "--scope", "project:caf\xe9") == [made["id"]]
    again = trial.remember("Caf\xe9 tables are round.", "--scope", "project:caf\xe9")
    assert (again["id"], again["decision"]) == (made["id"], "reinforced")


@pytest.mark.case("P-ENC-06")
@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("name", [b"bad\xff.md", b"\xe9tage/a.md"], ids=["file", "folder"])
def test_a_name_that_is_no_utf8_is_reported_and_in_nobodys_way(trial, name, committed):
    raw = memory("bad6", "A bad name about tapirs.")
    path = put(trial, name, raw)
    good = put(trial, "ok.md", memory("good6", "A good name about tapirs."))
    if committed:
        trial.commit_by_hand()
    assert trial.found("tapirs") == ["good6"]
    good.write_bytes(memory("good6", "Another name about tapirs."))
    assert trial.recall("tapirs")["items"][0]["text"] == "Another name about tapirs."
    made = trial.remember("Tapirs eat fruit.")
    trial.forget("good6")
    assert trial.found("tapirs fruit") == [made["id"]]
    trial.did("save")
    trial.did("status")
    trial.did("index", "rebuild")
    (said,) = [one for one in findings(trial) if "UTF-8" in one[3]]
    assert os.fsencode(said[0].rpartition("/t/")[2].rstrip("/")) in name
    assert "\\udc" in trial.ran("check").out  # escaped, so that a terminal can show it
    assert path.read_bytes() == raw
    sound(trial)


@pytest.mark.case("P-ENC-07")
def test_exotic_separators_stay_and_are_no_lines(trial):
    body = "a\u2028b\x0bc\x85d\x0ce\x1cf quokka\nsecond\u2029line\n"
    raw = f'---\nid: sep7\nconcept: "a\u2028b\u2029c"\nnote: "x\x85y"\nstatus: active\n---\n{body}'.encode()
    path = put(trial, "s.md", raw)
    trial.did("save")
    assert trial.found("quokka") == ["sep7"]
    assert trial.told("show", "sep7")["concept"] == "a\u2028b\u2029c"
    trial.forget("sep7")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    trial.unforget("sep7")
    assert path.read_bytes() == raw
    assert trial.ran("recall", "quokka").out.count("\n") == 1


@pytest.mark.case("P-ENC-07")
def test_a_separator_that_yaml_refuses_is_reported_with_its_line(trial):
    raw = b'---\nid: sep8\nnote: "x\x0by"\n---\nA quoll.\n'
    path = put(trial, "s.md", raw)
    ((_, line, key, what, severity),) = findings(trial, "s.md")
    assert (line, key, severity) == (3, "note", "error")
    assert "U+000B" in what
    assert "s.md:3: note" in told_once(trial.ran("forget", "sep8", "--yes"), 4)
    assert path.read_bytes() == raw
    path.write_bytes('---\nid: sep8\nnote: "x\u2028\x85y"\nstatus: actve\n---\nA quoll.\n'.encode())
    assert findings(trial, "s.md")[0][1] == 4  # lines are counted by line feeds alone


@pytest.mark.case("P-ENC-08")
def test_any_script_goes_round_and_every_file_gets_a_name_of_its_own(trial):
    texts = [SCRIPTS, "👩‍👩‍👧‍👦", "\u0301\u0301", "…!", "نص", "。。。"]
    told = [trial.remember(text) for text in texts]
    for text, one in zip(texts, told, strict=True):
        assert (trial.root / one["path"]).read_bytes().endswith(b"---\n\n" + text.encode() + b"\n")
        assert trial.told("show", one["id"])["text"] == text
        slug = one["path"].rpartition("/")[2].removesuffix(".md").removesuffix(one["id"]).strip("-")
        assert slug
    assert len({one["path"] for one in told}) == len(texts)
    assert trial.found("שלום")[0] == told[0]["id"]
    sound(trial)
