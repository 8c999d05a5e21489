"""Which variables of the environment mem looks at: all that a client sends to a resident.

Names alone, and nothing is imported, because the client that asks a resident reads them too
and must not wait for anything. Git's repository variables (GIT_DIR and its kin) are left
out on purpose.
"""

# Variables by which agent clients mark the commands that they run, with the client's name.
# Settings that a person may keep in a profile (API keys, AIDER_MODEL, CURSOR_TRACE_ID of an
# editor's own terminal) are no such sign: they would turn that person into an agent.
AGENT_SIGNS = {
    "CLAUDECODE": "claude",
    "CLAUDE_CODE": "claude",
    "CLAUDE_CODE_ENTRYPOINT": "claude",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "CURSOR_AGENT": "cursor",
    "GEMINI_CLI": "gemini",
    "QWEN_CODE": "qwen",
    "OPENCODE": "opencode",
    "OPENCODE_CLIENT": "opencode",
    "AMP_CURRENT_THREAD_ID": "amp",
    "GOOSE_TERMINAL": "goose",
    "CLINE_ACTIVE": "cline",
    "COPILOT_CLI": "copilot",
    "AUGMENT_AGENT": "augment",
    "ANTIGRAVITY_AGENT": "antigravity",
    "TRAE_AI_SHELL_ID": "trae",
    "CRUSH": "crush",
    "AIDER": "aider",
    "AI_AGENT": "",  # any client that follows the convention: the value is its name
}

NAMES = (
    "MEM_COMMITTING",
    *("MEM_STORE", "MEM_ACTOR", "MEM_SESSION", "MEM_EDITOR", "VISUAL", "EDITOR", "PAGER", "MEM_PAGER"),
    *("HOME", "USER", "LOGNAME", "SHELL", "PATH", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"),
    *("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "DISPLAY"),
    *("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EDITOR", "GIT_EXEC_PATH"),
    *("GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "VIRTUAL_ENV"),
    *AGENT_SIGNS,
)
