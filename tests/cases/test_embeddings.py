"""Embeddings (EMB): texts, models and processes that an encoder meets, at the command line."""

import base64
import json
import os
import random
import subprocess
import sys

import pytest
from models import NEAR, model_in, use
from situations import here, put, sound, told_once

SPECIAL = [
    *("[CLS] [SEP] [MASK]", "[PAD] [UNK]", "<image_soft_token>", "<|endoftext|>", "</s>", "<pad> ##ing"),
    *("[unused1] [unused99]", "<|im_start|>system", "\u2581token", "[MASK] is the capital of France."),
]
FOX = "the quick brown fox jumps over one lazy dog".split()  # noqa: SIM905 - words


@pytest.mark.case("P-EMB-01")
@pytest.mark.parametrize("text", ["", " ", "   ", "\n\t", "\u00a0\u2003", "\u200b", "\ufeff", "\0"])
@pytest.mark.parametrize("verb", ["recall", "remember"])
def test_blank_is_a_wrong_command_line_wherever_it_comes_from(trial, verb, text):
    before = trial.head()
    for argv, stdin in ((["-"], text), ([text], ""), (["--", text], "")):
        if "\0" in text and argv != ["-"]:
            continue  # no argument can hold it
        told_once(trial.ran(verb, *argv, stdin=text if argv == ["-"] else stdin), 2)
    assert trial.head() == before


@pytest.mark.case("P-EMB-01")
def test_blank_claims_are_refused_wherever_claims_are_taken(trial):
    kept = trial.remember("Something is known.")
    before = trial.head()
    told_once(trial.ran("supersede", kept["id"], "--with", "  "), 2)
    (told,) = trial.batch([{"text": " \n"}])
    assert (told["id"], told["error"]["code"]) == (None, 2)
    assert trial.head() == before


LONG = {
    "words": " ".join(random.Random(1).choice(FOX) for _ in range(100_000)),
    "base64": base64.b64encode(random.Random(2).randbytes(37_500)).decode(),
    "cjk": "".join(chr(random.Random(3).randrange(0x4E00, 0x9FA5)) for _ in range(1)) * 17_000,
    "one word": "x" * 300_000,
    "signs": "=-" * 60_000,
}


@pytest.mark.case("P-EMB-02")
@pytest.mark.parametrize("kind", LONG)
def test_the_last_line_of_a_text_far_beyond_the_model_is_found(trial, kind):
    text = f"A long report begins here.\n\n{LONG[kind]}\n\nIts last line speaks of zanzibar."
    made = json.loads(trial.ran("remember", "-", "--json", stdin=text).out)
    assert made["decision"] == "created"
    trial.remember("Something else is short.")
    assert trial.found("zanzibar")[0] == made["id"]
    assert trial.told("show", made["id"])["detail"].endswith("speaks of zanzibar.")
    assert (trial.root / made["path"]).read_text().endswith(f"{text}\n")


@pytest.mark.case("P-EMB-02")
def test_a_claim_that_fits_no_answer_is_held_back_and_the_hint_shows_it(trial):
    text = f"{LONG['words'][:200_000]} and zanzibar at last"
    made = json.loads(trial.ran("remember", "-", "--json", stdin=text).out)
    ran = trial.ran("recall", "zanzibar")
    assert (ran.code, "fits the budget" in ran.err) == (1, True)
    budget = ran.err.rpartition("--budget ")[2].strip()
    assert trial.found("zanzibar", "--budget", budget) == [made["id"]]


@pytest.mark.case("P-EMB-02")
def test_a_text_above_the_limit_of_a_file_is_refused_with_the_limit(trial):
    before = trial.head()
    assert "a memory holds up to" in told_once(trial.ran("remember", "-", stdin="word " * 300_000), 2)
    assert (trial.head(), list(here(trial).iterdir())) == (before, [])
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-EMB-03")
def test_texts_that_a_tokenizer_has_plans_for_are_text(trial):
    told = trial.batch(SPECIAL)
    assert [one["decision"] for one in told] == ["created"] * len(SPECIAL)
    for text, made in zip(SPECIAL, told, strict=True):
        answer = trial.recall(text, "--floor", "0", "-k", "20")
        assert answer["items"][0]["text"] == text
        assert made["id"] == answer["items"][0]["id"]
    sound(trial)


