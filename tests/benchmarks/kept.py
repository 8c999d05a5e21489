"""Records as files: rows kept while they are found, and figures written small."""

import json


class Kept:
    """Rows of JSON, one a line, appended as they come, so that a run that breaks off can go on."""

    def __init__(self, file):
        self.file = file
        self.rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def add(self, row):
        """Keep one more."""
        self.rows.append(row)
        with self.file.open("a") as kept:
            kept.write(_small(row) + "\n")


def write_lines(file, rows):
    """Records as JSON lines."""
    file.write_text("".join(_small(row) + "\n" for row in rows))


def write_figures(file, figures):
    """Figures as one JSON object, a line for each key, so that a change reads as a difference."""
    lines = [f"{json.dumps(key)}:{_small(value)}" for key, value in figures.items()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{" + ",\n".join(lines) + "}\n")


def _small(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
