"""Find the stem of a word: the part that "commit", "commits" and "committing" share.

Only inflection is undone (plural, -ing, -ed), and -ion. A stemmer that goes further joins what a
rule keeps apart ("important" and "import", "universal" and "universe").
"""

from __future__ import annotations

from functools import lru_cache

# forms that no rule gives: the stem, then its forms
_IRREGULAR = """
write wrote written | run ran | keep kept | make made | send sent | build built | find found |
break broke broken | choose chose chosen | give gave given | do did done does | hide hid hidden |
throw threw thrown | catch caught | hold held | go went gone goes | get got gotten |
take took taken | see saw seen | begin began begun | speak spoke spoken | tell told | say said |
think thought | understand understood | freeze froze | lose lost | mean meant | pay paid |
fall fell fallen | draw drew drawn | show shown showed | meet met | spend spent | bring brought |
be is are was were been being am | have has had having | child children | man men | index indices
| criterion criteria | forget forgot forgotten | rebuild rebuilt | rewrite rewrote rewritten |
override overrode overridden | stick stuck | grow grew grown | die died dying | lie lying |
use using uses usage | alias aliases | status statuses | process processes processing processed |
pass passes passed passing | miss misses missed missing | access accesses accessed accessing |
address addresses | compress compresses compressed compressing | regex regexes | class classes |
embed embeds embedded embedding | exceed exceeds exceeded | apply applies applied applying |
reply replies replied replying | rely relies relied relying | supply supplies | seed seeds seeded
| need needs needed | feed feeds | speed speeds | lens lenses | bus buses | focus focused focusing
| lay laid | teach taught | sort sorts sorted sorting | cache caches cached caching | die dies |
tie ties tied | bypass bypasses bypassed | guess guesses guessing | serve serves served serving |
schema schemata | exception exceptions | id ids | api apis | add adds adding added |
query queries queried querying | matrix matrices | vertex vertices |
analyse analysis analyses analyze analyzes analyzing analysed analyzed | string strings |
thing things | proceed proceeds proceeded | succeed succeeds succeeded | split splits splitting |
log logs logged logging | tag tags tagged tagging | set sets setting | shell shells |
call calls called calling | install installs installed installing installation |
poll polls polled polling | scroll scrolls scrolled scrolling | pull pulls pulled pulling |
roll rolls rolled rolling | fill fills filled filling | kill kills killed killing |
label labels labeled labelled labeling labelling | cancel cancels canceled cancelled cancelling |
travel travels travelled | model models modelled modeled modeling | level levels
"""
# words that look like a form and are none
_WHOLE = """
access across address alias always ansible anything apply as assembly aws axios axis based basis
bed bound bring canvas carefully ceiling celery clearly correctly cross css daily data dns during
early embed emphasis evening everything exceed express family feed fixed focus frozen gas has
hourly https hundred indeed ios its jenkins js july kaizen keras king known kubernetes left less
macos minus monthly morning need news nextjs nginx nightly nodejs nothing only os pandas
ping pipenv plus poetry postgis postgres process prometheus properly pytest quarterly rails red
redis redux rely reply ring rls ruby sass series shed sibling simply single something speed spring
status string supply terraform thing this thousand thus tls travis ts unless us used weekly yearly
"""
_VOWELS = frozenset("aeiouy")
# too short to have an ending: "is", "as", "ios"
_SHORT = 3


def _table() -> dict[str, str]:
    table = {word: word for word in _WHOLE.split()}
    for entry in _IRREGULAR.replace("\n", "|").split("|"):
        forms = entry.split()
        table |= dict.fromkeys(forms, forms[0]) if forms else {}
    # "writing" comes to "writ" by the rules
    heads = {head[:-1]: head for head in table.values() if head.endswith("e")}
    return {short: head for short, head in heads.items() if len(short) >= _SHORT} | table


_KNOWN = _table()


@lru_cache(maxsize=65_536)  # the words of a language, not those of its names
def stem(word: str) -> str:
    """Give the stem of a word in lower case; a name or a short word is its own."""
    if word in _KNOWN or len(word) <= _SHORT:
        return _KNOWN.get(word, word)
    single = _singular(word)
    base = _KNOWN.get(single) or _plain(single)
    return _KNOWN.get(base, base)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _plain(word: str) -> str:
    """Undo -ing, -ed, -ly and -ion, and the silent e, which those leave out."""
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 2 and _VOWELS & set(root):  # noqa: PLR2004 - "sing" and "red" have no ending
            return root[:-1] + "y" if root.endswith("i") else _silent(_undoubled(root))
    if word.endswith("ly") and len(word) > len("apply"):
        word = word[: -4 if word.endswith("ically") else -2]
    if word.endswith(("tion", "sion")) and len(word) > len("union"):
        word = word[:-3]
    return _silent(word)


def _undoubled(root: str) -> str:
    """Make "commit" of "committ"; "pass", "fuzz" and "call" keep both letters."""
    if root[-1] != root[-2] or root[-1] in "szfaeiou":
        return root
    return root if root[-1] == "l" and len(root) < len("control") else root[:-1]


def _silent(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORT else word
