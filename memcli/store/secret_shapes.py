"""What credentials look like, as data: the name to refuse by, what must occur, the pattern.

Only shapes that hardly anything else has: a memory about passwords, a hash, a commit's id
must pass. A pattern is compiled when one of its hints occurs, so ordinary text pays for a
few searches of plain substrings. Every repetition is bounded by what stands before it, so
that no text can make a search slow.
"""

from typing import Final, NamedTuple


class Shape(NamedTuple):
    """One kind of credential.

    One of `hints` (lower case) must occur; `pattern` finds the value: its group `value` where
    it has one, else all of it. `run` is how many letters and digits in a row, of both sorts,
    the value must have: names made of words have not.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    run: int = 0


PRIVATE_KEY: Final = "private-key"  # its first line gives it away, and the lines after it are the secret
_ALONE: Final = r"(?<![A-Za-z0-9])"
_W: Final = r"[A-Za-z0-9_-]"

SHAPES: Final = (
    Shape(
        PRIVATE_KEY,
        ("private key", "putty-user-key-file", "age-secret-key-"),
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[ \t]{0,8}(?:\r?\n|\\n|\Z)|\s{0,8}[A-Za-z0-9+/=]{24})"
        r"|PuTTY-User-Key-File-\d: |AGE-SECRET-KEY-1[0-9A-Z]{40}",
    ),
    Shape(
        "url-password",
        ("://",),
        r"""(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{0,20}://[^\s/?#:@"']{0,200}:"""
        r"""(?P<value>[^\s/?#@"']{1,200})@[^\s/"'@]""",
    ),
    Shape(
        "aws-access-key",
        ("akia", "asia", "abia", "acca", "a3t"),
        _ALONE + r"(?:AKIA|A3T[0-9]|(?=[A-Z]{4,19}[0-9])(?:ASIA|ABIA|ACCA))[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    Shape("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _ALONE + r"gh[pousr]_[A-Za-z0-9]{36}"),
    Shape(
        "github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _ALONE + r"gh[pousr]_[A-Za-z0-9]{10,}", 10
    ),
    Shape("github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{20,}", 12),
    Shape(
        "gitlab-token",
        ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "glimt-", "glptt-", "glagent-", "gloas-"),
        _ALONE + rf"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-{_W}{{16,}}",
        8,
    ),
    Shape("slack-token", ("xox", "xapp-"), _ALONE + r"(?:xox[a-z]|xapp)(?:\.xox[a-z])?-[A-Za-z0-9-]{10,}", 8),
    Shape("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{4,12}/[A-Za-z0-9_/]{20,}", 16),
    Shape("discord-webhook", ("/api/webhooks/",), rf"/api/webhooks/\d{{15,}}/{_W}{{40,}}", 8),
    Shape("anthropic-key", ("sk-ant-",), _ALONE + rf"sk-ant-{_W}{{20,}}", 12),
    Shape("openai-key", ("sk-",), _ALONE + r"sk-[A-Za-z0-9]{40,}"),
    Shape("openai-key", ("sk-",), _ALONE + rf"sk-(?:proj-|svcacct-|admin-)?{_W}{{20,}}", 16),
    Shape("stripe-key", ("k_live_", "k_test_"), _ALONE + r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}", 10),
    Shape("stripe-key", ("whsec_",), _ALONE + r"whsec_[A-Za-z0-9+/]{24,}", 10),
    Shape("google-key", ("aiza",), _ALONE + rf"AIza{_W}{{35}}(?!{_W})"),
    Shape("google-key", ("gocspx-", "ya29."), _ALONE + rf"(?:GOCSPX-|ya29\.){_W}{{20,}}", 8),
    Shape("hugging-face-token", ("hf_",), _ALONE + r"hf_[A-Za-z0-9]{30,}"),
    Shape("npm-token", ("npm_",), _ALONE + r"npm_[A-Za-z0-9]{30,}"),
    Shape("pypi-token", ("pypi-ag",), _ALONE + rf"pypi-Ag{_W}{{40,}}"),
    Shape("sendgrid-key", ("sg.",), _ALONE + rf"SG\.{_W}{{16,}}\.{_W}{{32,}}"),
    Shape("json-web-token", ("eyj",), rf"(?<!{_W})eyJ{_W}{{8,}}\.eyJ{_W}{{8,}}\.{_W}*"),
    Shape("digitalocean-token", ("do",), _ALONE + r"do[opr]_v1_[a-f0-9]{40,}"),
    Shape("shopify-token", ("shp",), _ALONE + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    Shape("databricks-token", ("dapi",), _ALONE + r"dapi[a-f0-9]{32}"),
    Shape("docker-token", ("dckr_",), _ALONE + rf"dckr_[op]at_{_W}{{20,}}"),
    Shape("vault-token", ("hvs.", "hvb.", "hvr."), _ALONE + rf"hv[sbr]\.{_W}{{20,}}", 8),
    Shape("linear-key", ("lin_api_",), _ALONE + r"lin_api_[A-Za-z0-9]{32,}"),
    Shape("notion-token", ("ntn_",), _ALONE + r"ntn_[A-Za-z0-9]{40,}"),
    Shape("atlassian-token", ("atatt3",), _ALONE + r"ATATT3[A-Za-z0-9_=-]{50,}"),
    Shape("postman-key", ("pmak-",), _ALONE + r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Shape("new-relic-key", ("nrak-",), _ALONE + r"NRAK-[A-Z0-9]{27}"),
    Shape("grafana-token", ("glsa_", "glc_"), _ALONE + r"gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}", 10),
    Shape("terraform-token", (".atlasv1.",), _ALONE + rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{60,}}"),
    Shape("pulumi-token", ("pul-",), _ALONE + r"pul-[a-f0-9]{40}"),
    Shape("square-token", ("sq0",), _ALONE + rf"sq0(?:atp|csp)-{_W}{{22,}}"),
    Shape("groq-key", ("gsk_",), _ALONE + r"gsk_[A-Za-z0-9]{40,}"),
    Shape("replicate-token", ("r8_",), _ALONE + r"r8_[A-Za-z0-9]{37}"),
    Shape("perplexity-key", ("pplx-",), _ALONE + r"pplx-[A-Za-z0-9]{40,}"),
    Shape("xai-key", ("xai-",), _ALONE + r"xai-[A-Za-z0-9]{60,}"),
    Shape("supabase-token", ("sbp_",), _ALONE + r"sbp_[a-f0-9]{40}"),
    Shape("planetscale-token", ("pscale_",), _ALONE + rf"pscale_[a-z]{{2,5}}_{_W}{{32,}}"),
    Shape("sentry-token", ("sntrys_", "sntryu_"), _ALONE + r"sntry[su]_[A-Za-z0-9=_-]{40,}"),
    Shape("tailscale-key", ("tskey-",), _ALONE + rf"tskey-[a-z]{{2,8}}-{_W}{{20,}}", 8),
    Shape("doppler-token", ("dp.",), _ALONE + rf"dp\.(?:pt|st|ct|sa)\.{_W}{{40,}}"),
    Shape("rubygems-key", ("rubygems_",), _ALONE + r"rubygems_[a-f0-9]{48}"),
    Shape("figma-token", ("figd_",), _ALONE + rf"figd_{_W}{{40,}}"),
    Shape("mailgun-key", ("key-",), _ALONE + r"key-[a-f0-9]{32}(?![a-f0-9])"),
    Shape("bearer-token", ("bearer",), r"(?i)\bbearer[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/-]{20,}=*)", 16),
    Shape(
        "command-password",
        ("curl",),
        r"""\bcurl\b[^\n]{0,300}?\s(?:-u ?|--user[ =])["']?[^\s:"'$<{]{1,100}:(?P<value>[^\s"']{1,200})""",
    ),
)

BASIC_HINT: Final = "basic "
BASIC: Final = (
    r"(?i)\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?basic[ \t]{1,4}([A-Za-z0-9+/]{6,}={0,2})"
)

# A name that says what is assigned to it; the value in quotes, or bare up to a break.
ASSIGNED_HINTS: Final = ("passw", "passphrase", "pwd", "secret", "token", "key")
ASSIGNED: Final = (
    r"(?i)(?:(?P<password>password|passwd|passphrase|pwd)"
    r"|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key)"
    r"""["']?[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}"""
    r"""(?:"(?P<double>[^"\s]{6,200})"|'(?P<single>[^'\s]{6,200})'|(?P<bare>[^\s"'`,;<>(){}\[\]]{6,200}))"""
)
