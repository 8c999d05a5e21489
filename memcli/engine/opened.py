"""An open store: everything a verb needs, each part made when it is first asked for."""


class Opened:
    """One store, for one command."""
