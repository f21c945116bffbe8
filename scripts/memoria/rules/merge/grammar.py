"""Words that build a rule's sentence and name nothing of its subject.

Negations, verbs that only say "have it" or "have it not", and the words between. Each list says
what its words do to a rule; `words` and `clauses` read them. The trap: a word here names nothing,
so what tells two rules apart must not stand here.
"""

# a negation, also in the languages that people write their rules in most
NEGATIONS = """
not never no avoid avoidance refrain neither nor nobody without cannot cant dont doesnt isnt arent
wont shouldnt mustnt forbid forbidden ban banned prohibit prohibited disallow disallowed
discourage discouraged stay_away nothing none_of taboo nicht nie niemals kein keine keinen keiner
keinem ohne vermeide vermeiden jamais sans aucun aucune évite éviter évitez ne nunca jamás sin
evita evitar evite não nem sem mai senza non evitare никогда не нельзя без
"""
# verbs that ask for what follows and weigh nothing
HAVING = """
use used utilize utilise employ leverage adopt apply prefer favor favour include have keep
maintain make provide enable allow permit need ensure put give follow insist stick want do get
take be require contain adhere carry aim try offer activate come belong live reside sit remain
exist become switch let go place stay become set turn respect enforce implement consider preserve
leave expose
"""
# verbs that ask for what follows to be gone
LACKING = """
disable remove delete drop eliminate omit exclude skip prevent deny reject discard purge strip
ditch deactivate bypass neglect lack deletion removal exclusion ignore
"""
# what weighs nothing and has no effect of its own, or one that `polarity` knows
LINKS = """
a an the this that these those it its of to for in on at as into onto by with from via per through
about so and or but also then such only just should must shall may might can could would will is
please properly appropriately correctly carefully clearly simply generally usually typically
whenever possible where appropriate whatever who whom which what there here their his her our my
your you we i they them he she us me one any all every each some both either when if while during
until unless before after once prior instead rather than over between across among upon within
whether because since although though however therefore thus etc eg ie vs up out off down again
very too much more most less least even still already yet ever together around along toward
towards like unlike except besides proper appropriate wherever else otherwise actually really
always case thing way stuff something anything everything fully good better best well nice
necessary needed necessarily sure ahead under beyond within against regard regarding concern
certain various own able ability let's ought ourselves themselves itself yourself against inside
among behind beyond plus given using being
"""
NUMBERS = {
    "zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20",
    "thirty": "30", "fifty": "50", "hundred": "100", "thousand": "1000",
}  # fmt: skip
# units written at a number
UNITS = {
    "%": "percent", "ms": "millisecond", "s": "second", "px": "pixel", "k": "thousand", "h": "hour",
    "mb": "megabyte", "gb": "gigabyte", "kb": "kilobyte", "mib": "mebibyte", "gib": "gibibyte",
    "d": "day", "m": "minute", "min": "minute", "sec": "second", "x": "times",
}  # fmt: skip
# "all" of a thing is not "only" some of it
EVERY = frozenset({"all", "every", "each", "any"})
PART = frozenset({"only", "first", "last", "single"})
# what stands beside a negation and goes with it: "you must not", "do not ever", "avoid using"
AROUND_NOT = frozenset(
    "do must should shall will can may you we please always ever use using used to the a be".split()  # noqa: SIM905 - a list of words is read as text
)
# links that say the opposite of each other
OPPOSED = (
    {"before", "after"}, {"until", "after"}, {"to", "from"}, {"on", "off"}, {"in", "out"},
    {"up", "down"}, {"over", "under"}, {"more", "less"}, {"most", "least"}, {"for", "against"},
    {"inside", "outside"}, {"with", "against"},
)  # fmt: skip
CASES = frozenset({"when", "if", "while", "whenever", "unless", "where", "until"})
# two words that set against, or put before
AGAINST = frozenset({("instead", "of"), ("rather", "than"), ("in", "place")})
BEFORE = frozenset({("prior", "to"), ("ahead", "of")})
# what leads back out of a contrast: "use A instead of B for C"
BACK = frozenset({"for", "in", "when", "on", "to", "by", "with", "at"})
# verbs with "free of", and with "over"
KEPT = frozenset({"keep", "leave", "stay", "remain", "be"})
RANKED = frozenset({"prefer", "favor", "favour", "choose", "pick", "use", "used"})
# by which two rules are compared; into and onto are to
PREPOSITIONS = {"into": "to", "onto": "to"} | {
    name: name
    for name in "to from for on with against per in at by of as via through".split()  # noqa: SIM905 - a list of words is read as text
}
ARTICLES = frozenset({"the", "a", "an", "those", "all", "every", "each", "any", "and", "or"})
# what an API is asked with; in lower case they are ordinary words
METHODS = frozenset({"GET", "PUT", "POST", "PATCH", "DELETE"})
SIGNS = dict.fromkeys(("->", "=>", "-->", "\u2192", "\u21d2"), "to") | {"&": "and", "+": "and"}
LIMITS = {"under": 1, "below": 1, "within": 1, "over": -1, "above": -1, "beyond": -1}
