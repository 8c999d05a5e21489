"""Everything derived from the files: vectors, LanceDB tables, search. It may be deleted at any moment."""
