"""Rivals that answer agents from a process that stays: basic-memory and qmd, asked over MCP."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from contenders import QUESTION, WORDS, Contender, Way
from corpora import as_markdown
from packages import BASIC_MEMORY, QMD, from_npm, from_pypi
from placed import DEPTH
from spoken import Spoken

from memcli.index import model

MODEL = "sentence-transformers/all-MiniLM-L6-v2"  # the one that mem ships with, by fastembed's name
CACHED = "models--Qdrant--all-MiniLM-L6-v2-onnx"
TOKENS = 256
SPECIAL = {"cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]"}
BY_WORDS = Way("basic-memory, words", QUESTION, "text")
BY_BOTH = Way("basic-memory, words and MiniLM", QUESTION, "hybrid")
EACH, SEARCHES = "each", 10  # as many as one call may hold
BERT = {"model_type": "bert", "hidden_size": 384, "pad_token_id": 0}
READ = {"model_max_length": TOKENS, "max_length": TOKENS, "pad_token": "[PAD]", "do_lower_case": True}


@dataclass
class BasicMemory(Contender):
    """basic-memory: a corpus is a project, a document a note; with the encoder that mem ships with."""

    server: Spoken | None = None

    @classmethod
    def at(cls, work, corpora, python, tokenizer):
        """Installed, with the model laid where its library looks for one that was fetched."""
        command = from_pypi(BASIC_MEMORY, work / "programs" / BASIC_MEMORY.name, python)
        made = cls(work / "basic-memory", str(BASIC_MEMORY), (BY_WORDS,), corpora, command, runs=3)
        made.extra = {
            "BASIC_MEMORY_CONFIG_DIR": str(made.home / "config"),
            "BASIC_MEMORY_HOME": str(made.home / "main"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
            "BASIC_MEMORY_AUTO_UPDATE": "false",
            "HF_HUB_OFFLINE": "1",
        }
        if extensible(command.parent / "python"):
            made.ways += (BY_BOTH,)
            laid(made.folder / "models", tokenizer)
            made.extra |= {f"BASIC_MEMORY_SEMANTIC_{name}": value for name, value in _meaning(made).items()}
        return made

    def take_in(self, corpus):
        """Write the notes, add the folder as a project, and let it index words and vectors."""
        folder = as_markdown(corpus, self.folder / corpus.name)
        added = [self.command, "project", "add", corpus.name, folder]
        self.ran(added, self.folder, codes=(0, 1))  # 1 where it would not wait for the last file any longer
        self.ran([self.command, "reindex", "--project", corpus.name], self.folder)

    def opened(self):
        """Start its server."""
        self.server = Spoken([self.command, "mcp"], self.folder, self.environment)

    def closed(self):
        """Stop it."""
        self.server.close()

    def ask(self, way, sought):
        """(names in order, score of the first; the words' scores fall below zero the better they are)."""
        asked = {"query": way.said(sought), "project": sought.corpus, "page_size": DEPTH}
        asked |= {"search_type": way.kind, "output_format": "json"}
        found = self.server.call("search_notes", asked)["results"]
        names = list(dict.fromkeys(Path(one["file_path"]).stem for one in found))
        return names, abs(found[0]["score"]) if found else 0.0

    def cold(self, way, sought):
        """The command and where it runs."""
        kind = () if way.kind == "text" else (f"--{way.kind}",)
        asked = [self.command, "tool", "search-notes", way.said(sought), "--project", sought.corpus]
        return [*asked, "--page-size", str(DEPTH), "--json", *kind], self.folder


def extensible(python):
    """Whether that Python can load extensions into SQLite, without which basic-memory has no vectors."""
    asked = [python, "-c", "import sqlite3; sqlite3.Connection.enable_load_extension"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _meaning(made):
    return {
        "SEARCH_ENABLED": "true",
        "EMBEDDING_MODEL": MODEL,
        "EMBEDDING_CACHE_DIR": str(made.folder / "models"),
        "MIN_SIMILARITY": "0",
    }


def laid(cache, tokenizer):
    """Lay mem's own model into a folder as if fastembed had fetched it."""
    there = cache / CACHED / "snapshots" / "local"
    if there.exists():
        return
    there.mkdir(parents=True)
    (cache / CACHED / "refs").mkdir()
    (cache / CACHED / "refs" / "main").write_text("local")
    shutil.copy(model.find(None).model, there / "model.onnx")
    shutil.copy(tokenizer, there / "tokenizer.json")
    for name, words in (
        ("config", BERT),
        ("tokenizer_config", READ),
        ("special_tokens_map", SPECIAL | {"unk_token": "[UNK]"}),
    ):
        (there / f"{name}.json").write_text(json.dumps(words))


@dataclass
class Qmd(Contender):
    """qmd: a corpus is a collection, a document a file; by words alone, since its models are fetched."""

    server: Spoken | None = None

    @classmethod
    def at(cls, work, corpora):
        """Installed, with the node that it needs."""
        command, node = from_npm(QMD, work / "programs" / "qmd")
        ways = (
            Way("qmd, words"),
            Way("qmd, words, content words", WORDS),
            Way("qmd, a search for each content word", WORDS, EACH),
        )
        made = cls(work / "qmd", str(QMD), ways, corpora, command)
        made.extra = {"PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
        return made

    def take_in(self, corpus):
        """Write the files and add the folder as a collection, which indexes it."""
        folder = as_markdown(corpus, self.folder / corpus.name)
        self.ran([self.command, "collection", "add", folder, "--name", corpus.name], self.folder)

    def opened(self):
        """Start its server."""
        self.server = Spoken([self.command, "mcp"], self.folder, self.environment)

    def closed(self):
        """Stop it."""
        self.server.close()

    def ask(self, way, sought):
        """(names in order, no score: what it gives says only the place)."""
        asked = {
            "searches": searches(way, sought),
            "collections": [sought.corpus],
            "limit": DEPTH,
            "rerank": False,
        }
        return [Path(one["file"]).stem for one in self.server.call("query", asked)["results"]], None

    def cold(self, way, sought):
        """The command and where it runs."""
        asked = [self.command, "search", _unquoted(way.said(sought)), "-c", sought.corpus]
        return [*asked, "-n", str(DEPTH), "--format", "json"], self.folder


def searches(way, sought):
    """All words in one search, which wants every one of them, or a search for each, which it then fuses."""
    said = sought.words[:SEARCHES] if way.kind == EACH else [way.said(sought)]
    return [{"type": "lex", "query": _unquoted(text)} for text in said]


def _unquoted(text):
    """Without the signs that its search reads as commands."""
    return " ".join(word.lstrip("-") for word in text.replace('"', " ").split())
