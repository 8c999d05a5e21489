import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.store import secret_shapes, secrets
from memcli.store.secrets import find

# Made up, and put together here so that no scanner of this repository takes them for real.
HEX = "0123456789abcdef" * 8
MIX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0" * 4
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
GITHUB = "gh" + "p_"

CAUGHT = {
    "github-token": [
        f"key {GITHUB}{MIX[:36]}",
        f"key {GITHUB}" + "k3v9x2m4q1z7p8w5n6b0",
        f"key {GITHUB}" + "7d0qk2v9x4m1",
        f"{GITHUB}" + "a" * 36,
        f"(see {GITHUB.replace('p_', 's_')}{MIX[:36]}).",
        "github_pat_" + MIX[:22] + "_" + MIX[:59],
    ],
    "private-key": [
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\r\nMIIE\r\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        r"key: '-----BEGIN EC PRIVATE KEY-----\nMHcC\n'",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY----- MIIFHDBOBgkqhkiG9w0BBQ0wQTA",
        "AGE-SECRET-KEY-1" + "QL9WRX" * 9,
        "PuTTY-User-Key-File-3: ssh-ed25519",
    ],
    "aws-access-key": [f"AWS {AWS}", f"export AWS_ACCESS_KEY_ID={AWS}", "ASIA" + "Y34FZKBOKMUTVV7A"],
    "url-password": [
        "postgres://u:p@h",
        "the database is postgresql://shop:Tr0ub4dor@db.example.org:5432/shop?sslmode=require",
        "redis://:hunter22@cache:6379/0",
        "git clone https://ana:correcthorse@example.org/x.git",
        "amqp://guest:guest@mq/",
        "mongodb+srv://app:pass:word@cluster0.example.net",
        "postgres://user:password@localhost/db",
    ],
    "gitlab-token": ["glpat-" + "x9Kd72Lm_pQ4rT8vW1yZ"],
    "slack-token": ["xox" + "b-123456789012-1234567890123-" + MIX[:24], "xapp-1-A0" + MIX[:20]],
    "slack-webhook": ["https://hooks.slack.com/services/T01ABCDEF/B02GHIJKL/" + MIX[:24]],
    "discord-webhook": ["https://discord.com/api/webhooks/123456789012345678/" + MIX[:68]],
    "anthropic-key": ["sk-" + "ant-api03-" + MIX[:80]],
    "openai-key": ["sk-" + MIX[:48], "sk-" + "proj-" + MIX[:60], "sk-" + "b" * 48],
    "stripe-key": ["sk_" + "live_" + MIX[:24], "rk_" + "test_" + MIX[:24], "whsec_" + MIX[:32]],
    "google-key": ["AIza" + MIX[:35], "GOCSPX-" + MIX[:28], "ya29." + MIX[:60]],
    "hugging-face-token": ["hf_" + "qWeRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuI"],
    "npm-token": ["npm_" + MIX[:36]],
    "pypi-token": ["pypi-" + "AgEIcHlwaS5vcmc" + MIX[:80]],
    "sendgrid-key": ["SG." + MIX[:22] + "." + MIX[:43]],
    "json-web-token": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + MIX[:43]],
    "digitalocean-token": ["dop_v1_" + HEX[:64]],
    "shopify-token": ["shpat_" + HEX[:32]],
    "databricks-token": ["dapi" + HEX[:32]],
    "docker-token": ["dckr_pat_" + MIX[:27]],
    "vault-token": ["hvs." + MIX[:24]],
    "linear-key": ["lin_api_" + MIX[:40]],
    "notion-token": ["ntn_" + MIX[:46]],
    "atlassian-token": ["ATATT3" + MIX[:100]],
    "postman-key": ["PMAK-" + HEX[:24] + "-" + HEX[:34]],
    "new-relic-key": ["NRAK-" + "A1B2C3D4E5F6G7H8I9J0K1L2M3N"],
    "grafana-token": ["glsa_" + MIX[:32] + "_ab12cd34"],
    "terraform-token": [MIX[:14] + ".atlasv1." + MIX[:67]],
    "pulumi-token": ["pul-" + HEX[:40]],
    "square-token": ["sq0csp-" + MIX[:43]],
    "groq-key": ["gsk_" + MIX[:52]],
    "replicate-token": ["r8_" + MIX[:37]],
    "perplexity-key": ["pplx-" + MIX[:48]],
    "xai-key": ["xai-" + MIX[:80]],
    "supabase-token": ["sbp_" + HEX[:40]],
    "planetscale-token": ["pscale_tkn_" + MIX[:43]],
    "sentry-token": ["sntrys_" + MIX[:60]],
    "tailscale-key": ["tskey-auth-" + MIX[:12] + "-" + MIX[:32]],
    "doppler-token": ["dp.st." + MIX[:43]],
    "rubygems-key": ["rubygems_" + HEX[:48]],
    "figma-token": ["figd_" + MIX[:43]],
    "mailgun-key": ["key-" + HEX[:32]],
    "bearer-token": [f"curl -H 'Authorization: Bearer {MIX[:40]}' https://api.example.org"],
    "basic-authorization": ["Authorization: Basic dXNlcjpwYXNzd29yZA==", '"authorization": "Basic YTpiMQ=="'],
    "command-password": [
        "curl -u admin:s3cr3t https://example.org",
        "curl --user 'ana:pw' -X POST https://e.org",
    ],
    "assigned-password": [
        'password = "hunter2"',
        "DB_PASSWORD=Tr0ub4dor&3",
        "The admin password: Xk29vLq!",
        '{"passwd": "abc123"}',
        "pwd: 'p4ssphrase'",
        "ANSIBLE_PASSPHRASE => Zx81zx81",
    ],
    "assigned-key": [
        f"API_KEY={MIX[:24]}",
        "//registry.example.org/:_authToken=12345678-abcd-ef12-3456-7890abcdef12",
        f'"apiKey": "{HEX[:32]}"',
        f"client_secret: {MIX[:40]}",
        f"token = '{HEX[:40]}'",
        "SECRET_KEY='django-insecure-x8f2k1+q=7'",
    ],
    "azure-storage-account-access-key": ["AccountKey=" + (MIX + "+/")[:86] + "=="],
    "discord-bot-token": ["MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ." + MIX[:27]],
    "mailchimp-access-key": [HEX[:32] + "-us12"],
    "telegram-bot-token": ["bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"[:49]],
    "softlayer-credentials": ["softlayer_api_key " + HEX[:64]],
}

