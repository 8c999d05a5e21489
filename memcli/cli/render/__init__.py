"""How answers look; the only home of rich."""
