"""Cues that a clause may hold: phrases in the languages developers type, and forms of clauses.

clause_features.py reads them, clause_weights.txt says what each is worth: so their names stay. In a
phrase `*` ends a word in any way and `_` stands for any one word. Forms, frames and vetoes are
verbose patterns, blind to case, of a clause whose quotes are XQ and whose code is XC.
"""

_PLACES = """repo* project* codebase package team company lab suite site app firmware service
    monorepo server library module crate session chat shop machine"""
_HERE = ("this", "our", "these", "every", "each", "any", "all", "the whole")
_SCOPES = "; ".join(f"{word} {place}" for word in _HERE for place in _PLACES.split())

PHRASES = {
    "now_on": """from now; from here on; from this point; from this day; from today; as of today;
        as of now; starting today; from the next one; going forward; moving forward; henceforth; in
        future; in the future; for the future; for later sessions; for later ones; note for later;
        for future; any future; next time; next times; later sessions; in all sessions; for all
        sessions; every session; each session; any session; for all modules; forever; all new _;
        any new _; every new _; everything new; new code; in all cases; in each case; once and for
        all; at all times; at any time; whatever the project; today and later; now and later; not
        now not later; not today; not only here; not just here; not just this; not only this; any
        project; in all my _; in all our _; for all my _; for all our _; all of our _; all of my _;
        ab jetzt; ab sofort; ab heute; künftig; zukünftig; in zukunft; désormais; dorénavant; à
        partir de maintenant; à l'avenir; la prochaine fois; a partir de ahora; desde ahora; de
        ahora en adelante; en adelante; en el futuro; hoy y siempre; a partir de agora; de agora em
        diante; daqui em diante; daqui pra frente; daqui para frente; d'ora in poi; d'ora in
        avanti; da ora in poi; впредь; отныне; на будущее; 以后; 今后; 从现在; 今後; これから""",
    "always": """always; immer; stets; grundsätzlich; toujours; systématiquement; siempre; sempre;
        всегда; 总是; 始终; 一律; 都要; 常に; 必ず; いつも""",
    "never": """never; no more; never again; ever again; nie; niemals; jamais; nunca; mai; никогда;
        永远不; 绝不; 不要; しないで; 絶対""",
    "ever": """at all; under no _; no exception*; without exception*; no matter; not even; ever""",
    "each_time": """every time; each time; every single time; whenever; any time; jedes mal; chaque
        fois; cada vez; ogni volta; каждый раз; 每次; 毎回""",
    "every": """every; each; any; all; jede*; alle; alles; chaque; tous; toutes; cada; todos;
        todas; ogni; tutti; tutte; qualquer; каждый; все""",
    "general": """as a rule; as a general rule; as a standing rule; as a _ rule; as a general
        thing; as a habit; matter of principle; in general; generally; general thing; general rule;
        standing practice; your habit; permanent; new rule; standing rule*; standing instruction*;
        ground rule*; house rule*; our rule; the rule; convention*; our policy; policy is;
        principle; by agreement; a habit; a law; law; norma; normas; regel; regeln; règle*; regla*;
        regola; regole; regra*; правил*; en général; in generale; en general; em geral; generell;
        permanently; for good; will not change; your standard; stay with this; without me asking;
        without asking""",
    "told": """i keep telling; i keep asking; i keep _; how often; how many times; for the _ time;
        third time; second time; already said; already told; already mentioned; already asked; as i
        said; as agreed; told you; i said; i've told; i've said; we agreed; we had this; was
        agreed; didn't i; i did not ask; i didn't ask; encore une fois; otra vez; schon wieder; già
        detto; de novo""",
    "remember": """remember; keep in mind; note for; note that; please note; pls note; merk dir;
        denk daran; recuerda; acuérdate; n'oublie*; retiens; lembra*; ricorda*; запомни; помни;
        记住; 覚えて""",
    "scope": f"""{_SCOPES}; in here; everywhere; other tasks; project; projects; in diesem _; dieses
        repo; ce projet; ce dépôt; este proyecto; este projeto; nesse projeto; neste projeto; questo
        progetto; tutto il sito; ningún proyecto; mío; этом проекте""",
    "here": """here; hier; ici; aquí; aqui; qui; здесь; chez nous; bei uns; for us; for me""",
    "must": """must; mustn't; have to; has to; need to; needs to; should; shouldn't; shall; ought;
        supposed to; not allowed; forbidden; may not; required; muss; müssen; soll*; darf*; doit;
        doivent; devez; il faut; debe*; tiene* que; hay que; deve*; precisa*; надо; нужно; должн*;
        нельзя; 必须; 不能; 禁止; べき""",
    "dont": """don't; do not; doesn't; never; isn't; aren't; not; no; nicht; kein*; pas; não; non;
        не""",
    "you": """you; your; du; dir; tu; te; vous; usted; você; ты; вы; 你""",
    "past": """was; were; had; did; went; used to; ran; said; told; wrote; noticed; worked; broke;
        failed; came; made; saw; got; tried; used; changed; meant; gotten; has been; have been;
        happened; decided; published; introduced; moved""",
    "third": """he; she; they; them; his; her; their; someone; somebody; customer*; client;
        colleague; reviewer; boss; people; user; users; intern*; contractor; vendor; bot""",
    "product": """user; users; customer*; button*; dialog*; page; screen; field; form; player;
        tooltip; cart; order; invoice; endpoint; api; message; banner; list; setting; cursor;
        timer; enemy; level; feature; modal; menu; tab; header; cookie; email; filter; utilisateur;
        usuario; nutzer; utente; usuário; кнопк*; пользовател*""",
    "process": """commit*; push*; merg*; rebas*; squash*; branch*; pr; prs; pull request*; review*;
        test; tests; testing; ci; lint*; format*; comment*; docstring*; docs; readme; changelog;
        markdown; secret*; migration*; type*; schema; import*; export*; dependenc*; package*;
        release*; version; deploy*; prod; script*; naming; name*; variable*; emoji*; indent*; tabs;
        spaces; english; german; french; answer*; file*; folder*; code; function*; log*; npm; pip;
        uv; git; docker; make; bash; shell; screenshot*; snapshot*; todo*; line*; config; flag*;
        build*""",
    "temporary": """today; tonight; tomorrow; yesterday; for now; right now; this time; this once;
        this branch; this week; this session; this query; this one; this pr; this ticket; this
        commit; this morning; this release; for the moment; until; till; while; during; yet; just
        for; just this; this afternoon; this evening; this conversation; this chat; this sprint;
        for the next _; in a call; temporar*; next ticket*; next _ tickets; next commit; next step;
        in a minute; friday; monday; heute; morgen; diesmal; bis; vorerst; aujourd'hui; cette fois;
        pour l'instant; jusqu*; hoy; esta vez; hasta; por ahora; hoje; desta vez; até; oggi;
        stavolta; per ora; fino; сегодня; пока; 今天; 这次; 今回""",
    "supposes": """if i told; would you; is it true; isn't true; not a rule; i never said;
        overkill; opinion*; wondering; curious; not sure; don't know; maybe; i guess; probably;
        seem*; looks like; i think; i thought; i don't think; i suppose""",
}

