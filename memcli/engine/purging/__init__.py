"""Purge: what a memory said is taken out of files, history and everything made of them."""
