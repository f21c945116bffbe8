"""Cues of a plain lasting order and of what speaks against one, as verbose patterns.

They are data: lasting_orders.py reads them. Each obstacle was found in a turn that misled, and what
all of them together are worth is what bench/rules/fit.py prints.
"""

from __future__ import annotations

# -- The form -------------------------------------------------------------------------------------

SINCE = r"""(?:from\ (?:now|here|today|this\ (?:point|moment))(?:\ on(?:ward)?s?(?:\ in)?)?
    |as\ of\ (?:now|today)|(?:going|moving)\ forward|henceforth|in\ (?:the\ )?future
    |for\ the\ future|for\ (?:any|all|every)\ future\ \w+|next\ times?\ too|for\ good|permanently
    |for\ ever|forever|(?:as\ an?|new|standing|general|house)\ (?:\w+\ )?(?:rule|principle|habit
    |instruction)|in\ general|generally|as\ a\ matter\ of\ principle|today\ and\ later
    |not\ now\ not\ later|in\ (?:all|every)\ (?:my\ |our\ |future\ )?(?:sessions?|projects?|repos?
    |chats?)|in\ any\ of\ my\ \w+|for\ all\ (?:my\ |our\ )?(?:sessions|projects|repos)
    |ab\ (?:jetzt|sofort|heute)|künftig|in\ zukunft|grundsätzlich|désormais|dorénavant
    |à\ partir\ de\ maintenant|à\ l'avenir|a\ partir\ de\ (?:ahora|agora)|de\ ahora\ en\ adelante
    |en\ adelante|daqui\ (?:pra|para|em)\ (?:a\ )?(?:frente|diante)|d'ora\ in\ (?:poi|avanti)
    |впредь|отныне|на\ будущее)"""
CLAIM = r"""(?:always|never(?:\ ever)?(?:\ again)?|immer|stets|nie(?:mals)?|toujours|jamais
    |siempre|nunca|sempre|mai|всегда|никогда)"""
_EACH = r"(?:every(?:\ single)?|each|any)\ time|whenever"
PLACE = r"""(?:in|for|across|throughout)\ (?:(?:this|our|the\ (?:whole
    |entire))\ (?:repo(?:sitory)?|project|code\s?base|package|monorepo|workspace)|here)\b"""
# verbs of work that developers order; the base form of others is not told from a noun
_VERBS = r"""(?:add|annotate|answer|append|apply|ask|assume|avoid|batch|begin|break|build|bump
    |call|cancel|cast|catch|change|check|cite|clean|close|commit|compile|compress|confirm|convert
    |copy|create|cut|debug|declare|default|define|delete|deploy|describe|disable|discard|document
    |drop|dump|edit|emit|enable|end|ensure|escape|explain|export|expose|fetch|file|fix|flag|follow
    |force|format|generate|get|give|go|group|guess|handle|hard-?code|ignore|import|include|indent
    |index|initiali[sz]e|inline|insert|install|introduce|invent|keep|label|launch|leave|let|limit
    |link|lint|list|load|lock|log|look|lower|make|mark|measure|mention|merge|migrate|mix|mock
    |modify|move|name|nest|normali[sz]e|note|open|order|override|pass|patch|pin|point|post|prefer
    |prefix|preserve|print|propose|publish|pull|push|put|query|quote|raise|re-?run|read|rebase
    |rebuild|refactor|reformat|regenerate|release|rely|remove|rename|repeat|replace|reply|report
    |request|reset|respond|restart|restore|retry|return|reuse|revert|review|rewrite|round|run|save
    |say|seed|send|set|ship|shorten|show|sign|skip|sort|speak|split|squash|start|stay|stick|stop
    |store|strip|submit|suppress|switch|tag|take|talk|tell|test|throw|time|touch|translate|treat
    |trust|try|turn|type|update|upgrade|upload|use|validate|verify|wait|warn|work|wrap|write)"""
FILLERS = r"""(?:(?:ok|okay|oh|so|and|but|also|please|pls|plz|hi|hey|hello|yes|no|yeah|yep|nope
    |well|btw|by\ the\ way|then|again|just|listen|remember|note|important|claude|sorry|stop|wait
    |right|one|two|three|first|second|third|thing|general|\d[.)]|one\ more|(?:i
    |we)\ (?:already\ )?(?:told|asked)\ you(?:\ to)?|as\ i\ said|i\ said|bitte|por\ favor|y|et|und
    |e|в|the\ rule\ is)\b[\s,.:!;\u2013\u2014-]*)*"""