PASSES = [
    # prose, also about secrets
    "The refund window is 30 days.",
    "Never store a password in the repository; keep tokens in the vault.",
    "The password: ask Ana. The secret: there is none.",
    "Rotate the API key every 90 days, and the access key with it.",
    "A token is about four characters; the budget is 800 tokens: 4096 at most.",
    "Passwords are hashed with argon2id; password: argon2id, never md5.",
    "Files that hold -----BEGIN PRIVATE KEY----- lines are refused.",
    "`-----BEGIN RSA PRIVATE KEY-----` starts such a file.",
    "GitHub's tokens begin with ghp_ or github_pat_, OpenAI's with sk-, AWS keys with AKIA.",
    "We use HTTP basic authorization: basic authentication over TLS.",
    "Authorization: Basic credentials are deprecated.",
    "Send the header Authorization: Bearer with the session's token.",
    "Use a bearer authentication-scheme-with-a-name for the v2 API.",
    "The asia-pacific region is ASIAPACIFICNORTHEASTX, the accounts are ACCAxxxx.",
    "Task-driven work: sk-learn-pipeline-v2-for-ranking is the branch.",
    "The keyboard shortcut is ctrl+k, the key: 42.",
    "Meet at 10:30 in room 4:5 @ the annex.",
    "pwd: /home/ana2/work/shop3",
    "c'est la clé: très importante2",
    # placeholders
    "GITHUB_TOKEN=<token>",
    "key ghp_<token>",
    f"{GITHUB}{'x' * 36}",
    f"{GITHUB}XXXXXXXXXXXXXXXXXXXX",
    f"{GITHUB}yourTokenGoesHere1234567890",
    f"{GITHUB}abcd…9876",
    f"{GITHUB}****************1234",
    "AKIAXXXXXXXXXXXXXXXX",
    "AKIA…",
    "sk-...",
    "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "export TOKEN=${TOKEN}",
    "password = $DB_PASSWORD2",
    'password: "${DB_PASSWORD:-secret1}"',
    'password = "{{ vault_password_2 }}"',
    'password = "<your password 1>"',
    "password=xxxxxx1 or password=********",
    "api_key: YOUR_API_KEY_123456789",
    "token: REDACTED_TOKEN_1234567",
    "postgres://user:<password>@host/db",
    "postgres://${USER}:${PASS}@${HOST}/db",
    "postgres://user:$PASSWORD@host/db",
    "postgres://%s:%s@%s/%s and postgres://%(user)s:%(password)s@h",
    "postgres://user:***@host, postgres://user:xxx@host, https://u:[REDACTED]@h",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "curl -u $USER:$PASS https://example.org",
    "curl -u ana:<password> https://example.org",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${ACCESS_TOKEN_OF_SERVICE_42}",
    "client_secret=changeme123456",
    # addresses and code
    "https://example.org:8443/a:b@c and http://localhost:3000/@scope/pkg",
    "git@example.org:team/shop.git and ssh://git@example.org:22/x.git",
    "npm i @types/node@20:latest, user@host:/path, mailto:ana@example.org",
    'token = request.headers["x-token-2"]',
    "api_key = settings.API_KEY_2",
    "secret = hashlib.sha256(raw).hexdigest()",
    "password: str = Field(min_length=8)",
    "password = get_password_v2(user1)",
    "password=user1.password",
    "const accessKey = process.env.ACCESS_KEY2;",
    'secret: "db-credentials-prod-eu1"',
    "secretName: tls-cert-2024",
    "next_token: page2, max_tokens=4096, tokens: 1024",
    "api_key: /run/secrets/api_key_2 and token: ~/.config/token2",
    "token: sha256:" + HEX[:64],
    "def test_a_token_of_32_characters_is_refused_2(): ...",
    'key = f"user:{user_id}:v2"',
    "hf_hub_download, npm_config_registry, sk_live_mode, xoxo-hugs",
    "dapi is not dapibus; pul-request-42; key-value-store-2026",
    # hashes and ids
    "commit 3f2c9d0a7b1e4c5d6f8091a2b3c4d5e6f7a8b9c0 broke it",
    "sha256 " + HEX[:64],
    "sha512-" + MIX[:86] + "==",
    "d41d8cd98f00b204e9800998ecf8427e  empty.txt",
    "id: 7k3p9x2m4q1z, event 01k8z3v7q4hb5d2c9f0a1e6g8j",
    "550e8400-e29b-41d4-a716-446655440000",
    "1735689600:da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1x9K2vQ0cL8mN3pR5tY7uW ana@laptop",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWgAwIBAgIJAKl\n-----END CERTIFICATE-----",
    "pk_live_" + MIX[:24],
    "",
    "\x00\udcff",
]


