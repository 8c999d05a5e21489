"""Audit: whether the journal explains how every file came to be as it is."""