# Forms: how a clause begins and to whom it speaks.
FILLERS = r"""(?:(?:please|pls|plz|and|but|so|ok|okay|also|oh|then|yes|no|nope|hi|hey|well|btw
    |by\ the\ way|one\ (?:more\ )?thing|in\ general|generally|remember|fyi|again|listen|sorry|just
    |really|i\ want\ you\ to|when\ you\ \w+(?:\ \w+){0,2}(?=,)
    |bitte|por\ favor|y|et|und|e|nein|non|sí|sì|oui|ja)\b[,.:!\ …-]*)*"""
LASTING = r"""(?:always|never(?:\ ever)?|from\ (?:now|here|this\ point)\ on(?:\ in)?
    |(?:every|each)\ time|whenever|(?:going|moving)\ forward|in\ (?:the\ )?future|for\ the\ future
    |as\ an?\ (?:\w+\ )?(?:rule|thing|principle|habit)|in\ general|generally|immer|nie|niemals
    |ab\ (?:jetzt|sofort)|künftig|toujours|jamais|désormais|dorénavant|siempre|nunca|sempre|mai
    |a\ partir\ de\ (?:ahora|agora)|de\ ahora\ en\ adelante|d'ora\ in\ (?:poi|avanti)
    |daqui\ (?:pra|para)\ (?:a\ )?frente|всегда|никогда|впредь|отныне|на\ будущее)"""
