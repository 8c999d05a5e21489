"""A program that answers over MCP on its standard streams, as agents start it."""

import json
import subprocess
from itertools import count

PROTOCOL = "2025-03-26"
PATIENCE_S = 10


class Spoken:
    """One running server; `call` asks a tool and gives its answer as an object."""

    def __init__(self, argv, folder, environment):
        self.process = subprocess.Popen(
            [str(word) for word in argv],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.numbers = count(1)
        client = {"name": "benchmark", "version": "1"}
        self._asked("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._said({"method": "notifications/initialized"})

    def call(self, tool, arguments):
        """What a tool answers: its structured content, else its text read as JSON."""
        answer = self._asked("tools/call", {"name": tool, "arguments": arguments})
        text = answer["content"][0]["text"] if answer.get("content") else ""
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {text}")
        found = answer.get("structuredContent") or {}
        return found if "results" in found else json.loads(text)

    def close(self):
        """Let it end; one that stays is told to."""
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        self.process.stdout.close()

    def _asked(self, method, parameters):
        number = next(self.numbers)
        self._said({"id": number, "method": method, "params": parameters})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == number and "method" not in answer:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"the server ended with {self.process.wait()} when asked {method}")

    def _said(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()
