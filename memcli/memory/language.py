"""In which language a text is, as far as that is asked for, and whether it is a question."""

from typing import Final

from memcli.memory.tokens import STOP, words

LOOKED_AT: Final = 2000  # characters that a language is known by; asserted
_LATIN: Final = 0x24F  # the last letter of the extended Latin alphabet
_ELSEWHERE: Final = """
der das dem des und ist nicht ich wie wer wo wann warum welche welcher welches fur ein eine einen einem
auf kann kannst darf muss haben wir sie zu von dass wenn bei nach noch uber unser unsere mein meine sind
le les une que qui quel quelle quels dans avec nous vous je elle sur notre combien quand pourquoi est
el los las del cual cuando donde como para por quien cuanto cuantos nuestro esta estan
il gli della di che quanto quanti quando dove sono nostro nostra
uma nao onde qual quanto nossa nosso
een het van ik niet hoe voor wij zijn
"""
# What sentences of other languages hold and English ones do not, folded; asserted, chosen by hand.
_STRANGE: Final = frozenset(_ELSEWHERE.split())
_QUESTIONS: Final = """
what when where which who whom whose why how is are was were am does did can could should would will has
have may must
"""
# What a question begins with, whether or not it ends with its mark.
ASKING: Final = frozenset(_QUESTIONS.split())
LONGEST_QUESTION: Final = 30  # words; asserted: the longest of 2,736 questions of public sets has 26


def strange(text: str) -> bool:
    """Whether `text` seems to be in a language that English vectors do not read."""
    text = text[:LOOKED_AT]
    letters = [c for c in text if c.isalpha()]
    if sum(ord(c) > _LATIN for c in letters) * 2 > len(letters):
        return True
    said = list(words(text))
    english = sum(word in STOP for word in said)
    other = sum(word in _STRANGE for word in said)
    if other:
        return other >= english
    return not english and any(not c.isascii() for c in letters)


def questions(text: str) -> bool:
    """Whether `text` is one question, in short: not a list of words, and not the text of a task."""
    plain = text.strip()
    said = plain.split(maxsplit=LONGEST_QUESTION)
    if not said or len(said) > LONGEST_QUESTION:
        return False
    return plain.endswith(("?", "\uff1f")) or next(words(said[0]), "") in ASKING
