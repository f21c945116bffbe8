"""Verbs of working on software -> groups of words that mean the same there.

One group a line: the head, which names the concept, then its synonyms. After ` / ` stand words for
the opposite, after ` ~ ` words that a negation turns into the first ("not dependent" is
"independent"). The trap: a word of two meanings joins what is different wherever the other one is
meant, so a word stands in one group only and doubtful ones in none.
"""

ACTIONS = """
run: execute, exec, re-run, rerun
call: invoke, invocation
start: begin, launch, boot, initiate, kick off, spin up, bring up, starting / stop, halt, shut
  down, shutdown, tear down, teardown, terminate, termination, bring down, kill, shutting down
finish: complete, completion, conclude, be done, is done, all done, wrap up
wait: await, pause
continue: carry on, go on, keep going, resume
repeat: redo, re-run the same
cancel: abort, interrupt
crash: blow up, die, panic
fail: failure, break, breakage, fail the
succeed: pass, success, succeeding, green, is green, turn green, stay green / red, is red
happen: occur, take place, arise
change: modify, alter, edit, adjust, touch, amend, tweak, modification, alteration, make change,
  making change
update: refresh, sync with, bring up to date, keep current, keep up to date, up to date, bring
  current, up-to-date
upgrade: bump / downgrade
replace: substitute, swap, supersede, replacement, swap out
convert: transform, translate, turn into, conversion, transformation, translation
move: relocate, shift, transfer
copy: clone, duplicate over
rename: retitle
name: naming, call it, identifier, variable name, symbol name
build: compile, compilation
install: install locally
deploy: ship, roll out, rollout, release to, go live, deployment, push live, ship to, redeploy,
  put live, goes live
release: publish, cut a release, publication, new release
commit: check in, check into, checked in, commit to git, check into git, check into version
  control, commit to version control, commit to the repository, add to git, check into the
  repository, commit to the repo, commit into git
push: git push, push to remote, push to the remote
pull: git pull
merge: land, integrate into, merge in, merge into
rebase: rebasing
squash: collapse into one commit
revert: roll back, rollback, undo, back out, rolling back, roll it back
review: code review, peer review, look over, review code
approve: approval, sign off, green light, give the ok, sign-off
read: look at, consult, study, inspect, read through, go through, have a look at
understand: comprehend, grasp, understanding
document: documentation, doc, write documentation, describe in the docs
explain: describe, clarify, explanation, spell out
ask: ask for confirmation, confirmation prompt, confirmation, my permission, my approval, my ok,
  my consent, ask permission, ask for permission, ask for approval, get permission, request
  permission, wait for my ok, inquire, query the user, check with, consult with, ask for, ask
  question, clarification, ask me, check with me, confirm with, ask for clarification, request
  clarification
answer: reply, respond to the user, respond
show: display, present, presentation, render, draw, paint
hide: conceal
notify: notification, inform, let know
suggest: recommend, propose, recommendation, suggestion, proposal
search: look up, look for, lookup, search for
check: verify, verification, validate, validation, double check, confirm, make sure of, assure,
  perform validation
test: testing, test case, test suite, testsuite, suite of test, full test suite, whole test suite,
  entire test suite, suite, all the test, all test, unit test suite, run of the test
measure: profile, profiling, benchmark, measurement, profiler
optimize: optimization of, optimise, optimization, optimisation, speed up, tune, tuning, make
  fast, make it fast, making it fast, performance tuning
monitor: watch, observe, keep an eye on
track: keep track of
alert: alarm, page someone, get paged, alerting
log: logging, log file, log output, write to the log, server log
store: save, persist, keep in, hold in, storage
load: fetch, retrieve, load in, loading, retrieval
cache: memoize, memoise, memoization, memo, cached data, cache data, put in a cache, put into a
  cache
send: transmit, submit, dispatch, deliver
receive: accept from, get back
return: give back, hand back, respond with
throw: raise
catch: rescue, trap
handle: deal with, take care of, handling, cope with
escape: sanitize, sanitise, sanitization, encode for output, sanitisation, html-escape
encrypt: encryption, encipher / decrypt, decryption
encode: encoding, serialize, serialise, serialization, marshal / decode, decoding, deserialize,
  deserialise, deserialization, unmarshal
compress: compression, zip / decompress, unzip
sign: signing, signature, cryptographic signature
authenticate: authentication, authn
log in: login, sign in, sign-in, log-in / log out, logout, sign out, sign-out, log off
mount: / unmount, dismount
authorize: authorization, authorisation, access control, authz, authorise
grant: give access, hand out / revoke, invalidate, withdraw
expire: expiry, expiration, ttl, time to live, expiry time, expiration time
lock: mutex, locking / unlock
open: opening / close, closing
connect: connection / disconnect
split: break up, break down, divide, decompose, split up, break into / join, concatenate, join up
extract: pull out, factor out, move out, extraction
group: cluster, organize, organise, grouping, organized
sort: order alphabetically, alphabetical order, alphabetize, sort alphabetically, alphabetic
  order, alphabetical, alphabetically
filter: narrow down
parse: parsing
format: formatter, code formatter, formatting, reformat, auto-format, autoformat
lint: linter, linting, static analysis, style checker, lint check, lint rule, lint code
generate: autogenerate, auto-generate, generation, auto-generated
compute: calculate, computation, calculation, recompute, recalculate
compare: comparison
sync: synchronize, synchronise, synchronization
schedule: cron, cron job, cronjob
retry: try again, retries, retrying, retried
back off: backoff, back-off
limit: or less, or fewer, or lower, or smaller, or older, and below, bound, cap, restrict,
  bounded, capped, upper bound, ceiling, put a limit, set a limit, at most, no more than, not more
  than, maximum, max, maximal, not exceed, not to exceed, less than, fewer than, up to, upper
  limit, limit on, no longer than, size limit, no larger than / unbounded, unlimited, or more, or
  larger, or newer, or higher, or greater, and above, and newer, and up, at least, minimum, min,
  minimal number, no less than, no fewer than, exceed, more than, over a limit, lower bound,
  without limit, greater than, at or above
throttle: rate limit, rate-limit, rate limiting, throttling, rate limiter
batch: bulk, in bulk
paginate: pagination, in pages, page by page
subscribe: subscription / unsubscribe
inject: injection, pass in
mock: stub, fake, test double, mocked, stub out, mock out
reproduce: reproduction, repro
debug: debugging, debug mode
fix: repair, mend, bugfix, bug fix, resolve
refactor: restructure, refactoring, clean up code, reorganize code
abbreviate: abbreviation, shorten word, acronym
duplicate: copy-paste, copy paste, duplication, repeat code, copy and paste, repeat yourself,
  duplicate code, code duplication, repeated code
reuse: reusable
existing: already exist, that exist
inherit: inheritance, subclass, extend a class, class hierarchy, subclassing, inherit from
composition: compose object, object composition
depend: rely on, dependent, dependence, coupled, coupling, rely, depend on, couple ~ independent,
  decoupled, isolated, isolation, decouple, standalone, independently
nest: nested, nesting, deep nesting, nest deeply, deeply nested, levels of nesting
declare: declaration
import: import statement, imported module
initialize: initialise, init, initialization
configure: configuration, config, setting, config file, configuration file
override: overrule
annotate: annotation
mark: flag as, tag as
link: reference, refer to, hyperlink, cross-reference
mention: name explicitly
wrap: enclose, surround
migrate: migration, database migration, schema migration, db migration
backup: back up, take a backup, take backup, database dump
restore: recover, recovery
archive: archiving
deprecate: deprecation
support: supporting
trust: blindly trust
assume: assumption, guess, speculate, make assumption
invent: fabricate, make up, hallucinate, hallucination
leak: disclose, reveal, leakage
protect: guard, protection
scan: audit, check for
rotate: rotation, renew, renewal
delegate: delegation
iterate: iteration
communicate: talk, interact with, exchange message
simulate: emulate, simulation
rehearse: practice, drill
scale: scaling, autoscale, auto-scale, scale out, scale up, autoscaling
discuss: talk through, discussion
choose: pick, opt for, choice
print: console.log, print statement, print call, debug print, print debugging
write: author, put into writing, written
push back: object to
learn: find out
clean up: cleanup, clean, tidy up, tidy, clear up, clean-up
justify: justification, give a reason, give reason
group by: grouped by
swallow: suppress, hide error, silently ignore, silently swallow, swallow silently
navigate: navigation
type-check: type check, type checker, type checking, typecheck, typechecker, check type, static
  type checker
enforce: impose, insist on
investigate: look into, analyze, examine, analyse, dig into
improve: enhance, enhancement, improvement
detect: discover, notice, spot, detection
identify: determine, find out which, recognize, recognise
integrate: integration, plug in
aggregate: aggregation, roll up
normalize: normalise, normalization
evict: eviction
increment: count up / decrement, count down
enqueue: put on the queue, push to the queue / dequeue
escalate: escalation
mask: obfuscate, redact, anonymize, anonymise, redaction, blank out
acknowledge: ack
publish event: emit event, fire event, raise event, dispatch event, send event
spawn: fork
throw away: dispose
import data: ingest, ingestion
preload: prefetch, eager load, preloading
refuse: decline
inline: inlining
bind: binding
truncate: cut off, truncation
partition: shard, sharding, partitioning
replicate: replication
warm up: warm, pre-warm
fall back: fallback, degrade gracefully, graceful degradation
work around: workaround
opt in: opt-in
opt out: opt-out
onboard: onboarding
hand over: handover, hand off, handoff
estimate: estimation
prioritize: prioritise, prioritization
agree: agreement, consent
decide: decision
"""
