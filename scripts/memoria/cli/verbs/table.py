"""The verbs, by the groups of `memoria --help`: what each is, and its arguments.

A group begins with the page of the reference and its title. A verb has its module below memoria,
`no-demo` where it joins a vault to sessions, which the demo vault never is, and the vault that
stands in where none is named (neither the environment nor the current folder may then). Below it
stand its arguments and an example; * is an action with arguments of its own. How an argument is
written says `verb.parse_argument`. What goes on in the next line stands further right.
"""

from collections.abc import Mapping

from memoria.cli.verbs.verb import Verb, parse_groups

_GROUPS = parse_groups(
    """
# begin: set up
start (cli.setup.start no-demo): make a vault and fill it from your sessions
demo (cli.setup.start vault=~/memoria-demo): show what it does on sample sessions, in a folder of
            its own
    folder? DIR  default ~/memoria-demo
    --remove  delete it, with all that is in it
init (cli.setup.init): make a vault
    folder? DIR  default ~/memoria
    --state DIR  the folder of this machine's state of the vault (default: one of your own)
    $ memoria init ~/memoria
install (cli.setup.install no-demo): capture the sessions of every project from now on
    --dry-run  show the change, write nothing
    --agent {claude-code,codex,copilot,gemini,opencode} =claude-code  whose hooks (default
            claude-code)
    $ memoria install --vault ~/memoria --dry-run
update (cli.setup.init): bring the vault's files to this version
    --dry-run  show the change, write nothing
    $ memoria update --dry-run
uninstall (cli.setup.install): take the hooks out again: the settings are as they were
    --dry-run  show the change, write nothing
    --agent {claude-code,codex,copilot,gemini,opencode} =claude-code  whose hooks (default
            claude-code)
import (cli.importing no-demo): bring in the sessions that are still there, or a buildlog
    --from PATH >source  a folder of transcripts, or a buildlog: its entries and decisions
    --agent {claude-code,codex,copilot,gemini,opencode}  only this agent's sessions (default: of
            all that are there)
    --since DATE  only sessions that ended on or after it
    --project P  only projects whose name holds this
    --limit N whole  at most N sessions, oldest first
    $ memoria import --since 2026-01-01

# loop: capture and compile
flush (cli.flush no-demo): write captured sessions into the daily logs now
    --sweep  also find sessions no hook told of
    --detached  (hidden)
compile (compile.service): turn new entries into articles and rules
    --all  compile all entries again
    --file LOG  only this log: daily/DATE.md
    --dry-run  print the patch, write nothing
    $ memoria compile --file daily/2026-04-01.md --dry-run
rewrite (cli.rewrite no-demo): let a model write again what was captured without one
    --since DATE  entries of that day and later
    --project P  projects whose name holds this
    --yes  do not ask
    $ memoria rewrite --since 2026-04-01 --project shop
search (search.service): find articles and entries by their words
    words* WORDS  what to look for
    -k N whole =10  at most N results
    --scope {articles,daily,all} =all  where to look
    --project P  projects whose name holds this
    --since DATE  dated on or after it
    --kind K  concept, rule, qa, entry, ...
    --tag T  articles with this tag
    $ memoria search "token expiry" -k 5 --scope articles
query (search.ask): answer a question from the vault, with links
    question+ QUESTION  what you want to know
    --file-back  keep the answer as a note under knowledge/qa/
    $ memoria query "How long do session tokens last?" --file-back
lint (lint.service): check the vault's health
    --structural-only  only the checks that need no model
    --fix  fix what code can fix safely
    $ memoria lint --structural-only --fix

# notebook: notebook
new (cli.new): begin an entry of your own
    slug? SLUG  default: from the session's title
    --date DATE  its day (default today, with --from-session the session's)
    --from-session ID  draft it from a captured session: 8 characters of its id, or `latest`
    --dry-run  print the entry, write nothing
    $ memoria new --from-session latest
list (rules.insights.stats): list all entries, yours and the captured ones
    --since DATE  dated on or after it
distill (rules.insights.distill): extract the insights of all entries by category
    -o --output FILE  a .json or .yaml file
    --since DATE  entries dated on or after it
    --category C  architectural, workflow, tool_usage, domain_knowledge, or one of your own
    $ memoria distill --since 2026-01-01 -o patterns.yaml
skills (rules.skills): merge insights and rules into skills for an agent
    -o --output FILE  write it to this file
    --format {yaml,json,markdown}  default yaml
    --min-frequency N whole =1  seen in N sessions or more
    --since DATE  entries dated on or after it
    --embeddings B {token,wordllama,sentence-transformers,openai} =token  what finds paraphrases:
            token, wordllama, sentence-transformers, openai
    $ memoria skills --format markdown --min-frequency 2
stats (rules.insights.stats): show coverage and blind spots
    --detailed  all blind spots and warnings
    --since DATE  entries and errors dated on or after it

# rules: rules
status (cli.decide.status): show what is captured, what waits, what goes wrong, the rules
    --rules  the rules alone
    --category C {architectural,workflow,tool_usage,domain_knowledge}  only this category:
            architectural, workflow, tool_usage, domain_knowledge
diff (cli.decide.status): show the rules that wait for your decision
review (rules.review.service): decide about waiting rules, one key each
remember (cli.decide.remember): make a rule that is active from the next prompt on
    text+ TEXT  the rule, in quotes
    --pin  into every session, without question
    --global >everywhere  in all projects, not this one
    --category C  one of the four categories
    $ memoria remember "Always run the linter before you commit" --pin
learn (rules.from_review.service): take rules out of a code review, for your decision
    --from-review FILE required  a code review's text; - for stdin
    --global >everywhere  for all projects, not this one
    --dry-run  show the rules, write nothing
    $ memoria learn --from-review review.txt
promote (rules.promotion.service): approve rules, write them into CLAUDE.md or another file
    ids* ID  rules (default: the active ones that are pinned or of medium confidence or more)
    --target T {claude-md,settings,skill,rules,agents-md,agents-skill} =claude-md  claude-md
            (default), agents-md, rules, skill, agents-skill, or settings: a SessionStart hook
            that prints the rules, since Claude Code reads no key of its own settings as
            instructions
    --confidence LEVEL {low,medium,high}  the active rules that are at least so sure (low, medium
            or high)
    --dir DIR  the project (default: this one)
    --name NAME  of the skill (target skill)
    --global >everywhere  your own file for all projects, in the agent's own folder
    --force  also where the marked part was edited by hand or on another machine; the old part is
            kept aside
    --dry-run  show the change, write nothing
    $ memoria promote wf-96f12966f1 --target skill
reject (cli.decide.remember): reject rules: they are not suggested again
    ids+ ID  a rule's id, or its first 4 characters and more
    $ memoria reject wf-96f12966f1
retire (cli.decide.remember): retire active rules that have had their time
    ids+ ID  a rule's id, or its first 4 characters and more
    $ memoria retire wf-96f1
why (search.sources): show the session that a rule or a line came from
    what ID|PATH[:LINE]  a rule, or a line of the vault
    $ memoria why knowledge/concepts/token-expiry.md:12
trust (cli.decide.trust): adopt what you wrote on another machine or in your editor
    --yes  adopt all that is shown, do not ask
guard (cli.guard): have tool calls checked against a rule
    * list  all rules that have a check, and which are on here
        id? ID  only this rule, with its check and what it did so far
    * on  switch a guard on, or change its mode
        id ID  a rule's id, or its first 4 characters and more
        --mode {note,bump,ask,deny}  bump (default): refused once, the same call again passes; note:
            told after the call; ask: Claude Code asks you; deny: refused each time (these two in a
            terminal)
    * off  switch a guard off
        id ID  a rule's id, or its first 4 characters and more
    $ memoria guard on wf-96f12966f1
reward (cli.evidence.reward): say whether a rule helped
    id ID  a rule's id, or its first 4 characters and more
    reward {1,0,-1}  1 helped, 0 did not help, -1 hurt
    --context C  what it was about: type-errors
    --outcome TEXT  what came of it
    --session S  the session it is about
    $ memoria reward wf-96f12966f1 1 --context type-errors --outcome "caught it"
rewards (cli.evidence.reward): show what you and the sessions said of rules
    id? ID  only this rule

# evidence: does it help?
experiment (cli.evidence.experiment no-demo): find out whether Memoria helps, by an A/B test
    --project P  a part of its name, or its folder
    * start  an A/B test: Memoria is on in some sessions, by chance
        --error-class C  only errors of this class: lint, test
        --design {chance,before-after} =chance  by chance (default), or in two phases
        --all-projects  not this project alone
    * switch  turn Memoria on for the second phase of before-after
    * end  end it; what is known so far can be reported for ever
    * status  all experiments with their sessions
    * metrics  the rates of an experiment
        --experiment ID  default: the last one
    * report  verdict, rates, effect sizes, tests, notes
        --experiment ID  default: the last one
        --all  all experiments, and all captured and tracked sessions
    * log-mistake  note an error by hand
        --error-class C  default: the experiment's
        --description D required  what went wrong
    * session  track a session outside Claude Code
        what {start,end}
    $ memoria experiment start --error-class lint
report (cli.evidence.report): write a note: what goes wrong again, and whether Memoria helps
    -o --output FILE  default reports/report.md in the vault
    $ memoria report

# team: team
team (cli.team no-demo): share what sessions found out with colleagues
    * join  belong to a team: a database, or a folder that syncs
        where? DSN|FOLDER  where the team is
        --name N  yours
    * share  share the lines of a project
        project? PROJECT  or a part of its key (default: that of this folder)
        --with-facts  lines of outside origin and fixes, too
    * unshare  withdraw the lines of a project
        project? PROJECT  or a part of its key (default: that of this folder)
    * sync  exchange now; each flush does it in the background
    * status  which team, what is shared, how much came from whom
    * leave  leave the team
        --withdraw  take along all that was shared
    * init  make the team's schema in a database, as its owner
        where? DSN|FOLDER  where the team is
    * invite  make a role for a member, as the owner
        name NAME  the member's name, which is their role's
        --dsn DSN >where  the owner's address
    * admit  let a member see a project, as the owner
        project PROJECT  its key
        name NAME  the member's name, which is their role's
        --dsn DSN >where  the owner's address
    * remove  let a member log in no more, as the owner
        name NAME  the member's name, which is their role's
        --dsn DSN >where  the owner's address
    $ memoria team join ~/shared/memory --name ana

# upkeep: upkeep
undo (cli.undo): take back the last compile, answer, promotion or decision
    step? STEP whole  its number (default: the last one)
    --list  show the steps, newest first
    --dry-run  show the change, write nothing
    $ memoria undo --dry-run
mcp (mcp.server no-demo): serve the vault to MCP clients, which start it
    $ memoria mcp --vault ~/memoria
forget (cli.forgetting.service): remove a session, a project or a text for good
    what? SESSION|PROJECT  a session's id, a project
    --match TEXT  all that holds this text
    --dry-run  show what goes, change nothing
    --yes  do not ask
    $ memoria forget --match 'Project Nightjar' --dry-run
cost (cli.evidence.cost): show tokens and money by operation
    --since DATE  calls made on or after it
    $ memoria cost --since 2026-04-01
completion (cli.completion): print what lets your shell complete verbs and options
    shell {bash,zsh,fish,powershell}  your shell
    $ memoria completion bash > ~/.local/share/bash-completion/completions/memoria
doctor (cli.doctor no-demo): say whether capture works, and what is wrong if not
    --audit  look through vault and state for secrets and open modes instead; 1 where there are any
"""
)
_NAMED = {name: verb for *_, group in _GROUPS for name, verb in group.items()}
# a start takes the sessions that an import takes, and no buildlog
_USAGE = [line.partition(", or a buildlog")[0] for line in _NAMED["import"].usage]
_START = _NAMED["start"]._replace(usage=_USAGE)
VERBS: Mapping[str, Verb] = _NAMED | {"start": _START}
# What a person needs from day to day; `memoria --help` shows it first.
DAILY = tuple("start install status search query review remember undo forget report doctor".split())  # noqa: SIM905 - reads best as text
# other names -> the words that they stand for
ALIASES = {"ask": ("query",), "rules": ("status", "--rules")}
# the verbs of a group, by its title, and the page of the reference that has them
GROUPS = {title: tuple(verbs) for _, title, verbs in _GROUPS}
PAGES = {title: page for page, title, _ in _GROUPS}
