"""The verbs: each reads a snapshot, decides in values, then acts."""
