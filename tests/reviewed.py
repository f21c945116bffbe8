"""Code reviews in many forms, written for these tests, with the general rules in each.

A file holds a review, a line of "=====" and words of each sentence that states a general rule;
every other sentence mends a place, asks or praises. The weights of rules/from_review/advice.py were
set on
those in seen/; those in unseen/ were kept apart and looked at once.
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "reviews"


def review(name):
    """Give a review's text and the words of its rules."""
    text, _, rules = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n=====\n")
    return f"{text}\n", rules.splitlines()


def reviews(folder):
    """Give the reviews of a folder by name."""
    return {
        path.stem: review(f"{folder}/{path.stem}") for path in sorted((FOLDER / folder).iterdir())
    }
