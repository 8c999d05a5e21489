"""What every program is given and asked alike: a few documents, and questions with and without an answer there."""

import random
import re
from dataclasses import dataclass

from published import asked_of_sessions, locomo, sessions

from memcli.memory import tokens

CODING = "coding"  # the one corpus of DevMemBench
CONVERSED, CODED = "conversations", "coding sessions"


@dataclass(frozen=True)
class Corpus:
    """Documents by name, each as (day, text), and what each counts as when it is found."""

    name: str
    texts: dict
    says: dict


@dataclass(frozen=True)
class Sought:
    """A question put to one corpus; without `evidence` nothing there answers it."""

    id: str
    text: str
    corpus: str
    evidence: frozenset = frozenset()

    @property
    def words(self):
        """Its words without those that carry no topic, as one would type them into a search."""
        found = re.findall(r"[^\W_]+", self.text)
        kept = [word for word in found if len(word) > 1 and word.lower() not in tokens.STOP]
        return list(dict.fromkeys(kept)) or found


def conversations(data, many, questions, seed):
    """`many` of LoCoMo's conversations and `questions` of each, drawn; each is asked in the next one too."""
    dice = random.Random(seed)
    every = locomo(data)
    told = [every[at] for at in sorted(dice.sample(range(len(every)), many))]
    asked = []
    for at, one in enumerate(told):
        drawn = dice.sample(one.answerable, min(questions, len(one.answerable)))
        other = told[(at + 1) % many].name
        for question in sorted(drawn, key=one.answerable.index):
            asked.append(Sought(question.id, question.text, one.name, frozenset(question.evidence)))
            asked += [Sought(question.id, question.text, other)] if other != one.name else []
    return [_turns(one) for one in told], asked


def _turns(one):
    names = {turn: turn.replace(":", "-") for turn in one.places}
    return Corpus(
        one.name,
        {names[turn]: (one.days[at], one.texts[at]) for turn, at in one.places.items()},
        {name: turn for turn, name in names.items()},
    )


def coding(data):
    """DevMemBench: a message is a document and counts as its session."""
    texts, says = {}, {}
    for session, day, said in sessions(data):
        for number, (_, text) in enumerate(said, 1):
            name = f"{session}-{number}"
            texts[name], says[name] = (day, text), session
    asked = [
        Sought(one.id, one.text, CODING, frozenset(one.evidence))
        for one in asked_of_sessions(data)
        if one.absent or one.evidence
    ]
    return Corpus(CODING, texts, says), asked


def as_markdown(corpus, folder):
    """Write a corpus as a folder of Markdown files, a document each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (day, text) in corpus.texts.items():
        (folder / f"{name}.md").write_text(f"# {day}\n\n{text}\n")
    return folder
