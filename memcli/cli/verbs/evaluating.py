"""Eval: one verb of several parts, each in a module of its own."""

from importlib import import_module

from memcli.cli.streams import Streams
from memcli.cli.words.measuring import OF_PART, PARTS, WITH_FILES
from memcli.errors import Usage


def evaluate(streams: Streams) -> int:
    """`mem eval PART`: whatever that part returns."""
    call = streams.call
    part = call.text("part") or ""
    for option, owner in OF_PART.items():
        if call.values.get(option) and owner != part:
            raise Usage(
                f"--{option.replace('_', '-')} goes only with mem eval {owner}.", "See mem eval --help."
            )
    if call.texts("files") and part not in WITH_FILES:
        raise Usage(f"mem eval {part} takes no files.", "See mem eval --help.")
    module, name = PARTS[part].split(":")
    code: int = getattr(import_module(module), name)(streams)
    return code
