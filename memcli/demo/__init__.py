"""The text that `mem demo` takes in, and what it then asks.

`claims.jsonl` is a batch for `mem remember`, one JSON object a line. `tour.json` holds the
`questions` that are recalled, the `forget` claim (its text as in claims.jsonl, which no
question may ask for) and the words that say it `again`.
"""
