"""The past told in claims: what changed when, what held when, what differs, whose word a line is."""
