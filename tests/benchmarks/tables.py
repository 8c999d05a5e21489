"""Markdown tables from figures."""


def table(heads, rows):
    """Rows of cells under their heads; every column but the first stands right."""
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    return "\n".join([*lines, *(_line(row) for row in rows)])


def interval(parts):
    """[value, low, high] in percent as `64.7 (62.3-67.1)`."""
    value, low, high = (round(part, 1) + 0.0 for part in parts)  # no -0.0
    return f"{value} ({low}-{high})"


def counted(share):
    """{count, percent, low, high} as a percentage with its interval."""
    return interval([share["percent"], share["low"], share["high"]])


def thousands(number):
    """A whole number with its thousands set apart."""
    return f"{number:,}"


def made(record):
    """When and on what, in a line."""
    load = f"load {record['load']}" + (f" to {record['load_after']}" if "load_after" in record else "")
    return f"{record['date']}, {record['machine']}, Python {record['python']}, {load} at the time."


def _line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
