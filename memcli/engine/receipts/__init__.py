"""Receipts of answers: given, kept, checked, asked again, and compared with what holds today."""
