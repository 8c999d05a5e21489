"""Files, the truth: where they are, what they say, and how they are changed without losing a byte."""
