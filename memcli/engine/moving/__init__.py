"""Memories of another store or another clone."""
