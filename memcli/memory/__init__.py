"""The rules of memory as pure functions and frozen values: no clock, no files, no environment."""
