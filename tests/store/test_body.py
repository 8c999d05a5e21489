"""What of a body is title, claim and detail, however its lines end."""

import pytest

from memcli.store import body


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "title", "claim", "detail"),
    [
        (["Claim"], "", "Claim", ""),
        (["***", "Claim"], "", "Claim", ""),
        (["# Title", "---", "", "Claim", "goes on", "", "Detail"], "Title", "Claim\ngoes on", "Detail"),
        (["# Title #", "Claim", "***", "Detail"], "Title", "Claim", "***\nDetail"),
        (["Claim", "# Heading", "Detail"], "", "Claim", "# Heading\nDetail"),
        (["```", "make", "", "test", "```", "Detail"], "", "```\nmake\n\ntest\n```", "Detail"),
        (["", "", "Claim", "", "", "Detail", ""], "", "Claim", "Detail"),
        (["# Title"], "Title", "", ""),
        ([""], "", "", ""),
    ],
)
def test_a_body_is_divided_alike_whatever_ends_its_lines(end, lines, title, claim, detail):
    found = body.read(end.join(lines))
    assert (found.title, found.claim, found.detail.replace("\r\n", "\n")) == (title, claim, detail)
