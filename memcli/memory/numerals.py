"""How a count is said to a person."""


def counted(many: int, one: str, several: str = "") -> str:
    """`many` of a thing: `1 file`, `3 files`; `several` where that is no plain `s` (`1 file was`)."""
    return f"{many} {one if many == 1 else several or one + 's'}"
