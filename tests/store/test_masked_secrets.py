"""A secret is taken out of a text and the rest of it is kept, to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.store import secrets

GITHUB = "ghp_" + "a1B2" * 9
CASES = {
    "github-token": (f"export GH={GITHUB} # ours", "export GH=[secret:github-token] # ours"),
    "url-password": ("at https://bob:Xk92jd8s@h.org/x", "at https://bob:[secret:url-password]@h.org/x"),
    "assigned-password": ("password = 'Hunter-2-XY99z'", "password = '[secret:assigned-password]'"),
    "assigned-key": ("api_key: 9f8e7d6c5b4a39281", "api_key: [secret:assigned-key]"),
    "aws-access-key": (
        "AKIAIOSFODNN7EXAMPLF twice AKIAIOSFODNN7EXAMPLF",
        "[secret:aws-access-key] twice [secret:aws-access-key]",
    ),
}


@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize("name", CASES)
def test_only_the_value_goes(name):
    text, expected = CASES[name]
    masked, names = secrets.masked(text)
    assert masked == expected
    assert set(names) == {name}


@pytest.mark.parametrize(
    "text", ["", "We ship on Tuesdays.", "password = <secret>", "token: ${TOKEN}", "a\x00b"]
)
def test_what_holds_none_stays_as_it_is(text):
    assert secrets.masked(text) == (text, ())


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----", ""])
def test_a_private_key_goes_with_its_lines_and_one_without_an_end_with_the_rest(end):
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n{end}"
    masked, names = secrets.masked(text)
    assert (masked, names) == ("before\n[secret:private-key]", ("private-key",))


@given(
    st.lists(
        st.sampled_from([*[text for text, _ in CASES.values()], "plain words", "\n", "key=", "'"]), max_size=6
    )
)
def test_what_is_masked_holds_no_secret_and_masking_again_changes_nothing(pieces):
    masked, _ = secrets.masked(" ".join(pieces))
    assert secrets.find(masked) is None
    assert secrets.masked(masked) == (masked, ())
