"""What was said in a transcript of Codex: a rollout file, an object a line, old form or new.

In the new form each line wraps its object in `payload`; in the old one the objects stand
bare and the first says the session. Events for the client's own screen repeat the messages
and are left out, as are thoughts, calls, and what the client puts before the person's words.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import Any, Final

from memcli.engine.task import spoken
from memcli.engine.task.printed import printed
from memcli.memory.tokens import blank
from memcli.memory.turn import Role, Turn

_SPEAKERS: Final = {"user": Role.USER, "assistant": Role.ASSISTANT}
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_TEXTS: Final = ("input_text", "output_text", "text")
_ABOUT: Final = ("session_meta", "turn_context")
_BY_THE_CLIENT: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)


# What an editor puts before a person's words, which begin after the second heading.
_FROM_AN_EDITOR: Final = "# Context from my IDE setup:"
_REQUEST: Final = "## My request for Codex:"


def turns(lines: Iterable[tuple[int, Mapping[str, Any]]], about: dict[str, str]) -> Iterator[Turn]:
    """The turns of a transcript, in order; `about` is told its session and cwd."""
    for number, line in lines:
        payload = line.get("payload")
        said: Mapping[str, Any] = payload if isinstance(payload, dict) else line
        kind = str(line.get("type", ""))
        if kind in _ABOUT or (not kind and "id" in line):
            _tell(said, about)
        elif kind == "response_item" or said is line:
            turn = _turn(said)
            if turn is not None:
                key = f"codex:{about.get('session', '')}:{number}"
                yield Turn(turn.text, turn.role, said_at=_when(line), key=key)


def _tell(said: Mapping[str, Any], about: dict[str, str]) -> None:
    for key, name in (("id", "session"), ("cwd", "cwd")):
        value = said.get(key)
        if isinstance(value, str) and value:
            about.setdefault(name, value)


def _turn(said: Mapping[str, Any]) -> Turn | None:
    kind = said.get("type")
    if kind in _OUTPUTS:
        return printed(_unwrapped(said.get("output")))
    role = _SPEAKERS.get(str(said.get("role", "")))
    if kind != "message" or role is None:
        return None
    blocks = said.get("content")
    pieces = [one for one in blocks if isinstance(one, dict)] if isinstance(blocks, list) else []
    texts = [one["text"] for one in pieces if one.get("type") in _TEXTS and isinstance(one.get("text"), str)]
    told = [_own_words(text) for text in texts if not text.lstrip().startswith(_BY_THE_CLIENT)]
    text = "\n".join(filter(None, told))
    return None if blank(text) else Turn(text, role)


def _own_words(text: str) -> str:
    if text.lstrip().startswith(_FROM_AN_EDITOR):
        text = text.partition(_REQUEST)[2]
    return text.strip()


def _unwrapped(output: object) -> object:
    """What a tool printed, where it is wrapped in JSON with how the tool ended."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return output
    if isinstance(output, dict):
        return output.get("output") or output.get("content") or ""
    return output


def _when(line: Mapping[str, Any]) -> int | None:
    try:
        return spoken.moment(line.get("timestamp"), UTC)
    except (ValueError, OverflowError):
        return None
