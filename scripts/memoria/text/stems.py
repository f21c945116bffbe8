"""Find the stem of a word: the part that "commit", "commits" and "committing" share.

Only inflection is undone (plural, -ing, -ed), and -ion. A stemmer that goes further joins what a
rule keeps apart ("important" and "import", "universal" and "universe").
"""

from functools import lru_cache

# forms that no rule gives: the stem, then its forms
_IRREGULAR = """
write wrote written | run ran | keep kept | make made | send sent | build built | find found | break
broke broken | choose chose chosen | give gave given | do did done does | hide hidden | throw threw
thrown | catch caught | hold held | go went gone goes | get got gotten | take took taken | see saw
seen | begin began begun | speak spoke spoken | tell told | say said | think thought | understand
understood | freeze froze | lose lost | mean meant | pay paid | fall fell fallen | draw drew drawn |
show shown | meet met | spend spent | bring brought | be is are was were been being am | have has
had | child children | man men | index indices | criterion criteria | forget forgot forgotten |
rebuild rebuilt | rewrite rewrote rewritten | override overrode overridden | stick stuck | grow grew
grown | die died dying | lie lying | use using usage | lens | lay laid | teach taught | cache | die
dies | tie tied | serve | schema schemata | exception | id ids | api apis | add adding added |
matrix matrices | vertex vertices | analyse analysis analyze analyzes analyzing analyzed | proceed |
succeed | install installed installing installation | label labelled labelling | model modelled
"""
# words that look like a form and are none
_NO_FORMS = """
alias always ansible anything assembly axios based canvas carefully ceiling clearly correctly during
embed evening everything exceed family fixed hourly https hundred indeed jenkins keras kubernetes
macos monthly morning news nextjs nightly nodejs nothing pandas postgres properly quarterly rails
series sibling simply single something speed supply weekly yearly
"""
_VOWELS = frozenset("aeiouy")
_SHORT_LETTERS = 3  # too short to have an ending: "is", "as", "ios"

# short plurals that the logs are full of, and words that only look like plurals
_PLURALS = {"ids": "id", "prs": "pr", "dbs": "db", "vms": "vm", "oses": "os"}
_SINGULARS = frozenset(
    {"alias", "bias", "canvas", "atlas", "pandas", "sas", "aws", "tls", "kubernetes"}
)


def _build_table() -> dict[str, str]:
    table = {word: word for word in _NO_FORMS.split()}
    for entry in _IRREGULAR.split("|"):
        forms = entry.split()
        table |= dict.fromkeys(forms, forms[0]) if forms else {}
    # "writing" comes to "writ" by the rules
    heads = {head[:-1]: head for head in table.values() if head.endswith("e")}
    return {root: head for root, head in heads.items() if len(root) >= _SHORT_LETTERS} | table


_KNOWN = _build_table()


@lru_cache(maxsize=65_536)  # the words of a language, not those of its names
def stem(word: str) -> str:
    """Give the stem of a word in lower case; a name or a short word is its own."""
    if word in _KNOWN or len(word) <= _SHORT_LETTERS:
        return _KNOWN.get(word, word)
    single = singularise(word) if word.endswith("s") else word
    base = _KNOWN.get(single) or _strip_suffix(single)
    return _KNOWN.get(base, base)


@lru_cache(maxsize=8192)
def singularise(word: str) -> str:
    """Undo a regular plural; anything else stays as it is."""
    if not word.endswith("s") or word in _SINGULARS:
        return word
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):  # noqa: PLR2004 - "gas", "bus": too short to be sure
        return word
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004 - "ties" is no plural of "ty"
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _strip_suffix(word: str) -> str:
    """Undo -ing, -ed, -ly and -ion, and the silent e, which those leave out."""
    if word.endswith(("ing", "ed")):
        root = word[: -3 if word.endswith("g") else -2]
        if len(root) > 2 and _VOWELS & set(root):  # noqa: PLR2004 - "sing" and "red" have no ending
            return root[:-1] + "y" if root.endswith("i") else _strip_silent_e(_undouble(root))
    if word.endswith("ly") and len(word) > len("apply"):
        word = word[: -4 if word.endswith("ically") else -2]
    if word.endswith(("tion", "sion")) and len(word) > len("union"):
        word = word[:-3]
    return _strip_silent_e(word)


def _undouble(root: str) -> str:
    """Make "commit" of "committ"; "pass", "fuzz" and "call" keep both letters."""
    if root[-1] != root[-2] or root[-1] in "szfaeiou":
        return root
    return root if root[-1] == "l" and len(root) < len("control") else root[:-1]


def _strip_silent_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORT_LETTERS else word
