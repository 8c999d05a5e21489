"""Scores as they are told: so many decimals and no more, wherever they are told."""

from math import isfinite
from typing import Final

DECIMALS: Final = 4  # finer differences have no meaning to a reader (asserted)


def number(value: float | None) -> float | None:
    """A score rounded, or None where it is missing or not finite."""
    return round(float(value), DECIMALS) + 0.0 if value is not None and isfinite(value) else None