# of these a product does none, so that nothing else need tell that the agent is meant
ACTS = r"""(?:adjust|answer|ask|bump|change|check|commit|confirm|declare|delete|deploy|document
    |edit|explain|fix|force-?push|format|hard-?code|ignore|import|install|lint|log|mark|merge|mock
    |modify|name|pin|prefer|pull|push|put|quote|read|rebase|rebuild|refactor|reformat|regenerate
    |rename|re-?run|revert|review|run|sign|silence|skip|squash|tell|test|touch|translate|type
    |update|upgrade|use|verify|wrap|write|add|build|create|keep|leave|make|remove|start\ (?:with
    |from)|do|go|work|give|generate|reuse|catch|disable|introduce|cite|mention|stash|tag)"""
# a word behind "always" or "never" that is no verb in the imperative
_NOT_VERB = r"""(?!(?:mind|had|been|an?|the|in|on|of|for|to|at|more|got|was|were|is|are|be|saw|did
    |ran|went|knew|made|took|came|thought|said|seen|the|same|something|some|all|every|two|as|my
    |your|his|on|worked|really|quite|liked?|have|has|get|gets|happens?|fails?|breaks?|there|when
    |if|by|with|during|again|ever|before|after|\w+ing
    |\w{2,}(?<!ne)(?<!fe)(?<!se)(?<!emb)(?<!spe)ed|\w+(?<!s)s)\b(?!\S))"""
_ASK = r"(?:please|pls|plz|kindly|do)?\ ?"
TO_AGENT = rf"""(?:{_ASK}{_VERBS}\b|{_ASK}(?:don'?t|do\ not|never|always|avoid|stop|no\ more)\ \w
    |(?:can|could)\ you\ (?:please\ )?{_VERBS}\b|you\ (?:will\ |shall\ |must\ |should\ |can\s
    |have\ to\ |are\ to\ |do\ not\ |don't\ |always\s|never\ )*{_VERBS}\b|i(?:'d|\ would)?\ (?:want
    |like|expect|need|prefer|never\ want|do\ not\ want|don't\ want)\b|we\ (?:do\ not|don't|never
    |always|only|use|pin|write|keep)\b|no\ \w|leave\b|(?:all|every|each)\ (?:of\ )?our\b)"""
_OURS = PLACE.replace(r"\b", "") + r"(?=\W*$|,)"
_LASTS = rf"""(?:(?:{SINCE})\b|(?:always|ever)\W*(?:$|,)|(?:{_EACH})\ (?:you|we|i)\b|{_OURS}
    |without\ (?:asking\ me|me\ asking)\b|no\ exceptions?\b)"""
FORMS: dict[str, str] = {
    # "always run", "never ever touch", "from now on, please use", "every time you ..., run"
    "claims": rf"""^{FILLERS}(?:you\ (?:will|must|should)\ )?{CLAIM},?\ {_ASK}(?:{_VERBS}\b
    |{_NOT_VERB}[a-z-]+\b(?=.*\b(?:you|me|my|i)\b))
    |^{FILLERS}(?:don't|do\ not)\ ever\ {_VERBS}\b""",
    "scoped": rf"""^{FILLERS}(?:in|under|inside|within)\ (?:(?!\b(?:we|i|he|she|they
    |it)\b)[^,:]){{2,45}}?,?\ (?:always|never|don't\ ever)\ {ACTS}\b""",
    "since": rf"^{FILLERS}{SINCE}\b[\s,:]+{TO_AGENT}",
    "each": rf"""^{FILLERS}(?:(?:{_EACH})|when|before
    |after)\ you\b[^,]{{3,90}},?\ (?:please\ )?(?:always|never|don't)\s
    |^{FILLERS}(?:{_EACH})\ you\b.{{3,90}},\ (?:please\ )?{_VERBS}\b""",
    "placed": rf"^{FILLERS}{PLACE},?\ {TO_AGENT}",
    # "we never ...", "I never want ...", "you will always ..."
    "we": rf"^{FILLERS}(?:in\ (?:this|our)\ \w+\ )?we\ (?:always|never)\ {_NOT_VERB}[a-z-]+\b",
    "wants": rf"""^{FILLERS}i(?:'d|\ would)?\ (?:(?:never|always|really)\ )*(?:want|like|need
    |expect)\ (?:you\ to\ (?:always|never)\b|(?!(?:to|the|an?|it|users?|them)\b).*\b(?:{SINCE}
    |{CLAIM}|whenever\ you)\b)|^{FILLERS}i\ never\ want\b|\balways\ needs?\ my\ (?:ok|approval
    |yes)\b""",
    "you": rf"""^{FILLERS}(?:(?:when|if|before|after|while)\b.{{3,80}}[ ,])?you\ (?:(?:will|must
    |shall|should|are\ to)\ )?(?:always|never)\ (?:{_VERBS}|do|ever)\b""",
    # "use ..., always", "commit after each step from now on", "no ... in this project"
    "trailing": rf"""^{FILLERS}(?:{_VERBS}|don'?t|do\ not|i\ don'?t\ want
    |you\ {_VERBS})\b.{{4,160}}?[\s,(]{_LASTS}|^{FILLERS}(?:no|no\ more
    |not)\ .{{4,160}}?[\s,(](?:{SINCE}|{_OURS})\b""",
    "always": r"^\w.{8,},\ always\W*$",
    "remembered": rf"""^{FILLERS}(?:remember|keep\ in\ mind|note)\ (?:for\ good\ )?(?:that\s
    |:\ )(?:we|you|i)\ (?:always|never|only|use|don't|do\ not|want|prefer|keep|write)\b""",
}
# languages whose orders have no verb of the list: a sign that it lasts, in a clause of some length
OTHERS = r"""^(?:以后|今后|今後|从现在)
    |(?:以后|今后).{2,}(?:都要|必须|不要|用)|今後(?:は|も).{3,}ください|^(?:ab\ jetzt
    |ab\ sofort|künftig|dorénavant|désormais|d'ora\ in\ poi|daqui\ pra\ frente
    |a\ partir\ de\ (?:ahora|agora)|впредь|отныне)\b.{8,}|از\ این\ پس\ همیشه"""
