"""Git as the journal of what happened: exact commits in, history out."""
