"""A claim gets other words, and nothing else of its file changes."""

import pytest

from memcli.errors import BadFile
from memcli.store import rewording

NEW = "The refund window is 14 days."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"The old one.\n", b"%s\n"),
        (b"---\nid: aaaa # mine\n---\n\n# Refunds\n\nThe old\none.\n\nDetail.\n",
         b"---\nid: aaaa # mine\n---\n\n# Refunds\n\n%s\n\nDetail.\n"),
        (b"---\r\nid: aaaa\r\n---\r\n\r\nThe old\r\none.  \r\n\r\nDetail.\r\n",
         b"---\r\nid: aaaa\r\n---\r\n\r\n%s  \r\n\r\nDetail.\r\n"),
        (b"\xef\xbb\xbf---\nid: aaaa\n---\n***\nThe old one.", b"\xef\xbb\xbf---\nid: aaaa\n---\n***\n%s"),
        (b"# The old one.\n\nThe old one.\n", b"# The old one.\n\n%s\n"),
    ],
    ids=["bare", "title and detail", "CRLF", "BOM and rule", "title says the same"],
)  # fmt: skip
def test_only_the_claim_changes(before, after):
    assert rewording.set_claim(before, NEW) == after % NEW.encode()


def test_several_lines_end_as_the_file_does():
    raw = rewording.set_claim(b"---\r\nid: aaaa\r\n---\r\nOld.\r\n", "One\ntwo.")
    assert raw == b"---\r\nid: aaaa\r\n---\r\nOne\r\ntwo.\r\n"


@pytest.mark.parametrize("text", ["", "  \n", "# Only a title", "One.\n\nTwo.", "# T\n\nOne."])
def test_what_is_not_one_claim_is_refused(text):
    with pytest.raises(BadFile):
        rewording.set_claim(b"Old.\n", text)
    assert rewording.set_claim(b"Old.\n", "New.") == b"New.\n"


def test_a_file_that_is_set_aside_is_left_alone():
    with pytest.raises(BadFile):
        rewording.set_claim(b"---\nid: aaaa\n\nOld.\n", NEW)


def test_words_that_would_swallow_the_detail_are_refused():
    unclosed = "```\nmake test"
    assert rewording.set_claim(b"Old.\n", unclosed) == b"```\nmake test\n"
    with pytest.raises(BadFile, match="more than the claim"):
        rewording.set_claim(b"Old.\n\nDetail.\n", unclosed)


def test_a_claim_whose_lines_end_in_two_ways_is_left_to_a_person():
    with pytest.raises(BadFile, match="cannot be found"):
        rewording.set_claim(b"Old\r\none,\nand more.\n", NEW)