OTHER_CLAIMS = r"""^(?:y\ |et\ |und\ |e\ )?(?:toujours|siempre|nunca|sempre|mai|immer|nie|всегда
    |никогда)\ (?:\w+r|\w+s|не|\w+й|\w+e[ns]?)\b.{8,}"""
# what says behind it that it holds on: in the same clause, or as the next one
_HOLD = r"""(?:that|this|it|which|those\ two|that's)(?:\ one)?(?:\ is|'s)?\ (?:goes?|holds?
    |counts?|valid|meant|for|from\ now|applies|standing)\ (?:for|in|to|good|on|any|all|every)
    |stay\ with\ (?:this|it)|make\ that\ (?:your|a)\ (?:standard|habit)|in\ (?:all|every
    |any)\ (?:of\ )?(?:my\ |our\ )?(?:projects?|sessions?|repos?|chats?)|hoy\ y\ siempre
    |same\ for\ every|not\ (?:only|just)\ (?:here|today|this)"""
HOLDS = rf"(?:^|[,;]\ (?:and\ )?|\bplease\ |\band\ )(?:{_HOLD})\b"
HOLDS_ON = rf"""^(?:and\ |so\ |please\ )*(?:{_HOLD})\b|^(?:ever|always|every\.?\ time
    |any\ \w+)\W*$|^that\ will\ not\ change\b"""
# what is to be said to somebody
SAID = rf"^{FILLERS}(?:say|tell|mention|announce|explain)\ (?:that|the|them|him|her)\b"

# -- What speaks against it -----------------------------------------------------------------------

WHILE = r"""\b(?:until|till|while\ i\b|meanwhile|today|tonight|tomorrow|this\ (?:week|session
    |branch|time|pr|ticket|sprint|morning|afternoon|release|demo|round|conversation|chat|query
    |plot)|for\ now|anyway|next\ (?:week|month)|(?:in|for|on)\ this\ (?!repo|project|code|package
    |monorepo|workspace|machine|box|host|team|company|app|service|library|crate|module|folder
    |firmware)\w+|right\ now|for\ the\ (?:moment|next|rest|remaining|\w+\ remaining)|just\ (?:for
    |this)|as\ long\ as|in\ the\ meantime|freeze|these\ \w+\ (?:runs|tickets|commits)
    |during\ (?:the|this)|next\ (?:commit|ticket|step|time\ it)|back\ to\ normal|temporar\w+|bis
    |vorerst|heute|diesmal|jusqu|aujourd'hui|hasta|por\ ahora|hoy|por\ enquanto|hoje|fino\ a|oggi
    |intanto|сегодня|пока)\b"""
SAYS_HOW_LONG = r"^(?:and\ |but\ )?(?:just|only|it|that|this|then|next|after\w*|domani|morgen|ab)\b"
BOTH = r"""today\ and\ later|hoy\ y\ siempre|not\ (?:just\ |only\ |in\ )*(?:today|this|here)
    |now\ and\ later|unless|not\ now\ not|as\ well\ as\ later"""
