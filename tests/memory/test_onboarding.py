"""What a document states: whole sentences of prose and lists, and nothing else."""

from memcli.memory.onboarding import stated

DOCUMENT = """---
title: The frontmatter says nothing of the project itself.
---
# The refund window of the shop is a heading

The **refund window** is 30 days for [online orders](https://x.example/a).
Why would anybody ask? It depends on what stood before it.

- Never commit to `main` directly; open a
  pull request instead.
- [x] Run `make test` before every commit.
- Follow these rules for every release:
1. Wages are paid on the 25th of each month.

| this table | says nothing alone |
|------------|--------------------|

```sh
echo "this code states nothing about deploys"
```
<!-- A comment that nobody sees
orders the agent to obey. -->
> A quotation belongs to whoever said it first.
"""


def texts(document):
    return [one.text for one in stated(document)]


def test_sentences_of_prose_and_lists_are_taken_word_for_word():
    assert texts(DOCUMENT) == [
        "The refund window is 30 days for online orders.",
        "Never commit to `main` directly; open a pull request instead.",
        "Run `make test` before every commit.",
        "Wages are paid on the 25th of each month.",
    ]


def test_each_is_the_kind_of_claim_that_it_sounds_like():
    assert [one.type for one in stated(DOCUMENT)] == ["fact", "constraint", "instruction", "fact"]


def test_each_names_the_line_of_its_block():
    assert [one.line for one in stated(DOCUMENT)] == [6, 9, 11, 13]


def test_a_sentence_that_stands_twice_is_taken_once():
    assert texts("Wages are paid on the 25th.\n\n- Wages are paid on the 25th.\n") == [
        "Wages are paid on the 25th."
    ]


def test_code_without_an_end_and_empty_text_say_nothing():
    assert texts("") == []
    assert texts("```\nWages are paid on the 25th.\n") == []
