"""Shares with their uncertainty: what every figure here is published with."""

import math

Z = 1.959964  # 95 %


def wilson(hits, n):
    """Share of `hits` in `n` and its 95 % Wilson interval, as (share, low, high); (0, 0, 1) for n = 0."""
    if not n:
        return 0.0, 0.0, 1.0
    share = hits / n
    middle = share + Z * Z / (2 * n)
    spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    whole = 1 + Z * Z / n
    return share, (middle - spread) / whole, (middle + spread) / whole


def auroc(better, worse):
    """Chance that a value of `better` lies above one of `worse`, ties as half."""
    ordered = sorted([(value, 1) for value in better] + [(value, 0) for value in worse])
    total, at = 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        total += sum(kind for _, kind in ordered[at:end]) * (at + end + 1) / 2
        at = end
    n, m = len(better), len(worse)
    return (total - n * (n + 1) / 2) / (n * m) if n and m else 0.5