# others' words are handed on: from there to the end of the message
HANDED = r"""\b(?:says?|said|writes?|wrote|states?|review|feedback|log|output|issue|ticket|thread
    |slack|e?-?mail|letter|datasheet|manual\w*|docs?|documentation|wiki|article|reddit|blog|readme
    |claude\.md|agents(?:\.md)?|guidelines?|handbook|contractor|vendor|customer|client|found\ this
    |copied|pasted|(?:he|she|they|who|someone|somebody|video|talk|podcast)\b|game|behaviou?r
    |this\ text|postmortem|checklist|protocol|prompts?|version\ \w|a\ skill|contributing|ai-\d+
    |spec\w*|plan\ for|next\ steps|todo|requirements?|imagine|rules\ file|desc|title
    |which\ of\ these|documentazione|manuale|schreibt|dice|dit|пишет)\b"""
OF_MINE = (
    r"\b(?:my|our|how\ (?:i|we)|ground|house|conventions?|standing|future\ sessions|for\ you"
    r"|(?:i|we)(?:'ve|\ have)?\ (?:already\ )?(?:said|told\ you|asked))\b"
)
OF_THESE = r"\b(?:which\ of\ (?:these|those|them)|below|following|this\ text|we\ got)\b"
# a letter, or a text that the message wants something done with
LETTER = r"""^(?:dear|hallo|hello|hi|hey)\ (?:all|team|everyone|everybody|both|mr|ms|mrs|dr
    |liebe)\b|^dear\b|^(?:best|kind)\ regards\b|^(?:thanks|best|cheers|regards),\ \w+\W*$"""
HANDLED = r"""^(?:\W*(?:please|can\ you|could\ you)\ )?(?:summari[sz]e|translate|proofread
    |shorten|rate|rephrase|reply\ to|answer|what\ do\ you\ think\ of)\ (?:this|that
    |the\ following)\b"""
# before a colon: what follows is said to the agent, as a rule
ANNOUNCES = r"""\b(?:rules?|thing|note|remember|reminder|fyi|btw|told|said|habit|important
    |general|always|never|also|instruction|merk\w*|nota|note|будущее)\b"""
# the agent or the person is named, or the work's place, or how long it holds: no product is meant
SIGNED = rf"{SINCE}|{PLACE}|\b(?:you|i|me|my)\b|{HOLDS}"
# what is worked with and on, which no product's behaviour is about
OF_WORK = r"""\b(?:base\ images?|commit\w*|push\w*|merg\w+|rebas\w+|squash\w*|branch\w*|prs?
    |pull\ requests?
    |code\ review\w*|tests?|testing|ci|lint\w*|formatter|comments?|docstrings?|docs|readme
    |changelog|migrations?|dependenc\w+|lock\ ?files?|release\ notes|secrets?|env|emojis?|print
    |todos?|prod|production|deploy\w*|sudo|generated|main|master|mocks?|mock|refactor\w*|git|npm
    |pnpm|yarn|uv|pip|docker|terraform|shell|bash|imports?|exports?|type\ hints?|tabs|snapshots?
    |fixtures?|code\s?base|repo|stubs?|schema\ change|webhooks?|log|logger)\b|XC|our\b|https?:"""
TICKET = r"^(?-i:[A-Z]{2,}-\d+\b)"
BUILT = r"""\bimplement\b|\b(?:build|create|design|write|draft|spec|prototype
    |make)\b.{0,40}\b(?:a|an|the|me|our|this|it|like|that|test|autosave)\b|\b(?:the|a)\ (?:bot|app
    |widget|exporter|parser|agent|player|user|users|screen|dialog|landing\ page|limiter|robot
    |enemy|customers?)\b|\b(?:spec|requirements?|protocol)\b|\blet's\ define\b
    |\bshould\ (?:contain|show)\b|需求|用户|会员|仕様|ユーザ"""
# of what was said before, or of one thing: no rule that can be read by itself
POINTS = r"""\b(?:like\ (?:this|that)|do\ (?:it|that|so)|(?:it|that)\ that\ way|with\ (?:that
    |this)|send\ it|these|those|that's\ why|that\ is\ why)\b|そうして|\bth(?:is|ese|at)\ (?:dialog
    |button|page|test|file|function|window|plot|query|field|table|one|list|menu|row)s?\b"""
# what tells why something is so, and what may be done or left
EXPLAINS = r"\bthat'?s\ why\b|\b(?:maybe|perhaps|vielleicht)\b"
NOT_OURS = r"""\b(?:tell|warn|remind|announce|mail|answer|reply\ to|write\ to)\ (?:the|them|him|her
    |our|all)\b"""
