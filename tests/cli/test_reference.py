"""docs/cli.md is what the declarations say."""

import pathlib

from memcli.cli import words
from memcli.cli.reference import CODES, lines

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def test_the_reference_is_the_one_that_the_declarations_make():
    made = "\n".join(lines()) + "\n"
    assert (DOCS / "cli.md").read_text("utf-8") == made, "run: python -m memcli.cli.reference > docs/cli.md"


def test_the_reference_names_every_verb_option_and_code():
    text = "\n".join(lines())
    for verb in words.all_verbs():
        assert f"### mem {verb.name}\n" in text
        for option in (*words.COMMON, *verb.options):
            assert all(flag in text for flag in option.flags)
    assert all(f"| {code} |" in text for code in CODES)


def test_codes_of_errors_are_documented():
    from memcli import errors

    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MemError)
    ]
    assert {kind.code for kind in kinds} <= set(CODES)