# verbs of work: as the first word of a clause they give an order
_VERBS = r"""(?:use|keep|write|put|run|ask|leave|name|tell|treat|add|give|answer|show|commit|sign
    |take|make|say|start|stick|follow|prefer|set|check|wrap|pin|explain|mention|format|skip|report
    |work|go|do|stay|squash|rebase|comment|reply|note|edit|touch|push|merge|deploy|create|delete
    |change|call|open|install|guess|mock|catch|generate|translate|include|avoid|save|log|bump
    |update|read|test|document|indent|import|round|print|wait|stop|return|raise|pass|split|link
    |send|move|rename|close|fix|build|try|look|let|quote|prefix|speak|sort|review|verify|confirm
    |describe|validate|escape|handle)"""
FORMS = {
    "head_never": rf"""^{FILLERS}(?:{LASTING},?\ )?(?:please\ )?(?:never  # "ok, don't push"
        |don't(?:\ you)?(?:\ ever)?|do\ not|you\ are\ never\ to|no\ more|stop|avoid|not)\s
        |^никогда\ не\ \w+й(?:те)?\b""",
    # "please always run the tests", "can you add a test"
    "head_order": rf"""^{FILLERS}(?:{LASTING},?\ )*(?:(?:please|pls|always)\s
        |you\ (?:always\ |will\ |must\ |should\ )?|can\ you\ (?:please\ )?)*{_VERBS}\b""",
    # "btw from now on", "we never squash"
    "head_lasting": rf"^{FILLERS}(?:you\ (?:will\ |must\ |should\ )?|we\ |i\ |to\ )?{LASTING}\b",
    # "you must ask", "if you commit"
    "you_do": rf"""\byou\ (?:always|never|don't|do\ not|will|must|shall|should|can|have\ to|need\ to
        |are\ not|may)?\ ?{_VERBS}\b|\b(?:fais|pon|usa|use|nimm|schreib|frag|mach|zeig|lass|mets
        |écris|demande|utilise|hazme|escribe|scrivi|chiedi|mostra\w*|escreve|делай|пиши|спрашивай
        |используй)\b""",
    # "we pin versions", "we don't rebase"; not "we don't know"
    "we_do": r"""\bwe\ (?:always|never|only
        |(?:don't|do\ not)\ (?!need|have|know|see|want|get|care|think|believe|even|yet)
        |use|avoid|follow|write|keep|pin|put|name|go|stick|prefer|call)\b
        |\b(?:wir|chez\ nous|on\ ne|usamos|no\ usamos)\b""",
    # "i'd rather", "merging stays with me"
    "i_want": r"""\bi(?:'d|\ would)?\ (?:really\ |always\ |never\ |much\ )?(?:want|prefer|like|need
        |hate|expect|don't\ want|don't\ like|insist|rather)\b|\b(?:leave\ to\ me|stays?\ with\ me
        |not\ yours|my\ ok|my\ approval|help\ me|i\ review|isn't\ reviewed)\b
        |\bmir\ ist\ lieber\b|\bje\ préfère\b|\bprefiero\b|\bprefiro\b|\bpreferisco\b""",
    # "it already failed", "i think": one act or thought, somewhere in the clause
    "narrated": r"""\b(?:i|we|he|she|they|it)\ (?:just\ |also\ |already\ |only\ |never\s
        |(?:usually|always)\s)?(?:\w+ed|ran|saw|got|had|was|went|did|think|guess|believe|know|see
        |remember|forget|notice|hate)\b""",
    # "why is it red?", "should we use x"
    "asks": r"""^\W*(?:what|why|how|which|who|where|when\ (?:is|do|did)|is|are|do|does|did|was|were
        |can\ i|could\ we|should|would|have|has|will|if\ i)\b.*\?
        |^\W*(?:do|does|did|is|are|was|should)\ (?:i|we|they|it|there|the)\b""",
    # "i have never seen it", "they're testing", "we used to": how things are or were
    "narrates": r"""\bi\ (?:have|'ve)\ (?:never|always)\b|^\W*never\ ?mind\b
    |\b(?:i'm|i\ am|he's|she's|they're)\ (?:\w+ly\ )?\w+(?:ing|ed)\b
    |\b(?:i|we)(?:\ have|'ve)\ (?:\w+ed|spent|been|seen|had)\b
    |\b(?:used\ to|in\ my\ old)\b|\bwe\ (?:never|always)\ (?:had|got|saw|did|were)\b""",
    # "for now", "in this branch", "as long as it is red"
    "awhile": r"""\b(?:in|for|during)\ this\ (?:session|branch|pr|query|plot|demo|spike|ticket
    |migration|release|task|conversation|chat|sprint)\b
    |\bjust\ for\b|\b(?:until|till)\b|\bwhile\ i\b|\bin\ a\ (?:minute|second|bit)\b|\bfor\ now\b
    |\bas\ long\ as\b|\bthis\ time\b|\bfor\ the\ (?:next|rest)\b|\bup\ to\ the\b
    |\bjusqu|\bhasta\ (?:el|la|que)\b|\bfino\ a\b|\bvorerst\b
    |\bthis\ (?:morning|afternoon|evening|week|month)\b|\b(?:today|tonight)\b
    |\btemporar\w+\b|\bduring\ the\ (?:demo|release|freeze)\b""",
    # "that goes for all modules": what only says how long another clause holds
    "refers": rf"""^(?:please\ |and\ |so\ |ok\ )*(?:that|this|it|those|these|same)
    (?:'?s|\ one|\ two)?\ (?:is|are|goes|holds?|would|was|counts|applies|stays|worked|for|will)\b
    |^(?:(?:please|so|and|just)\ )*(?:st(?:ay|ick)\ with|use|do|keep)\ (?:this|it|that)\b|^which\b
    |^so\ (?:machen|haben)\ wir\b
    |^(?:please,?\ )?(?:in|for|on)\ (?:the\ )?(?:future|all|any|every|each)\b
        (?:\ \w+(?:,?\ (?!{_VERBS}\ )\w+){{0,6}})?\W*$
    |^that's\ from\b
    |^(?:i|we)(?:'ve|\ have)?\ (?:already\ )?(?:told|asked|said)\ (?:you\ )?
        (?:that|this|it|so)\b""",
    # what lacks its other half ("then rerun it"), tells what happens ("when i push it stops"),
    # or is about a few things that are there ("this file", "all three")
    "half": rf"""^\W*then\b|\bso\ (?:can|could|would)\ you\b
    |^{FILLERS}(?:not\ (?!to\b)|let(?:'?s|\ us)\ (?!always|never))
    |^{FILLERS}that(?:'s|\ is|s)\ the\ \w+\ time\b
    |^{FILLERS}(?:{LASTING}\ )?(?:(?:every|each)\ (?:single\ )?\w+|when(?:ever)?|if|where|unless)
     \ (?:you|i|we|he|she|it|they|there)\ \w+
     (?!.*\b(?:{_VERBS}|must|never|always|don't|do\ not|ha(?:s|ve)\ to|needs?\ to|should|will)\b)
    |\blike\ (?:this|that)\b|\bin\ other\ (?:places|parts|files)\b
    |^{FILLERS}{LASTING},?\ the\ \w+\ (?!(?:is|was|has)\b)\w+s\b
    |\b(?:this|that)\ (?:file|function|class|method|test|line|loop|query|plot|figure|part|one|run
     |job|commit|branch|pr|change|migration|script|bug|fix|ticket|issue)\b
    |\ball\ (?:\d+|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty)\b""",
}
# a moment that the clause before names: "I am in a call for the next hour. Whenever ..."
MOMENT = r"""\b(?:for\ the\ next|today|tonight|this\ (?:morning|afternoon|evening|week)|while\ i\ am
    |in\ a\ call)\b"""
