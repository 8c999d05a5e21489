"""Recall: what is asked, what is found, and how an answer is filled."""
