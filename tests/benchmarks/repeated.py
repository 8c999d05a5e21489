"""A Python program's command run again and again in one process, which saves starting it for every question.

Run by the program's own interpreter: a request is a line of JSON on stdin, {argv, cwd,
environment}; the answer a line too, {code, out}. Nothing of this project is imported here.
"""

import contextlib
import io
import json
import os
import runpy
import sys


def main():
    """Answer until the requests end."""
    for line in sys.stdin:
        asked = json.loads(line)
        os.environ.update(asked["environment"])
        os.chdir(asked["cwd"])
        sys.argv = asked["argv"]
        said, code = io.StringIO(), 0
        with contextlib.redirect_stdout(said):
            try:
                runpy.run_path(sys.argv[0], run_name="__main__")
            except SystemExit as ended:
                code = ended.code
        sys.__stdout__.write(json.dumps({"code": code, "out": said.getvalue()}) + "\n")
        sys.__stdout__.flush()


if __name__ == "__main__":
    main()