# "I want a config file as well: one in the project, ..." goes on with what the thing is like
WANTS_THING = r"\bi\ (?:want|need|would\ like|'d\ like)\ (?:a|an|another|some)\b"
# Frames: whose words follow, and what for. "the readme says: always ..." hands on what others wrote
FOREIGN = r"""\b(?:says?|said|writes?|wrote|states?|reads|claims?|told|tells|review|feedback|comment
    |output|log|error|issue|ticket|thread|slack|e?-?mail|letter|datasheet|manuale?|handbuch|manuel
    |readme|docs?|wiki|article|reddit|blog|page|guidelines?|claude\.md|agents(?:\.md|\ file)?|hook
    |handbook|contractor|vendor|fournisseur|fornitore|found\ this|from\ the|copied|pasted|text|post
    |message|rules?\ file|schreibt|sagt|prétend|dit|dice|diz|пишет|говорит|requirements?|spec
    |asks?\ for|wants?|demande|pide|pede|chiede|plan)\b"""
# ... even where the user speaks, too: "i found this"
COPIED = r"\b(?:copied|pasted|found\ (?:this|it)|got\ (?:this|these))\b"
FOREIGN_LINE = r"^(?:\#|//|/\*|\[\d|[-*]\ \*\*|_|<|\w+>\ |\d+:\d+)"  # "// x", "- **x", "bob> x"
# "draft a reply: never ..." orders a text and nothing in it; not "never write comments"
WRITES_TEXT = r"""(?<!never\ )(?<!don't\ )(?<!dont\ )(?<!not\ )\b
    (?:write|draft|translate|generate|compose|fix\ the\ (?:grammar|typo)|rename
    |add\ a\ (?:section|paragraph)|schreib|übersetze|traduis|rédige|écris|traduce|escribe|redacta
    |traduz|escreve|traduci|scrivi|напиши|переведи|набросай)\b.{0,60}\b(?:mail|e-mail|paragraph
    |section|prompt|readme|contributing|tweet|post|announcement|comments?|slides?|text|strings?
    |message|letter|guidelines?|sentences|reply|answer|page|blog|wiki|note|texto|texte|correo)\b
    |\bs/.+/.+/|\b(?:translate|übersetze|traduis|traduce|traduz|переведи)\b"""

