"""Find the terms of a sentence, as keys under which sentences gather into articles.

"session store", `SessionStore` and `session_store.go` are one term: everything is cut into words,
lower-case and singular. Stemming would join what is different. Words that any project uses may
accompany a term but never make one.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
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
STOP = FUNCTION_WORDS.union(chain.from_iterable(map(_build_forms, _VERBS.split()))) | frozenset(
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
# hyphens that make an adjective and no name
_ADJECTIVES = frozenset(
    {
        *("top level", "low level", "high level", "real time", "long term", "short term"),
        *("built in", "open source", "case sensitive", "cross platform", "command line"),
        *("third party", "first class", "long lived", "short lived", "hard coded", "back end"),
        *("front end", "follow up", "trade off", "fall back", "well known", "self contained"),
    }
)
# words that join others by hyphens to adjectives and adverbs: "up-to-date", "read-only"
_JOINTS = frozenset(
    """
    a able an and as at based by down driven end for free friendly from if in into is it known less
    level like longer lived made me no non not of off on one only or out over per re ready related
    run running safe sensitive set so specific the time to too two up us wide with
    """.split()  # noqa: SIM905 - a word list reads best as words
)
# commands of every project: `git commit` names nothing of this one
_TOOLS = frozenset(
    """
    bash brew bun cargo cat cd chmod curl docker echo find gh git go grep head jq kubectl ls make
    mkdir mv node npm npx pip pnpm poetry pytest python rm ruff sed sh sudo tail uv xargs yarn
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_CODE = re.compile(r"`([^`\n]{1,120})`")
# an identifier: CamelCase with two humps, snake_case, kebab-case, or dotted; no sentence's own dash
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z]+[a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+"
    r"|[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)\b"
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # "HTTP", "Server", "2"
_FILE = re.compile(r"(?:[\w.@~-]*/)*([\w-]+)(?:\.[A-Za-z]{1,5})+\b")  # "src/retry_budget.test.ts"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
# words between two of these belong to one phrase
_PHRASE_BORDER = re.compile(r"[^A-Za-z0-9\s'-]+|\s-+\s|'\w*")
_NAMED_THING = re.compile(r"^[a-z][a-z0-9]+(?: [a-z][a-z0-9-]+){1,2}$")  # "retry budget"
_MAX_NAME_WORDS = 4  # of more it is a sentence that someone wrote in camel case
_MAX_TEXT_CHARS = 1_000  # a pasted page is not searched for terms to its end: a fact has 300
# what ends a phrase; phrases are compared after `singularise`, which makes "doe" of "does"
_PHRASE_ENDS = frozenset({"", *STOP, *map(singularise, STOP)})


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


def find_terms(text: str) -> tuple[str, ...]:
    """Give the terms of a sentence, in the order in which they first stand in it, each once."""
    text = text[:_MAX_TEXT_CHARS]
    keys: dict[str, None] = {}
    prose = _CODE.sub(lambda match: _collect_terms(match, keys, _find_terms_in_code), text)
    prose = _FILE.sub(lambda match: _collect_terms(match, keys, _find_terms_in_path), prose)
    prose = _IDENTIFIER.sub(lambda match: _collect_terms(match, keys, _find_terms_in_name), prose)
    for phrase in _PHRASE_BORDER.split(prose):
        keys.update(dict.fromkeys(_find_phrases(phrase)))
    return tuple(keys)


def _collect_terms(
    match: re.Match[str], keys: dict[str, None], read: Callable[[str], Iterator[str]]
) -> str:
    """Put the terms of one match into `keys`; what is left of it in the prose is a border."""
    keys.update(dict.fromkeys(read(match.group(match.lastindex or 0))))
    return " ; "


def _find_terms_in_code(code: str) -> Iterator[str]:
    code = code.strip().removesuffix("()")
    if _NAMED_THING.match(code):
        parts = code.split()
        if parts[0] not in _TOOLS:
            yield " ".join(singularise(part) for part in re.split(r"[ -]", code))
    elif "/" in code or _FILE.fullmatch(code):
        for match in _FILE.finditer(code):
            yield from _find_terms_in_path(match.group(1))
    elif " " not in code and not code.startswith("-"):
        for part in re.split(r"[^A-Za-z0-9_-]+", code):
            yield from _find_terms_in_name(part)


def _find_terms_in_path(stem: str) -> Iterator[str]:
    return _find_terms_in_name(re.sub(r"^test_|_test$|[-_.](?:test|spec)$", "", stem))


def _find_terms_in_name(name: str) -> Iterator[str]:
    parts = split_words(name)
    if len(parts) > _MAX_NAME_WORDS:
        return
    term = " ".join(parts)
    if "-" in name and 1 < len(parts) < _MAX_NAME_WORDS and term not in _ADJECTIVES:
        yield from [term] * _JOINTS.isdisjoint(parts)
    yield from (run for run in _build_ngrams(parts) if is_specific(run))


def _find_phrases(text: str) -> Iterator[str]:
    words = (word.lower() for word in _WORD.findall(text))
    # an adverb names nothing: it ends a phrase as the stop words do
    runs = _build_ngrams(tuple("" if word.endswith("ly") else singularise(word) for word in words))
    yield from (run for run in runs if is_specific(run))


def _build_ngrams(parts: tuple[str, ...]) -> Iterator[str]:
    """Give the runs of two and three words that no stop word interrupts."""
    for start in range(len(parts)):
        for end in range(start + 2, min(start + 4, len(parts) + 1)):
            run = parts[start:end]
            if _PHRASE_ENDS.isdisjoint(run) and len(set(run)) == len(run):
                yield " ".join(run)


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
