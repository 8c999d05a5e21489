"""The demo's texts fit its tour."""

import json

from memcli.cli.batch import requests
from memcli.cli.verbs import demo


def test_the_demo_forgets_a_claim_that_it_took_in():
    claims = [json.loads(line) for line in demo.CLAIMS.read_text("utf-8").splitlines() if line.strip()]
    tour = demo.Tour.read()
    assert tour.forget in [claim["text"] for claim in claims]
    assert tour.again != tour.forget
    assert tour.questions
    assert len({claim["text"] for claim in claims}) == len(claims) >= 10


def test_every_line_of_the_demo_is_a_request():
    found = requests(demo.CLAIMS.read_text("utf-8"), None)
    assert not [one for one in found if isinstance(one, Exception)]
