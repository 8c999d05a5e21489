"""Characters that no reader sees, by code point: stopped where they arrive, escaped where they are shown."""

from typing import Final

RANGES: Final = (
    (0x01, 0x08),
    (0x0B, 0x1F),  # all controls but tab and line feed; NUL never arrives
    (0x7F, 0x9F),
    (0x061C, 0x061C),  # turn the reading order
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2066, 0x2069),
    (0x2028, 0x2029),  # end a line for some readers and not for others
    (0x034F, 0x034F),  # no width: what they part reads as one word
    (0x115F, 0x1160),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x2060, 0x2065),
    (0x206A, 0x206F),
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),  # tag characters: text that only a machine reads
)
