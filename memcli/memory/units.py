"""Units of time, money, size and length, and quantities that are equal across them.

`two weeks` and `14 days` are one quantity, `14 days` and `14 weeks` are not; a bare `14` may be
either. English spellings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

# Unit as written -> (unit, its measure, how many of the measure); the measure "" converts to nothing.
_UNIT_TABLE: Final = """
second seconds sec secs s = second time 1
minute minutes min mins = minute time 60
hour hours hr hrs h = hour time 3600
day days d = day time 86400
week weeks wk wks = week time 604800
month months = month months 1
year years yr yrs = year months 12
ms millisecond milliseconds = ms time 0.001
percent pct pc % = % share 1
$ usd dollar dollars = $ dollars 1
€ eur euro euros = € euros 1
£ gbp pound pounds = £ pounds 1
kb kib = kb bytes 1
mb mib = mb bytes 1000
gb gib = gb bytes 1000000
tb tib = tb bytes 1000000000
km kilometres kilometers = km metres 1000
metre metres meter meters = metre metres 1
mile miles = mile miles 1
kg kilos kilograms = kg grams 1000
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with the measure that it converts to."""

    name: str
    measure: str
    factor: Decimal


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit ("" where none is said); weekdays, months and clock times are values too."""

    value: str
    unit: str = ""

    def __str__(self) -> str:
        """One spelling for equal measures, like `1209600 time` for two weeks."""
        unit = _NAMED.get(self.unit)
        return f"{plain(Decimal(self.value) * unit.factor)} {unit.measure}" if unit else self.value

    def agrees(self, other: "Quantity") -> bool:
        """Whether both may mean the same: equal measures, or equal values where one names no unit."""
        if self.value == other.value and (self.unit == other.unit or not self.unit or not other.unit):
            return True
        return bool(self.unit and other.unit) and str(self) == str(other)


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _UNIT_TABLE.strip().splitlines():
        spellings, _, meaning = line.partition(" = ")
        name, measure, factor = meaning.split()
        for spelling in spellings.split():
            yield spelling, Unit(name, measure, Decimal(factor))


UNITS: Final[Mapping[str, Unit]] = MappingProxyType(dict(_units()))
_NAMED: Final[Mapping[str, Unit]] = MappingProxyType({unit.name: unit for unit in UNITS.values()})


def plain(value: Decimal) -> str:
    """`value` without exponent and idle zeros."""
    return f"{value.normalize():f}" if value else "0"
