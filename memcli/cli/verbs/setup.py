"""Setup: what to put where, so that other programs use mem by themselves. It writes nothing."""

import sys
from hashlib import sha256
from shlex import quote

from memcli.cli.opening import open_for
from memcli.cli.streams import Streams

_SYSTEMD = """\
# ~/.config/systemd/user/mem-{name}.service
# then: systemctl --user enable --now mem-{name}
[Unit]
Description=mem watches {root}

[Service]
ExecStart={command} --store {quoted} watch
Restart=on-failure
RestartPreventExitStatus=8 9

[Install]
WantedBy=default.target
"""
_LAUNCHD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/mem.{name}.plist
     then: launchctl load -w ~/Library/LaunchAgents/mem.{name}.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>mem.{name}</string>
  <key>ProgramArguments</key>
  <array>{words}</array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
"""


def setup(streams: Streams) -> int:
    """`mem setup watch`."""
    opened = open_for(streams)
    root = str(opened.place.root)
    name = _name(opened.name, root)
    kind = streams.call.text("for") or ("launchd" if sys.platform == "darwin" else "systemd")
    command = [sys.executable, "-m", "memcli"]
    if kind == "systemd":
        text = _SYSTEMD.format(
            name=name,
            root=_unit(root),
            quoted=_unit(quote(root)),
            command=_unit(" ".join(map(quote, command))),
        )
    else:
        words = "".join(f"<string>{_xml(word)}</string>" for word in [*command, "--store", root, "watch"])
        text = _LAUNCHD.format(name=name, words=words)
    if streams.json:
        streams.answer({"format": "mem.setup/1", "what": "watch", "for": kind, "text": text})
    else:
        streams.text(text)
    return 0


def _name(store: str, root: str) -> str:
    """What the unit is called: many a store's folder is called `mem`, so part of a hash tells them apart."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in store)
    return f"{plain.strip('-') or 'store'}-{sha256(root.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


def _unit(text: str) -> str:
    """As systemd reads it: a percent sign and a dollar sign are its own."""
    return text.replace("%", "%%").replace("$", "$$")


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
