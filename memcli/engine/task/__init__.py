"""The task cycle: what was said and shown while somebody worked, and what it led to."""
