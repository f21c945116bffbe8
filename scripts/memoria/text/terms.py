"""Cut names into words, as keys under which lines gather into articles.

"session store", `SessionStore` and `session_store.go` are one term: everything is cut into words,
lower-case and singular. Stemming would join what is different. Words that any project uses may
accompany a term but never make one.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from memoria.text.function_words import FUNCTION_WORDS
from memoria.text.stems import singularise


def _build_forms(verb: str) -> tuple[str, ...]:
    """Give a regular verb's forms."""
    if verb.endswith("e"):
        return verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"
    if verb.endswith(("fy", "ly")):
        return verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"
    third = "es" if verb.endswith(("s", "x", "ch", "sh")) else "s"
    return verb, verb + third, f"{verb}ed", f"{verb}ing"


# function words, and verbs and adverbs in the forms that logs of programming use: none of them
# stands in a name of a thing, so a phrase ends there
_VERBS = """
    add allow apply ask call cause change check cover create delete detect ensure exist expect fail
    fix follow handle happen ignore include initialize load make match miss move need open parse
    pass prevent push raise read remove replace require return save share start store support
    trigger update use verify work write
"""
_STOP = FUNCTION_WORDS.union(chain.from_iterable(map(_build_forms, _VERBS.split()))) | frozenset(
    """
    above across actual actually against almost alone along already although among another anyone
    anything appear appears aren around avoid avoids away back became become becomes begin behind
    below beside best better between beyond both break breaks bring broke broken build builds came
    cannot catch choose chose clean cleans clear clears come comes compare confirm contain contains
    copy couldn crash decode depend depends describe describes didn differ disable disabled doesn
    don done down drop dropped drops due during edit edited enable enabled encode end ends enough
    entire entirely especially etc even everywhere exactly except explain explains extract extracted
    fall falls far few find finds first force forced found four full fully further gave generate
    generated get gets getting give given gives go goes going good got great hasn haven having help
    helps hence hide him his hit hold holds however implement implemented indeed inside install
    installed introduce introduced invoke isn itself join keep keeps kept know known knows lack
    lacks last later lead leads least leave leaves left less lets likely list lists live lives long
    longer look looks lose loses lost made main marshal matter maybe mean means merge merged mine
    mostly must near neither never new next nobody none nor often okay old omit once onto others
    otherwise own per perhaps pick picks place point points previous previously print prints produce
    propagate provide provides put ran real receive received reduce refer refers refuse reject
    rejected remain remains rename renamed repeat report reports represent request reset resets
    resolve resolved respect restore restored reuse revert review rewrite right run running runs say
    says second see seem seems seen sees select send sends sent serialize serializes serve set sets
    setting several shall shouldn show shows silently similar simple simply since skip skipped skips
    someone something soon sort split stay stays stop stopped stops strip succeed suggest switch
    switched take taken takes tell tells test tested therefore things think third though three
    through throughout throw thus together took toward towards track tracks treat treats truncated
    try trying turn turns twice two under understand unless unmarshal unused upon useful user
    usually validate various via wait waits wants wasn went weren whatever whenever wherever whole
    whom whose within without won wouldn wrong wrote yours
    """.split()  # noqa: SIM905 - a word list reads best as words
)
# words are compared as written and after `singularise`, which makes "doe" of "does"
STOP = _STOP.union(map(singularise, _STOP))
# nouns and adjectives that any project uses: they may stand beside another word in a term, but a
# term must have at least one word that is neither among them nor in STOP
GENERIC = frozenset(
    """
    access accurate action active additional agent alt api app application approach argument array
    assertion author auto automatic available backend base basic behavior behaviour binary block
    body bool boolean bottom box branch buffer bug byte cache callee caller case category chain
    checkout chore chunk ci class claude cleanup cli client code color column command comment commit
    common complete component condition config configuration connection constant content context
    control convention copilot correct cost count counter coverage critical css csv current custom
    data database date day dead debug default definition dependency description design detail dev
    developer dict diff difference different directory disk doc docs documentation duplicate early
    edge editor effort element empty entry enum env environment error event exact example exception
    exit explicit extension external extra fallback false fast feat feature field file final finding
    fixture flag float flow folder format frontend function gap generic git github global group
    handler happy hard head header helper helpful hidden high hook host hotfix html http https human
    id idea identical image implementation import improve improvement independent index info
    information initial input installation instance int integration interface internal invalid
    invocation isolated issue item java javascript job json key kind large late layer length level
    library limit line link lint linter linux local location lock log logger logging logic loop low
    mac machine major manual map markdown master mechanism medium memory message metadata method
    minor mock mode model module multi multiple name nested network nil node note npm null number
    object onboarding operation opt option optional order origin original output package page pair
    parameter parent part partial path pattern perf permanent permission person phase pipeline plan
    pointer possible pr prefix priority private problem process product production program project
    prompt property public pull purpose python query question queue race react readme reason rebase
    record reference regex regular related relevant remote repo repository resource response rest
    result reviewer role root row rule rust safe sanity scenario schema scope screen script section
    sentence separate sequence server service session setup severity shell short side signature
    simplify single size slice slow small soft source space special specific sql stage standard
    state statement static status stderr stdin stdout step strategy stream string struct structure
    style subset suffix summary syntax system table tag target task team temp template temporary
    term tests text time timeout title todo token toml tool top total true tuple type typescript
    undefined unit unix unknown uri url usage utility valid value var variable variant vars version
    view warning window windows wip word worker worktree wrapper xml yaml
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # "HTTP", "Server", "2"


def split_words(name: str) -> tuple[str, ...]:
    """Cut a name into lower-case singular words: "HTTPServers", "http_server" -> http, server."""
    return tuple(singularise(part.lower()) for part in _HUMP.findall(name))


def term_key(name: str) -> str:
    """Give the key of a term or title: its words, joined by spaces."""
    return " ".join(split_words(name))


def is_specific(term: str) -> bool:
    """Whether a phrase has a word that not every project uses, and is no letter or number."""
    parts = term.split()
    words = [part for part in parts if part not in GENERIC and part not in STOP]
    return any(len(part) > 2 and not part.isdigit() for part in words)  # noqa: PLR2004 - "ci", "go"


@lru_cache(maxsize=512)
def _build_spelling_pattern(name: str) -> re.Pattern[str]:
    """Match the spellings of a key: words with space, hyphen, underscore or hump between them."""
    words = (
        f"{word[:-1]}(?:y|ies)" if word.endswith("y") else f"{word}(?:e?s)?"
        for word in map(re.escape, name.split())
    )
    return re.compile(r"(?<![A-Za-z0-9])" + r"[ _-]?".join(words) + r"(?![a-z0-9])", re.IGNORECASE)


def find_usual_name(key: str, texts: Iterable[str]) -> str:
    """Give the usual spelling of a key in texts, as a title; words win over identifiers."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_build_spelling_pattern(key).findall(text))
    # a plural is longer than the key, so the singular wins where both are written
    words = {form: number for form, number in counts.items() if " " in form or "-" in form}
    usual = words or counts or Counter([key])
    best = max(sorted(usual), key=lambda form: (len(form) <= len(key), usual[form]))
    return best[:1].upper() + best[1:] if " " in best else best
