"""One file a family of verbs: a call becomes a request, what the engine returns is shown."""