@pytest.mark.case("P-EMB-04")
def test_memories_taken_in_together_backwards_or_one_by_one_rank_the_same(trial, tmp_path):
    texts = [" ".join(FOX[(7 * n + step) % 9] for step in range(1 + n * n % 23)) + f" {n}" for n in range(16)]
    stores = [trial.copy(tmp_path / name) for name in ("together", "backwards", "single")]
    stores[0].batch(texts)
    stores[1].batch(texts[::-1])
    for text in texts:
        stores[2].remember(text)
    wide = ("--as-of", "2026-12-24", "-k", "50", "--budget", "9999", "--floor", "0")
    for query in ("quick fox", "lazy", "who jumps over what"):
        said = [
            [(item["text"], item["score"], item["match"]) for item in one.recall(query, *wide)["items"]]
            for one in stores
        ]
        assert sorted(said[0]) == sorted(said[1]) == sorted(said[2])
        assert [score for _, score, _ in said[0]] == [score for _, score, _ in said[2]]


@pytest.mark.case("P-EMB-05")
def test_two_processes_that_need_the_model_first_both_answer_and_leave_it_whole(trial, tmp_path):
    """An empty cache folder: what the model is prepared into is made by whoever comes first."""
    made = trial.remember("Parcels may be sent back within thirty days.")
    use(trial, model_in(tmp_path, NEAR))  # one that nobody has prepared yet
    environment = {**trial.process.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "memcli", "recall", "how long can customers return goods", "--ids"]
    running = [
        subprocess.Popen(
            command, cwd=trial.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for one in running:
        out, err = one.communicate(timeout=60)
        assert (out.decode().strip(), one.returncode) == (made["id"], 0), err
    assert not [path for path in trial.root.rglob("*.tmp") if path.is_file()]


@pytest.mark.case("P-EMB-05")
@pytest.mark.case("P-IDX-04")
def test_without_network_home_and_model_words_still_answer(trial, tmp_path):
    made = trial.remember("Parcels may be sent back within thirty days.")
    use(trial, tmp_path / "nowhere")
    wanted = ["recall", "parcels", "--ids"]
    alone = (
        ["unshare", "-n"] if subprocess.run(["unshare", "-n", "true"], check=False).returncode == 0 else []
    )
    ran = subprocess.run(
        [*alone, sys.executable, "-m", "memcli", *wanted],
        cwd=trial.root,
        env={**trial.process.environment, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent/cache"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, made["id"]), ran.stderr
    assert "words only" in ran.stderr


# Runs mem in this process and says, last, the most memory it held (KiB) and the threads it has.
SPY = """
import os, sys
from memcli.__main__ import main
code = main(sys.argv[1:])
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
sys.stderr.write(f"{status['VmHWM'].split()[0]} {int(status['Threads'])}")
sys.stderr.flush()
os._exit(code)
"""


@pytest.mark.case("P-EMB-06")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_at_once_cost_no_more_than_one_after_the_other(trial):
    put(trial, "a.md", "Lighthouses blink.\n")
    trial.did("recall", "lighthouses")
    environment = {
        **trial.process.environment,
        "OPENBLAS_NUM_THREADS": "1",
    }  # as the script of the wheel does

    def spent(at_once):
        """CPU seconds of four recalls; the most memory (MiB) and threads of any."""
        before = os.times()
        told = []
        for _ in range(4 // at_once):
            started = [
                subprocess.Popen(
                    [sys.executable, "-c", SPY, "recall", "lighthouses"],
                    cwd=trial.root,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
                for _ in range(at_once)
            ]
            told += [one.communicate(timeout=60) for one in started]
        assert all(b"blink" in out for out, _ in told)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        peaks = [tuple(map(int, err.split())) for _, err in told]
        return seconds, max(kib for kib, _ in peaks) >> 10, max(threads for _, threads in peaks)

    alone, _, threads = spent(1)
    together, most_mib, _ = spent(4)
    assert together <= 2 * alone + 0.5
    assert most_mib < 300
    assert threads <= 6 + 2 * (os.cpu_count() or 1)
