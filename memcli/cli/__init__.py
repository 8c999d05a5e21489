"""Words in, text or JSON out; no decisions are taken here."""
