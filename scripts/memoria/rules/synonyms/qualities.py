"""Adjectives and adverbs of rules -> groups of words that say the same, with their opposites.

The form is that of `lexicon_actions`. Most have a `~`: to keep commits small is to avoid large
ones. The trap: an opposite that a negation does not reach, like new and old, takes a `/`.
"""

QUALITIES = """
small: tiny, little, short, brief, concise, compact, smaller, shorter, slim, lean, minimize,
  minimise, low, lower, reduce, decrease, shrink, cut down, reduction, smallest, terse,
  short-lived, narrow, size down, bite-sized, lesser, lowest, small size, minimal, lightweight,
  keep down ~ large, big, huge, giant, long, lengthy, oversized, bigger, larger, longer, enormous,
  massive, high, higher, increase, grow, enlarge, maximize, maximise, bloated, long-lived, wide,
  monolithic, sprawling, gigantic, verbose, heavyweight
few: fewer, small number, handful ~ many, lots, numerous, a lot
simple: easy, straightforward, boring, simplicity, simplify, plainness ~ complex, complicated,
  clever, elaborate, complexity, fancy, cleverness, convoluted, over-engineered
explicit: explicitness ~ implicit, magic, magical, hidden behavior, implicitness, hidden magic
specific: concrete, precise, particular, fine-grained ~ generic, broad, vague, unspecific, general
descriptive: meaningful, expressive, self-explanatory, intention-revealing, telling,
  self-documenting ~ cryptic, single-letter, meaningless, one-letter, single letter
readable: readability, legible, legibility ~ unreadable
valid: correct, well-formed, legal ~ invalid, wrong, incorrect, malformed, illegal
known: familiar ~ unknown, unfamiliar
safe: secure, safety ~ unsafe, insecure, dangerous, risky, risk, hazardous
difficult: hard, challenging, tricky
active voice: ~ passive voice
fast: quick, rapid, faster, quicker ~ slow, slower, expensive, costly, heavy, time-consuming
new: fresh, newly, newer, newest / old, legacy, older, oldest
early: soon, earlier, as early as possible, as soon as possible ~ late, later
immediate: immediately, right away, promptly, instantly, straight away, without delay, asap
often: frequently, frequent ~ rarely, seldom, infrequently
automatic: automated, automate, automation, by itself ~ manual, by hand, manually
strict: stricter, strict mode, strict flag, strictness, --strict, strict compiler option, strict
  option ~ lenient, loose, lax
public: publicly visible / private
external: outbound, outgoing / internal, inbound
third-party: third party, 3rd party
absolute: fully qualified / relative
left: lefthand, left-hand / right, right-hand
top: topmost / bottom
above: / below, beneath
forward: forwards / backward, backwards
reversible: revertible, can be undone, undoable, can be rolled back ~ irreversible, one-way
idempotent: safe to repeat, safe to run twice, safe to rerun, safe to re-run, repeatable,
  idempotency, idempotence, safe to run again
stable: steady, stability ~ unstable
consistent: uniform, consistency, uniformly ~ inconsistent
deterministic: reproducible, determinism ~ nondeterministic, non-deterministic, random, randomness
graceful: gracefully, graceful shutdown
silent: quiet, quietly ~ loud
lazy: lazily ~ eager
optimistic: optimistically / pessimistic
dynamic: dynamical / static
flat: shallow ~ deep
empty: nonexistent
optional: voluntary ~ required, mandatory, obligatory, compulsory
related: relevant ~ unrelated, irrelevant, nothing to do with, having nothing to do with
clear: unambiguous, clarity ~ unclear, ambiguous, ambiguity
unexpected: unforeseen ~ expected
same: identical ~ different
separate: own, individual, dedicated, distinct / shared, common
next to: beside, adjacent to, alongside, colocate, collocate, co-locate, side by side with, near,
  close to, in the same place as
at startup: on startup, when the application start, when the app start, at application start, on
  application start, at boot, on boot, when it start, when the program start, startup, when the
  server start / at shutdown, on shutdown, when the application stop, when the app stop, at exit,
  on exit
up front: upfront, in advance, ahead of time
non-zero: nonzero / zero
premature: prematurely, too early
exponential: exponentially
type: typed, strongly typed ~ untyped
full: whole, entire / partial, part of, in part, partly, incomplete set
temporary: ephemeral, transient, throwaway ~ permanent, persistent, durable, durably
remote: remotely
global: globally, system-wide ~ locally scoped
single: only one, just one, exactly one
visible: in sight ~ invisible
active: enabled ~ inactive, disabled
online: in the network ~ offline
free: available
stateless: without state ~ stateful
centralized: central, in one place, single place ~ scattered, spread out
predictable: foreseeable ~ unpredictable, surprising
maintainable: easy to maintain, maintainability
testable: easy to test, testability
scalable: scalability
portable: cross-platform, platform-independent
robust: resilient, fault-tolerant, reliable ~ brittle, fragile
accurate: exact ~ inaccurate
honest: truthful
polite: friendly ~ rude
comprehensive: thorough, exhaustive
experimental: beta, preview
sensitive: confidential, private information
trustworthy: ~ untrusted
verbose output: debug output
human-readable: readable by people
machine-readable: parseable
cheap: inexpensive
popular: widely used
similar: alike, comparable
"""
