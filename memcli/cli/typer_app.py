"""The other reader: typer, for help, usage errors and completion, built from the same declarations.

Typer costs several times what `mem show` does, so it is imported only when the light reader
could not read the words. It hands every value on as written: `settle` says what it means.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from memcli.cli import offering, words
from memcli.cli.grammar import FLAG, Argument, Call, Option, Verb, is_option, settle
from memcli.errors import Usage

_COMMON: Final = "mem.common"  # where the context keeps what stood before the verb
_TEXT_MARK: Final = "\0"  # no argument of a process can hold it, so it marks text that typer would split
_PREFIX: Final = "given_"  # option names like `from` are no names for Python
_DASH_HINT: Final = "Text that begins with a dash goes after -- or comes on stdin with -"


def read(argv: Sequence[str]) -> Call | int:
    """The call that `argv` makes, or the exit code after help was printed. Raises Usage."""
    shielded = [_shielded(word) for word in argv] or ["--help"]
    try:
        answer = command().main(args=shielded, prog_name="mem", standalone_mode=False)
    except typer.TyperException as error:
        raise _usage(error) from error
    return answer if isinstance(answer, Call) else int(answer or 0)


def command() -> Any:  # noqa: ANN401 - typer's command, whose class is private
    """The whole grammar as typer's command."""
    app = typer.Typer(
        cls=_Family,
        suggest_commands=False,  # `_Family` knows better what may be suggested
        pretty_exceptions_enable=False,  # a traceback with locals would print memory text
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["--help", "-h"]},
        help="Long-term memory for people and coding agents, kept as markdown files in git.",
        epilog="mem VERB --help shows an example first. New here? Try: mem demo",
    )
    app.callback(invoke_without_command=False)(
        _with_signature(_keep_common, _options(words.COMMON, "Before or after any verb"))
    )
    for verb in words.all_verbs():
        app.command(
            verb.name,
            cls=_ExampleFirst,
            help=_escaped(_about(verb)),
            short_help=_escaped(verb.summary),
            rich_help_panel=verb.group.capitalize(),
        )(_with_signature(_reader_of(verb), _parameters(verb)))
    made = typer.main.get_command(app)
    for parameter in made.params:
        _hide_type(parameter)
    return made


def _about(verb: Verb) -> str:
    """What the verb is for, and what each argument is."""
    arguments = (f"{argument.metavar}: {argument.help}." for argument in verb.arguments)
    return "\n\n".join(filter(None, (verb.summary, verb.details, *arguments)))


def _hide_type(option: Any) -> Any:  # noqa: ANN401 - typer's own types are private
    """`option`, of typer's own making, without a `<bool>` where it is a flag."""
    if option is not None and option.is_flag:
        option.metavar = ""
    return option


class _Family(TyperGroup):
    """All verbs; whoever types another one is told what they may have meant."""

    def get_help_option(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """`--help`, which takes no value."""
        return _hide_type(super().get_help_option(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer's own types are private
        """The command that `args` begin with."""
        typed = _plain(args[0])  # reading it as an option takes it away
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            if suggested := words.near(typed):
                error.message += f" Did you mean {', '.join(map(repr, suggested))}?"
            raise


class _ExampleFirst(TyperCommand):
    """A command whose help begins with what people type."""

    def get_help_option(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """`--help`, which takes no value."""
        return _hide_type(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own types are private
        """Print the examples, then everything else."""
        verb = words.find(self.name or "")
        for example in verb.examples if verb else ():
            typer.echo(f"  {example}")
        super().format_help(ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer's own type is private
        """The usage line as declared; typer takes every argument for optional, since `settle` checks them."""
        verb = words.find(self.name or "")
        if verb is None:
            return list(super().collect_usage_pieces(ctx))
        return ["[OPTIONS]", *(argument.place for argument in verb.arguments)]


def _keep_common(ctx: typer.Context, **given: object) -> None:
    """Keep what was given before the verb; `--version` is answered before any reader is asked."""
    ctx.meta[_COMMON] = _written(given)


def _reader_of(verb: Verb) -> Callable[..., Call]:
    def read_verb(ctx: typer.Context, **given: object) -> Call:
        return settle(verb, words.COMMON, {**ctx.meta.get(_COMMON, {}), **_written(given)})

    return read_verb


def _written(given: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Values as `settle` takes them: only those given, each as a row of texts."""
    rows: dict[str, tuple[str, ...]] = {}
    for name, value in given.items():
        if isinstance(value, str):
            rows[name.removeprefix(_PREFIX)] = (_plain(value),)
        elif isinstance(value, (list, tuple)) and value:
            rows[name.removeprefix(_PREFIX)] = tuple(_plain(str(one)) for one in value)
        elif value is True:
            rows[name.removeprefix(_PREFIX)] = ("",)
    return rows


def _parameters(verb: Verb) -> list[inspect.Parameter]:
    return [
        *(_argument(argument) for argument in verb.arguments),
        *_options(verb.options, "Options"),
        *_options(words.COMMON, "Before or after any verb"),
    ]


def _argument(argument: Argument) -> inspect.Parameter:
    about = typer.Argument(
        metavar=argument.metavar,
        hidden=True,  # typer's table of arguments tells Python types; `_about` tells what they are
        parser=_plain,
        autocompletion=offering.source(argument.completes, argument.choices),
    )
    return _parameter(argument.name, list[str] if argument.many else str, None, about)


def _options(options: Sequence[Option], panel: str) -> list[inspect.Parameter]:
    return [_option(option, panel) for option in options]


def _option(option: Option, panel: str) -> inspect.Parameter:
    if option.kind == FLAG:
        about = typer.Option(
            *option.flags, help=_escaped(option.help), metavar="", rich_help_panel=panel, show_default=False
        )
        return _parameter(option.name, bool, default=False, about=about)
    about = typer.Option(
        *option.flags,
        help=_escaped(option.help),
        metavar="|".join(option.choices) if 0 < len(option.choices) < 5 else option.metavar,  # noqa: PLR2004 - fits
        show_default=False,
        parser=_plain,
        rich_help_panel=panel,
        autocompletion=offering.source(option.completes, option.choices),
    )
    return _parameter(option.name, list[str] if option.repeated else str, None, about)


def _parameter(name: str, kind: Any, default: object, about: Any) -> inspect.Parameter:  # noqa: ANN401 - typer's
    return inspect.Parameter(
        _PREFIX + name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, about],
    )


def _with_signature(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    """`function`, telling typer that it takes `parameters`."""
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    function.__signature__ = inspect.Signature([context, *parameters])  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in (context, *parameters)}
    return function


def _shielded(word: str) -> str:
    """`word`, marked as text where typer would take its dash for an option's."""
    return (
        _TEXT_MARK + word
        if word.startswith("-") and word not in {"-", "--"} and not is_option(word)
        else word
    )


def _plain(word: str) -> str:
    return word.removeprefix(_TEXT_MARK)


def _escaped(text: str) -> str:
    """`text` as rich prints it literally: no markup, and no emoji for what stands between colons."""
    return text.replace("[", r"\[").replace(":", ":[none][/none]")


def _usage(error: typer.TyperException) -> Usage:
    """Typer's complaint in our own words' form: a sentence and a hint."""
    sentence = error.format_message().replace(_TEXT_MARK, "").rstrip(".")
    end = "" if sentence.endswith("?") else "."
    of = getattr(getattr(error, "ctx", None), "command_path", "mem")
    hint = f"See {of} --help."
    return Usage(sentence + end, f"{_DASH_HINT}. {hint}" if "option" in sentence.lower() else hint)
