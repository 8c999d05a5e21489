"""Public evaluation sets, read from a folder that stays outside the project."""

import json
import re
from dataclasses import dataclass
from datetime import datetime

ADVERSARIAL = 5  # LoCoMo's category of questions about the wrong subject


@dataclass(frozen=True)
class Question:
    """One question; `evidence` names turns that answer it, `twisted` is about the wrong subject.

    `category` is the set's own number of its kind, 0 where it has none.
    """

    id: str
    text: str
    evidence: tuple = ()
    twisted: bool = False
    absent: bool = False
    category: int = 0


@dataclass(frozen=True)
class Told:
    """Texts to remember, the day of each, where each turn stands, and the questions about them."""

    texts: list
    days: list
    places: dict
    questions: list
    name: str = ""

    @property
    def answerable(self):
        """The questions that something here answers."""
        return [one for one in self.questions if one.evidence and not one.twisted]

    @property
    def adversarial(self):
        """The questions about the wrong subject."""
        return [one for one in self.questions if one.twisted]


@dataclass(frozen=True)
class Facts:
    """A few facts and a question that one of them answers."""

    id: str
    facts: list
    question: str
    outdated: tuple = ()  # places of the facts that `update` replaces
    update: str = ""


@dataclass(frozen=True)
class Coding:
    """A question about coding sessions: `kind` is its class, `evidence` the sessions that answer it."""

    id: str
    text: str
    kind: str
    evidence: tuple
    answer: str

    @property
    def absent(self):
        """Whether no session answers it."""
        return not self.evidence


def locomo(data):
    """The ten conversations; a turn is `speaker: text [image: caption]`."""
    return [_conversation(at, one) for at, one in enumerate(_read(data / "locomo" / "locomo10.json"))]


def _conversation(at, one):
    said = one["conversation"]
    sessions = sorted(
        (key for key in said if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
    )
    turns = [(turn, said[f"{key}_date_time"]) for key in sessions for turn in said[key]]
    places = {turn["dia_id"]: place for place, (turn, _) in enumerate(turns)}
    questions = [_question(f"locomo_{at}_qa{nth}", asked, places) for nth, asked in enumerate(one["qa"])]
    return Told(
        texts=[_turn_text(turn) for turn, _ in turns],
        days=[_day(when) for _, when in turns],
        places=places,
        questions=questions,
        name=one["sample_id"],
    )


def _turn_text(turn):
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn.get('text', '').strip()}" + (f" [image: {caption}]" if caption else "")


def _day(when):
    """`1:56 pm on 8 May, 2023` as 2023-05-08."""
    return datetime.strptime(when.split(" on ")[1], "%d %B, %Y").date().isoformat()  # noqa: DTZ007 - only the day


def _question(name, asked, places):
    """Evidence as the set writes it (`D8:6; D9:17`, `D30:05`), repaired; turns that are not there dropped."""
    kept = tuple(dict.fromkeys(turn for turn in _turns(asked.get("evidence", [])) if turn in places))
    kind = asked["category"]
    return Question(name, asked["question"], kept, twisted=kind == ADVERSARIAL, category=kind)


def observations(data):
    """Conversation -> its (sentence, turns that it was distilled from), those with turns that are there."""
    return {one["sample_id"]: list(_distilled(one)) for one in _read(data / "locomo" / "locomo10.json")}


def _distilled(one):
    places = _conversation(0, one).places
    for of_session in one["observation"].values():
        for text, named in (row for said in of_session.values() for row in said):
            turns = [turn for turn in _turns([named] if isinstance(named, str) else named) if turn in places]
            if turns:
                yield text, turns


def _turns(named):
    """The turns that the set names, in its many spellings."""
    parts = [part for text in named for part in re.split(r"[;,\s]+", text)]
    return [
        f"D{found[1]}:{int(found[2])}" for part in parts if (found := re.fullmatch(r"D:?(\d+):(\d+)", part))
    ]


def devmembench(data):
    """Messages of coding sessions, and questions of which some have no answer there."""
    messages = [
        (said["content"], session["metadata"]["date"])
        for session in _read(data / "devmembench" / "sessions.json")
        for said in session["messages"]
    ]
    questions = [
        Question(one["questionId"], one["question"], absent=one["questionType"] == "abstention")
        for one in _read(data / "devmembench" / "questions.json")
    ]
    return Told([text for text, _ in messages], [day for _, day in messages], {}, questions)


def sessions(data):
    """DevMemBench's sessions: the name of each, its day, and its (role, text) in order."""
    return [
        (
            one["sessionId"],
            one["metadata"]["date"],
            [(said["role"], said["content"]) for said in one["messages"]],
        )
        for one in _read(data / "devmembench" / "sessions.json")
    ]


def asked_of_sessions(data):
    """DevMemBench's questions: `evidence` names the sessions that answer, in the order of their days."""
    days = {name: day for name, day, _ in sessions(data)}
    return [
        Coding(
            one["questionId"],
            one["question"],
            one["questionType"],
            tuple(sorted(one["haystackSessionIds"], key=lambda name: (days[name], name))),
            one["groundTruth"],
        )
        for one in _read(data / "devmembench" / "questions.json")
    ]


def letta(data):
    """Knowledge updates: ten facts each, and a question that one of them answers."""
    lines = (data / "letta" / "core_memory_update.odd.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    return [
        Facts(
            f"letta_{at}",
            one["agent_args"]["extra"]["facts"],
            one["input"],
            tuple(one["agent_args"]["extra"]["supporting_fact_indices"]),
            one["agent_args"]["extra"]["contradicting_fact"].strip().strip('"'),
        )
        for at, one in enumerate(cases)
    ]


def _read(file):
    return json.loads(file.read_text())
