"""What a tool printed: evidence of what an agent saw, and nobody's word."""

from memcli.memory.tokens import blank
from memcli.memory.turn import Role, Turn


def printed(content: object) -> Turn | None:
    """The turn of a tool: text, or a list of blocks with text; None where it printed none."""
    text = _text(content).strip()
    return None if blank(text) else Turn(text, Role.TOOL)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [one.get("text") for one in blocks if isinstance(one, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))