# "summarize this: ..." hands a text over: what its later lines order is ordered of its readers
HANDLED = r"""^(?:\W*(?:please|can\ you|could\ you)\ )?(?:summari[sz]e|translate|proofread|shorten
    |rate|rephrase|reply\ to|answer|what\ do\ you\ think\ of)\ (?:this|that|the\ following)\b"""

# Vetoes: with one of these a clause is no rule, whatever its words weigh.
# "the docs say never to", "according to"; not "i said never"
REPORTED = r"""(?<!\bno\ )(?<!\bi\ )(?<!\bwe\ )(?<!\byou\ )(?<!\bto\ )(?<!have\ )(?<!\bi've\ )
    \b(?:says|said|tells|told|claims?|claimed|states|stated|wrote|writes|insists?|insisted|thinks
    |was\ like|according\ to|position\ is|keeps?\ (?:saying|telling)|kept\ (?:saying|telling)
    |(?:they|people|docs|some)\ say
    |meint|meinte|sagt|schreibt|behauptet|prétend|écrit|dice\ que|disse|диз|говорит|пишет)\b|他说
    |\b(?:talk|article|post|book|novel|film|story)\ (?:where|that|in\ which)\b|'s\ rule\b"""
# "that is not a rule", "i never said always"
DENIED = r"""^\W*(?:\w+\W+){0,3}never\ ?mind\b|\bnot\ a\ rule\b|\bi\ never\ said\b
    |\b(?:isn't|is\ not)\ true\b
    |\bi\ (?:disagree|don't\ agree)\b|\b(?:not|n't)\ (?:going\ to|want\ to)\ work\ like\b"""
