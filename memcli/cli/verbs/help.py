"""Help: the same as --help, for those who ask with a word."""

from memcli.cli.streams import Streams


def help_(streams: Streams) -> int:
    """`mem help [VERB]`."""
    from memcli.cli import typer_app

    verb = streams.call.text("verb")
    answer = typer_app.read([verb, "--help"] if verb else ["--help"])
    return answer if isinstance(answer, int) else 0