@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name, texts in CAUGHT.items() for text in texts],
    ids=lambda one: one[:24],
)
def test_a_credential_is_caught_by_the_name_of_its_pattern(name, text):
    assert find(text) == name
    assert find(f"We deploy on Tuesdays.\n\n{text}\n\nThat is all.") == name


@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize("text", PASSES, ids=lambda one: ascii(one[:30]))
def test_placeholders_prose_code_and_hashes_pass(text):
    assert find(text) is None


@pytest.mark.case("P-SEC-06")
def test_the_answer_never_holds_the_value():
    for name, texts in CAUGHT.items():
        assert all(name not in text.lower() or name == "private-key" for text in texts)
        assert name.replace("-", "").isalnum()


def test_the_table_of_shapes_is_shown_whole():
    assert {shape.name for shape in secret_shapes.SHAPES} <= set(CAUGHT)


def test_a_credential_is_caught_wherever_it_stands_in_a_long_text():
    filler = "The refund window is 30 days. " * 2000
    long = "x1" * 2000
    for secret in (GITHUB + MIX[:36], "AccountKey=" + MIX[:86] + "==", HEX[:32] + "-us12"):
        for text in (
            filler + secret,
            secret + " " + filler,
            filler + secret + " " + filler,
            f"{long} {secret} {long}",
        ):
            assert find(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "eyJ",
            "sk-",
            "password=",
            "://",
            "a://:",
            "-----BEGIN ",
            "AKIA",
            "x1",
            "aws key '",
            "curl -u ",
            "bearer ",
        ),
        *("key-", "A1 ", "token: a1b2c3d4e5f6 ", "0123456789:" + MIX[:34] + " ", MIX + " ", HEX + "-us1x "),
    ],
)
def test_no_text_makes_the_search_slow(text):
    began = time.process_time()
    find(text * (300_000 // len(text)))
    assert time.process_time() - began < 3


def test_ordinary_text_loads_no_library():
    code = """
import sys
from memcli.store import secrets
secrets.find("The refund window is 30 days; passwords stay in the vault, see https://example.org/a/b?c=d")
print([name for name in ("detect_secrets", "requests", "json", "yaml") if name in sys.modules])"""
    root = str(Path(__file__).parents[2])
    assert (
        subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": root}, text=True) == "[]\n"
    )


def test_every_pattern_of_the_library_is_there():
    assert len(secrets._plugins()) == len(secrets._PLUGINS)
