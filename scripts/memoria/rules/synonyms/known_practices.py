"""Well-known practices of the craft -> the ways in which people put them.

One practice a line, its phrasings parted by bars; each is read like any rule, so word forms, order
and negation do not matter. They are what no thesaurus and hardly an embedding knows: that "no SQL
by string concatenation" is "use prepared statements". The trap: a phrasing that is too short
matches rules that say more or something else, so each names what makes the practice this one.
"""

PRACTICES = """
commit small and often | make small commits | small frequent commits | commit early and often |
  keep commits small | one logical change per commit | atomic commits | each commit does one thing
  | one thing per commit | do not bundle changes in one commit | a week of work does not belong in
  one commit | each step gets its own commit | commits that can be reviewed in minutes
keep pull requests small | split large pull requests | split large changes into pull requests |
  avoid huge pull requests | small reviewable pull requests | break big changes into pull requests
  | reviewers should not have to read thousands of lines | a change that takes hours to review is
  too big | break work into reviewable chunks
never force push | do not rewrite git history | do not amend pushed commits | never rewrite pushed
  commits | do not rebase pushed commits | never rebase public branches | other people's commits
  must not vanish from the remote | history that others have pulled stays as it is | shared
  history is never rewritten | what was pushed stays as it was pushed
keep git history linear | rebase instead of merge commits | no merge commits
never commit directly to main | do not push to main | changes reach main through pull requests |
  no direct commits to main | never push to main | open a pull request instead of pushing to main
  | no direct pushes to main | the default branch only changes through review | nobody pushes to
  the default branch | main is a protected branch | changes arrive on the default branch by pull
  request only
do not commit secrets | no secrets in git history | no secrets in version control | keep secrets
  out of git | no secrets in the repository | keep secrets out of the repository | never put
  secrets in source code | no secrets in code | do not hardcode secrets | never hardcode passwords
  | no passwords in git | do not check in passwords | secrets do not belong in code | no passwords
  in code | a leaked token in the history has to be revoked | keys and tokens stay out of the repo
  | the repo holds no credentials | no api keys in source control | credentials live outside of
  the code base
commit lockfiles | lockfiles belong in version control | check lockfiles in | track the lockfile
  in git | everyone must install the same dependency tree | lock files are versioned | the exact
  dependency tree is under version control
squash merge | squash when merging | squash before merging | one commit per pull request | squash
  feature branches | one commit per feature on the main branch | a merged pull request is a single
  commit | combine the commits of a branch into one
parameterized queries | no sql by string concatenation | no sql injection | prevent sql injection
  | never concatenate sql | never build sql from strings | bind values in sql | no string
  formatting in sql | do not interpolate values into sql | no f-strings in sql | never interpolate
  user input into sql | no string interpolation in sql | no string concatenation in queries | bind
  values in queries | user values never become part of the sql text | sql text and values are kept
  apart | pass values to the database separately from the statement | do not paste variables into
  sql | never glue user input into a query
avoid n+1 | no queries in loops | avoid queries in a loop | do not query the database in a loop |
  eager load relations | prefetch relations | load relations eagerly | one query instead of one
  per row | do not issue one query per item | batch queries instead of looping | no query per row
  | fetch related rows in one query | join instead of querying per row | loading a list must not
  cause a query for each element | number of queries must not grow with number of rows | one round
  trip for the whole list | the loop must not hit the database
select only needed columns | avoid select all columns | do not select all columns | name columns
  in queries | list columns explicitly in select | queries name their columns | no select star |
  select specific columns | do not fetch data nobody reads | no star in select | ask the database
  for nothing that is not used
make columns not null | avoid null columns | columns should be not null
index foreign keys | add an index to foreign keys | create indexes on foreign keys | lookups by
  reference must not scan the table | columns used in joins need an index
use transactions for multiple writes | atomic writes | wrap multi-step writes in a transaction |
  wrap related writes in a transaction | make related writes atomic | several writes belong in a
  transaction | wrap multiple statements in a transaction | half-finished updates must never be
  visible | either every statement succeeds or nothing changes | changes that belong together are
  committed together | partial updates must not survive a crash
reversible migrations | migrations need a down step | every migration can be rolled back |
  migrations must have a rollback | provide a downgrade for each migration | roll the schema back
  | every schema change can be undone | provide an undo for schema changes | a failed deploy must
  be able to go back to the old schema
do not change applied migrations | never edit old migrations | add a new migration instead of
  editing | write a new migration instead of changing an old one | migrations are immutable |
  migrations that have run are history | fix a bad migration with a new one | once a migration has
  run it is never touched again
soft delete records | mark records as deleted instead of removing them | do not hard delete
  records | never physically delete rows | never hard delete | deleted rows stay in the table with
  a flag | removed records can be restored | deletion only sets a flag
store timestamps in utc | save dates in utc | use utc for times | no local time in the database |
  keep all times in utc | convert to local time for display only | dates are stored in utc |
  persist times in utc | no local timezones in the database | the database knows only one timezone
  | time zones are applied at display time | server times have no offset | every stored time is in
  greenwich time
use timezone-aware timestamps | no naive timestamps | avoid naive timestamps | timestamps carry a
  timezone | always attach a timezone | a time without zone is ambiguous | every datetime knows
  its zone
paginate list endpoints | return lists in pages | no endpoint returns an unbounded collection |
  never return unbounded lists | limit the page size of list endpoints | endpoints return pages |
  clients get lists piece by piece | no endpoint dumps the whole table | large result sets are
  delivered in chunks | responses never contain all rows at once
validate user input | never trust user input | never trust the client | do not trust client data |
  treat user input as untrusted | never trust the browser | never trust data from users | whatever
  comes from outside is checked first | treat every request as hostile | do not rely on what
  clients send | assume that input is malicious | input from outside is guilty until proven valid
escape output | prevent xss | avoid xss | never insert raw user html | escape user-generated
  content | do not render raw user input | sanitize user-generated content | no
  dangerouslysetinnerhtml | no raw html from users | protect against xss | never use innerhtml
  with user data | markup from users must not run in the browser | what users typed is text and
  never markup | scripts in user content must not execute | encode before inserting into html
hash passwords | never store passwords in plain text | do not store plain text passwords | store
  password hashes | passwords are stored hashed | store only password digests | nobody can read a
  password from the database | a stolen database must not reveal passwords | plain passwords are
  never saved | the database never contains a readable password
least privilege | do not grant broad permissions | restrict permissions to what is needed | every
  component can do only what its job requires | nobody gets rights they do not need | start with
  no rights and add what is required | services run with minimal rights | no admin rights for
  ordinary jobs
deny by default | access is denied unless allowed | default deny | allowlist instead of blocklist
  | whatever is not explicitly permitted is refused | permissions must be granted explicitly |
  access needs an explicit grant | closed unless opened
verify tls certificates | no verify=false | do not disable certificate verification | never use
  verify=false | do not turn off ssl verification | never skip tls verification | keep ssl
  verification on | never disable tls verification | never accept an invalid certificate | do not
  ignore certificate errors | an untrusted certificate ends the connection | insecure connections
  must fail
use https | no plain http | never use plain http | encrypt traffic with tls | serve everything
  over tls | all traffic goes over tls | no unencrypted traffic | no request leaves unencrypted |
  http redirects to https | traffic must be encrypted on the wire
rotate secrets regularly | secrets are rotated regularly | change passwords regularly | old keys
  stop working after a while | credentials have an expiry date | replace keys on a schedule
short-lived tokens | tokens expire quickly | short token lifetimes | tokens must expire soon |
  short expiry on tokens | limit token lifetime | a stolen token is worthless soon | tokens die
  after a few minutes | sessions end automatically
rate limit public endpoints | throttle public endpoints | throttle api clients | throttle
  anonymous callers | rate limit the api | limit how often a client can call | one client must not
  be able to flood the api | slow down callers that ask too often | protect the api from abuse by
  limiting requests | too many requests get a 429
keep personal data out of logs | never log personal data | mask personal data in logs | redact
  personal data in logs | no personal data in logs | do not write user data to logs | logs contain
  no personal data | log files identify nobody | names and email addresses never reach the log | a
  log must not tell who the customer is | anonymize log output
never log secrets | no secrets in logs | mask secrets in logs | redact tokens in logs | never log
  passwords | keep secrets out of logs | no tokens in logs | strip secrets from logs | keep
  passwords out of logs | redact secrets before logging | a token must not show up in log output |
  logs never contain credentials | authorization headers are not logged | scrub passwords from log
  lines
store secrets in environment variables | read secrets from environment variables | secrets come
  from environment variables | load secrets from environment variables | the environment provides
  credentials | configuration of credentials comes from outside of the code | the twelve-factor
  way of configuration
use a secret manager | keep secrets in a vault | fetch secrets from a secret manager | credentials
  come from a vault at runtime | production keys live in the key store
scan dependencies for vulnerabilities | audit dependencies | check dependencies for cves | run
  pip-audit | security audit of dependencies | dependency vulnerability scanning | know when a
  library has a security problem | no libraries with known security holes | the build checks
  libraries against the cve database
pin dependencies | fix dependency versions | exact dependency versions | pin exact versions | no
  version ranges | no floating versions | lock dependency versions | no carets in package.json |
  use exact versions for dependencies | dependencies have exact versions | no version wildcards |
  builds must not change because a library was released | the same versions on every machine |
  installing today and tomorrow gives the same result | reproducible installs
keep dependencies up to date | update dependencies regularly | upgrade dependencies regularly | no
  outdated dependencies | avoid outdated dependencies | do not fall behind on library versions |
  old library versions are upgraded | stay on current versions of libraries
avoid new dependencies | standard library over dependencies | do not add a dependency for a small
  thing | use the standard library instead of dependencies | standard library before third-party
  dependencies | no needless dependencies | keep dependencies few | minimize dependencies | avoid
  unnecessary dependencies | write ten lines instead of installing a package | every dependency is
  a liability | do not pull in a library for something trivial | think twice before adding a
  library | built-in tools before third-party libraries
ask before adding dependencies | no new dependencies without asking | new dependencies need
  approval | do not add dependencies without approval | check with me before adding a dependency |
  get approval for new dependencies | i decide which libraries we use | no library without my
  approval | new libraries have to be agreed on | talk to me before installing a package
use a virtual environment | never install packages globally | no global pip install | no
  system-wide pip install | do not install into the system python | isolate python dependencies |
  never install into system python | one virtual environment per project | the system python stays
  clean | projects do not share installed packages | each project has its own packages
run tests before committing | test before commit | do not commit without running tests | tests
  pass before commit | make sure tests pass before committing | commit only when tests pass |
  never commit failing tests | do not commit broken tests | never commit untested code | tests
  must be green before a commit | a commit must not break the suite | broken code never gets
  committed | no commit with red tests | only green code is committed | make sure nothing is
  broken before you commit | every commit passes the suite
run tests before pushing | tests pass before push | do not push without running tests | push only
  when tests pass | the remote never sees failing tests | only green code is pushed
run the type checker before committing | type-check before commit | run mypy before committing |
  check types before committing | no type errors in commits | types must check out before a commit
run the linter before committing | lint before commit | do not commit lint errors | code must pass
  lint before commit | commits are free of lint findings | style problems are found before the
  commit
merge only when ci is green | do not merge until ci passes | do not merge on red | ci must pass
  before merging | never merge a failing build | red builds block merging | green ci required to
  merge | never merge red | do not merge with failing checks | all checks pass before merging | do
  not merge while tests fail | a red build stops the merge | what fails in the pipeline stays out
  of main | broken branches are not merged | the pipeline has to pass first
require review before merging | no merge without review | changes need approval before merging |
  get approval before merging | never merge your own pull request | two people look at every
  change | another developer reviews before merging | no unreviewed code on main | no self-merging
  | pull requests need an approval | pull requests require a review | a second pair of eyes on
  every change | nothing lands on main without review | nobody merges alone | four eyes on every
  change | a colleague has to look at the code | code that nobody else has seen does not get in |
  at least one approval per pull request
never skip commit hooks | do not use --no-verify | never bypass hooks | no --no-verify | do not
  skip pre-commit hooks | never commit with --no-verify | hooks are not optional | local checks
  must run on every commit | let the hooks run
treat warnings as errors | fail the build on warnings | no compiler warnings | warnings fail the
  build | build without warnings | zero warnings | builds must be free of warnings | warnings
  break the build | compile with -werror | do not ignore compiler warnings | the compiler output
  has to be clean | a warning stops the build | code compiles without a single warning | no
  warning is acceptable in the build
fail the build on lint errors | lint errors break the build | lint errors fail ci | style
  violations block the merge | lint must pass in ci | ci fails on lint errors | style errors stop
  the pipeline | the pipeline rejects code with lint findings
fail fast | crash early | stop at the first error | fail early | crash immediately on errors |
  abort at the first error | exit immediately on errors | do not carry on in a broken state | stop
  as soon as something is wrong | errors surface immediately | better to crash than to go on with
  bad data
fail fast on invalid configuration | validate configuration at startup | refuse to start with
  invalid configuration | check settings at startup | stop at startup when a setting is missing |
  missing settings abort startup | a wrong setting prevents the start | the service refuses to
  boot when settings are missing | bad settings are noticed at launch | the process does not come
  up with broken settings | check the environment before serving
never swallow exceptions | no empty catch blocks | do not ignore exceptions | do not silently
  ignore errors | fail loudly | errors must not pass silently | avoid silent failures | no silent
  failures | never hide errors | do not suppress errors | no empty except blocks | never catch and
  ignore errors | surface errors | an empty catch hides bugs | do not silence errors | every error
  is either handled or passed on | problems must be visible | an error that nobody sees cannot be
  fixed | do not pretend that nothing happened | empty catch blocks are forbidden
catch specific exceptions | no bare except | avoid catch-all | never catch all exceptions | do not
  catch everything | narrow except clauses | catch only exceptions you can handle | avoid broad
  exceptions | no blanket exception handlers | know which error you expect | handle the error
  types you expect and nothing else | do not catch what you did not expect | programming mistakes
  must not be caught
prefer explicit over implicit | avoid magic | explicit is better than implicit | no hidden magic |
  be explicit | behavior should be obvious from the code | nothing should happen behind the scenes
  | no surprises through hidden conventions | the reader should see what happens | avoid hidden
  behavior
prefer composition over inheritance | avoid class hierarchies | avoid deep inheritance | compose
  objects instead of subclassing | build from parts instead of subclassing | avoid inheritance |
  inject collaborators instead of subclassing | do not subclass for code reuse | combine small
  objects | has-a rather than is-a | reuse through delegation and not through subclasses | no deep
  class trees | build objects out of other objects
avoid global state | no global variables | no singletons | no module-level state | avoid mutable
  globals | pass state explicitly | do not share state through globals | no mutable module-level
  variables | no state outside of functions and objects | module variables must not change at
  runtime
use dependency injection | pass dependencies through the constructor | inject collaborators |
  classes get their dependencies from outside | pass collaborators in | collaborators come through
  the constructor | inject instead of instantiating | do not instantiate services inside classes |
  objects are given what they need | dependencies are handed in from outside | do not create your
  own collaborators | wire objects together at the edge of the program
depend on abstractions | program to an interface | depend on interfaces instead of implementations
  | do not depend on concrete classes | rely on abstractions instead of implementations |
  interfaces over implementations | depend on abstractions instead of implementations | callers
  must not know the concrete class | swap the implementation without touching the callers | the
  core does not know the details
single responsibility | functions do one thing | one job per function | one job per class | a
  class has one job | each module has one purpose | separation of concerns | a unit has one thing
  to do | if you need an and to describe it split it | every function has one task | do not mix
  several concerns in one class
keep functions small | avoid long functions | split long functions | functions fit on a screen |
  break up large functions | short functions | avoid giant functions | no long methods | a
  function should fit on one screen | long methods get split up | extract parts of a long function
  | no function of hundreds of lines
keep components small | split large components | break up big components | one component one job |
  a component that does too much gets divided | extract subcomponents
avoid duplication | do not repeat yourself | single source of truth | no copy-paste | extract
  repeated code | avoid repeated code | share code instead of copying | reuse instead of copying |
  no duplicated code | factor out repeated code | write it once | the same logic must not exist
  twice | fix a bug in one place only | knowledge has a single home | extract what appears three
  times | do not copy code around
keep it simple | avoid complexity | avoid over-engineering | simple over clever | readable over
  clever | avoid clever code | no clever tricks | simplest thing that works | prefer simple
  solutions | readability over cleverness | simplicity over cleverness | do not over-engineer | no
  unnecessary complexity | choose the simplest solution | clear code beats clever code | the
  simplest code wins | the obvious solution is the best | no fancy constructs | code should be
  easy to understand | complexity needs a reason | do not show off
yagni | no speculative features | do not build for hypothetical needs | avoid speculative
  generality | only what the ticket asks for | no code for requirements that do not exist yet |
  the future requirement may never come | leave out what nobody asked for
avoid premature optimization | measure before optimizing | profile before optimizing | no
  optimization without a profile | do not optimize without measuring | optimize only after
  measuring | no tuning without measurements | no performance work without numbers | find the
  bottleneck before optimizing | back performance claims with benchmarks | first make it work then
  make it fast | no speedups without evidence | performance work starts with a measurement |
  numbers before tuning | prove that it is slow first
early return | avoid nested conditionals | guard clauses instead of nesting | return early instead
  of nesting | no deep nesting | avoid deep nesting | keep nesting shallow | flatten nested code |
  no nested ifs | limit nesting | handle special cases first | leave the function as soon as you
  can | keep the happy path unindented | invert the condition and return | the main path is not
  indented
avoid magic numbers | give literals a name | replace magic numbers with constants | no unexplained
  numbers | constants instead of magic numbers | no hardcoded numbers | a number in code needs a
  name | no mysterious numbers | literals get a name that explains them | why is it 42
descriptive names | meaningful names | no single-letter names | names tell their purpose | avoid
  cryptic names | names reveal intent | self-explanatory names | choose expressive names | no
  one-letter variables | a name says what the thing is for | readers should understand a variable
  without comments | x and tmp are not names | a good name needs no comment | choose names that
  explain themselves
spell words out | full words in names | do not abbreviate names | usr is not a name | do not
  shorten words in names | prefer long names over cryptic ones | write button and not btn
delete dead code | remove unused code | no dead code | delete commented-out code | no
  commented-out code | remove code nobody uses | remove unreachable code | do not keep old code
  around | git remembers old code | remove commented-out code | do not leave commented-out code |
  what is not called goes away | version control keeps the old code | nothing stays just in case |
  do not comment out code delete it | code that cannot run has to go
comments explain why | no comments that restate the code | do not restate the code in comments |
  avoid obvious comments | comments describe why | comments should not repeat the code | the code
  already says what it does | do not narrate the code | a comment tells the reason behind a
  decision | comments are for what the code cannot say
no todo comments | todos belong in the issue tracker | open an issue instead of a todo | do not
  leave todos in code | turn todos into tickets | track todos as issues | no todos without a
  ticket | file an issue instead of leaving a todo | open work is tracked in tickets | a todo
  without an issue is forgotten | unfinished work does not hide in comments
no debug prints | remove print before commit | use a logger instead of print | logging instead of
  print | no leftover debugging output | do not debug with print | remove debug statements | no
  print in production | no print statements | log instead of printing | replace print with logging
  | no print in library code | print is for debugging only | console output is not logging | clean
  up console.log before merging | production code never prints | leave no traces of debugging
use structured logs | emit logs as json | log in json | logs are machine-readable |
  machine-readable logs | logs must be parseable | key-value logs | logs can be queried by field |
  machines read logs first | every log entry is a json object | log fields and not sentences
add a correlation id to logs | request id in logs | trace requests across services | propagate the
  request id | log the correlation id | every line tells to which request it belongs | a request
  can be traced through all services | log lines of one request can be found together
set timeouts on network calls | every network call has a timeout | no request without a timeout |
  requests must time out | never wait forever | timeouts on all requests | no network call may
  hang forever | no unbounded waits | external calls need a timeout | set a timeout on outgoing
  requests | never wait indefinitely | http calls have a timeout | a dead server must not hang us
  | no call may block forever | a slow service must not take us down | give up when the other side
  does not answer | waiting has an upper bound
retry with exponential backoff | exponential backoff for retries | double the wait after each
  retry | wait longer between retries | increase delay between retries | retries back off
  exponentially | back off when retrying | retry with increasing delays | do not hammer a service
  that is down | each retry waits longer than the one before | wait twice as long after every
  failure | give a failing service time to recover
same request twice has the same effect | running twice changes nothing | can be run repeatedly |
  repeated calls have no extra effect | retries must not duplicate effects | a repeated request
  must do no harm | doing it twice is the same as doing it once | duplicates have no effect |
  sending it again changes nothing | it does not matter how often it runs
graceful shutdown | finish requests before exiting | drain connections before shutdown | drain
  requests on shutdown | running requests are completed before the process ends | no request is
  lost when a pod stops | finish what you started before exiting | a restart must not drop
  requests
use context managers | close files with a with statement | open files with a with statement | do
  not leak file handles | context managers for files | use using statements for disposables |
  files are opened in a with block | close files deterministically | a file is closed even when an
  error happens | resources are released automatically | never forget to close a file | let with
  close it | cleanup happens even on exceptions
use a connection pool | reuse database connections | pool connections | do not open a connection
  per request | no connection per request | no new connection for each query | share connections
  through a pool | connections are expensive so reuse them | do not connect anew for each query |
  database connections are shared and reused | borrow a connection and give it back
cache expensive results | do not compute twice | memoize expensive functions | cache slow queries
  | do not recompute expensive values | remember expensive results | avoid repeated expensive
  computations | cache costly calls | memoize expensive computations | never compute the same
  thing twice | keep results that are costly to compute | answer repeated questions from memory |
  slow lookups are remembered
invalidate the cache on write | no stale cache | never serve stale cache entries | evict the cache
  when data changes | drop cache entries after writes | stale data must not be served | a write
  makes cached copies void | the cache never shows old values | readers see the new value after a
  write
set an expiry on cache entries | cache entries expire | every cache key has an expiry | no cache
  entry without expiry | give cached data an expiry | nothing is cached forever | cached values
  have a maximum age | entries disappear from the cache after a while
lazy load images | load images on demand | defer images below the fold | load off-screen images
  lazily | fetch pictures only when they become visible | images outside the screen wait | do not
  download what nobody looks at
debounce input | wait until typing stops | do not search on every keystroke | no request per
  keystroke | delay search until the user stops typing | throttle keystrokes | do not fire on
  every key press | wait for a pause in typing | searching starts when the user stops typing
stable keys in lists | no array index as key | do not use the index as key | unique keys for list
  items | stable key for list items | avoid index keys | never use the list index as react key |
  the position is no identity | items keep their key when the order changes | use an id and not
  the position as key
functional components | no class components | function components instead of classes | components
  as functions | hooks instead of classes | avoid class components | write components as functions
  | components are plain functions | write no components as classes | hooks replaced classes
share state through the parent | no duplicated state in components | move shared state to the
  parent
no prop drilling | avoid prop drilling | use context instead of passing props down | do not pass
  props through many levels | do not hand props through five levels | deep components get data
  from context
semantic html | use proper html elements | no div buttons | buttons are button elements | native
  html elements | semantic elements instead of divs | do not use div for buttons | the right
  element for the job | clickable things are buttons and links | html tags carry meaning
alt text for images | images need alt text | describe images for screen readers | every image has
  alt text | no image without alt text | blind users must know what a picture shows | pictures
  have a textual description | every picture is described in text
keyboard accessible | usable without a mouse | support keyboard navigation | works with the
  keyboard | everything reachable by keyboard | usable with the keyboard | operable by keyboard |
  the mouse is optional | tab reaches every control | all actions are possible without a mouse |
  people without a mouse can use everything
no inline styles | css in stylesheets | avoid style attributes | styles belong in stylesheets |
  use classes instead of inline styles | appearance is defined in css | looks belong in the
  stylesheet | no css in markup
strict typescript | strict tsconfig | enable strict in tsconfig | typescript strict mode | strict
  true in tsconfig | tsconfig is strict | the compiler is set to its strictest level | all strict
  checks of the compiler are on | null checks by the compiler
avoid reassignment | const by default | declare variables with const | let only when reassigned |
  a variable that never changes is a constant | bindings do not change | prefer bindings that
  cannot be reassigned
no callback pyramids | avoid callback hell | async functions instead of callbacks | no promise
  chains | avoid nested callbacks | asynchronous code reads like synchronous code | no pyramid of
  callbacks | flat asynchronous code
handle promise rejections | no floating promises | await every promise | no unhandled promises |
  do not ignore promises | no unhandled rejections | catch errors from promises | every promise is
  awaited or caught | no promise may fail unnoticed | an async error must not get lost
do not block the event loop | heavy work off the main thread | cpu work in a worker | no blocking
  calls in async code | move heavy computation to a worker | no synchronous io in async functions
  | avoid blocking in async code | no blocking io in async code | offload cpu work to a thread |
  long computations run in another thread | nothing slow in the main loop | the server must stay
  responsive during heavy work | no synchronous file access in a request handler
immutable data | do not mutate arguments | return new objects | avoid mutation | prefer
  immutability | copy instead of mutating | frozen dataclasses | never mutate inputs | frozen data
  | immutable data structures | objects never change after creation | objects do not change after
  they were made | make a copy instead of changing | nobody changes a value behind your back |
  functions do not modify what they are given | values never change in place
pure functions | no side effects in functions | output depends only on input | result depends only
  on arguments | functions without side effects | avoid side effects | same input same output |
  same arguments same result | a function only computes a value | functions do not touch the
  outside world | no hidden inputs or outputs
avoid mutable default arguments | no list as default argument | default arguments must be
  immutable | never default to an empty list | no dict as default argument | a default list is
  shared between calls | defaults are created once so they must not be changed | create the list
  inside of the function | use none and create the list in the body
use type hints | annotate functions with types | type annotations everywhere | typed function
  signatures | no untyped functions | type hints on all functions | signatures say which types
  they take | the type checker knows every argument | parameters and return values are typed | no
  function without types
use pathlib | path objects instead of strings | no os.path | do not join paths as strings | avoid
  os.path | no string paths | do not handle paths as text | paths are objects and not text | no
  string concatenation for file names
use f-strings | no percent formatting | f-strings instead of format | interpolate with f-strings |
  no str.format | avoid str.format | put the variable right into the string | modern string
  interpolation | the old percent formatting is out
comprehension instead of loop | replace map and filter with comprehensions
process data lazily | stream large data | avoid loading large files into memory | read files in
  chunks | process large files in chunks | iterate instead of building lists | do not read the
  whole file into memory | stream large files | generators for large datasets | process large
  datasets lazily | memory must not grow with the input | process one item at a time | files
  larger than memory must work | never hold the whole dataset in memory | read line by line
no wildcard imports | no import star | import names explicitly | avoid star imports | readers must
  see where a name comes from | every imported name is listed | the namespace stays clean
no circular imports | modules must not import each other | no dependency cycles | break import
  cycles | avoid circular imports | two modules never need each other | the dependency graph has
  no loops | imports go in one direction
sort imports | isort imports | imports in alphabetical order | order imports | imports are sorted
  | the import block is ordered | a tool orders the imports | keep the import block tidy
no unused imports | remove unused imports | delete imports nobody uses | clean up imports | every
  import is needed | nothing is imported that nobody uses | the import list contains no leftovers
no magic strings | enums instead of strings | no stringly typed values | fixed values as enum |
  closed set of values as enum | avoid stringly typed code | enum for fixed sets of values |
  represent states as enums | a fixed set of choices is not a string | typos in status strings
  must be impossible | named values instead of free text | constants that belong together form an
  enum
no plain dicts for data | data classes instead of dicts | typed objects instead of dictionaries |
  structured objects instead of dicts | avoid passing dicts around | data travels in typed objects
  | no anonymous dictionaries between functions | a dict with known keys is a class | give
  structured data a class
decimal for money | no floats for money | never use float for money | money is never a float | do
  not store prices as floats | prices are never floats | amounts are decimals | cents must never
  get lost to rounding | rounding errors are unacceptable in prices | binary floating point cannot
  represent money | amounts are stored as integers of cents
compare floats with a tolerance | never compare floats with == | no exact float comparison |
  approximate float comparison | do not test floats for equality | use isclose for floats | use
  pytest.approx | equality is meaningless for floating point | two floats are equal when they are
  close | rounding must not make a test fail
tests are independent | no shared state between tests | tests do not depend on order | isolate
  tests | tests must not affect each other | no test depends on another | tests independent of
  order | order of tests does not matter | run a single test and it works | shuffle the tests and
  all still pass | no test relies on another one having run | one test never leaves something
  behind for the next | a test brings its own data
no network in tests | mock external services | tests run offline | do not call real services in
  tests | stub http calls in tests | tests do not touch the network | mock third-party apis in
  tests | never call external apis in tests | fake remote services in tests | no real api calls in
  tests | mock external apis in tests | mock external services in tests | the suite runs on a
  plane | tests never leave the machine | remote services are replaced in tests | unplug the
  network and the tests still pass | tests use fakes for remote services
no real database in tests | mock the database in tests | in-memory database for tests
freeze time in tests | fake clock in tests | tests do not depend on the current date | inject the
  clock | control time in tests | no test depends on today | fixed time in tests | do not use the
  current time in tests | a test gives the same result tomorrow | tests do not look at the clock |
  a test run at midnight must not fail | control the clock in tests | the suite passes in any year
no sleep in tests | wait for a condition instead of sleeping | do not wait a fixed time in tests |
  poll instead of sleeping | avoid sleep in tests | no fixed waits in tests | tests never wait a
  fixed time | poll until the condition is true | a pause makes tests slow and flaky | waiting in
  tests is for an event and not for seconds
seed random in tests | fixed random seed | deterministic randomness in tests | random tests must
  be reproducible | set a random seed | seed random number generators | a failing random test can
  be repeated | the same random numbers on every run | random data must be reproducible
fix flaky tests | no flaky tests | repair unstable tests | flaky tests are bugs | do not tolerate
  flaky tests | never rerun flaky tests | unreliable tests must be fixed | tests must be
  deterministic | no random failures in tests | a test that sometimes fails is worthless | no
  rerunning until it is green | tests either always pass or always fail | unreliable tests destroy
  trust | intermittent failures are fixed at once
test-driven development | tdd | test before implementation | write the test before the code |
  start with a failing test | red green refactor | tests come before code | the test exists before
  the code | first the test then the code | no production code without a failing test | red then
  green then clean up | write the test up front
every bug fix has a test | regression test for every bug | reproduce bugs with a test | write a
  test before fixing a bug | failing test before a bug fix | a bug fix starts with a test | add a
  test when fixing a bug | cover bug fixes with tests | bug fixes need a regression test | write a
  regression test when fixing a bug | a bug must never come back | prove the bug with a test | the
  fix is done when a test guards it | each defect leaves behind a test | catch the bug in a test
  first
test behavior | do not test implementation details | test the public api | tests do not depend on
  internals | test what the code does and not how | avoid testing private methods | do not test
  private methods | test through the public interface | assert on behavior | tests survive
  refactoring | tests do not know how the code works inside | refactoring must not break tests |
  treat the unit as a black box | look at results and not at calls | internal changes leave the
  tests green
single assertion per test
parametrized tests | table-driven tests | do not copy tests for each value | one test for many
  inputs | parametrize instead of copying tests | parametrize cases | parametrize inputs | one
  test body and a table of cases | list the cases in a table | the same test with different data |
  do not duplicate a test for another value
descriptive test names | tests named after behavior | test names describe behavior | test name
  says what is expected | name tests after what they verify | a failing test tells by its name
  what is broken | the test name is a sentence | reading the names explains the feature
mock sparingly | avoid excessive mocking | no mocks of internal code | prefer real objects to
  mocks | use the real thing where it is fast enough | too many mocks test nothing | replace only
  what is slow or remote
shared setup in fixtures | no copied test setup | test setup in fixtures | no setup code in tests
document public functions | docstrings on public functions | public functions have docstrings |
  every public function has a docstring | no undocumented public functions | document the public
  api | docstring for every public function | others must be able to use a function without
  reading its code | every exported function explains itself | callers read the docstring and not
  the code | what users of the library call is described
keep the readme up to date | update the readme | stale readme is a bug | no outdated readme |
  update docs with the code | no stale documentation | documentation matches the code | outdated
  instructions are worse than none | the docs describe what the code does now | docs are part of
  the change | wrong documentation is a defect | newcomers must be able to trust the readme
update the changelog | changelog entry for every change | every release has release notes | note
  changes in the changelog | add a changelog entry | users learn what changed | every release says
  what is new | each user visible change is noted | release notes are written with the change
record architecture decisions | write adrs | architecture decisions in adrs | log architecture
  decisions | an adr for each decision | document why decisions were made | future developers must
  know why we chose this | write down why it was built this way | the reason for a design is kept
  in the repo | decisions do not live in chat
semantic versioning | breaking changes bump the major version | follow semver | version numbers
  follow semver | increase the major version on breaking changes | the version number tells
  whether it breaks | a major version means that something breaks | the number of a release says
  what to expect
backward compatibility | old clients must keep working | do not break existing clients | do not
  break the api | stay compatible with old clients | keep the api compatible | existing callers
  keep working | never break clients | an upgrade must not break anybody | existing integrations
  keep running | what worked yesterday works tomorrow | users can upgrade without changing their
  code | old clients are still served
deprecate before removing | announce removal in advance | warn before removing | deprecation
  period before removal | no removal without deprecation | mark as deprecated before removing |
  nothing disappears without notice | users get time to move away | warn for one version and
  remove in the next | a removal is announced one release ahead
run containers as non-root | no root in containers | dockerfile needs a user | set user in the
  dockerfile | containers do not run as root | drop root privileges in containers | never run
  containers as root | the process in the container has no root rights | an attacker in the
  container must not be root | the image switches to an ordinary user
pin base images | no latest tag | avoid the latest tag | base images with digest | fixed base
  image versions | never use latest images | pin image versions | pin image tags | the image
  builds the same next year | a base image must not change under us | latest is not a version |
  the from line names a version
multi-stage builds | build and runtime stage in docker | no compilers in the final image |
  separate build stage from runtime image | split the dockerfile into stages | no build tools in
  the final image | build tools stay out of the runtime image | only the artifact goes into the
  final image | compile in one image and run in another
small docker images | slim base images | minimal docker images | minimize docker image size | keep
  containers small | reduce image size | images contain only what runs | pulling the image must be
  quick | strip everything the app does not need | slim images start faster
no manual changes in the cloud console | manage infrastructure with code | no clicking in the
  console | define infrastructure in code | no manual infrastructure changes | no changes by hand
  on servers | servers can be recreated from the repo | nobody configures servers by hand | every
  server is described in files | changes to the cloud go through code | no clicks in the aws
  console | environments are built from code
automate deployments | no manual deployments | deploy by pipeline | deploy through ci | never
  deploy by hand | no deployment from a laptop | deployments are automated | nobody copies files
  to a server | a deployment needs no human hands | shipping is a push of a button | releases run
  from the pipeline and not from laptops
deploy to staging first | test on staging before production | nothing goes to production untested
  | verify on staging before release | try releases on staging before production | production
  never sees a change first | try it where users cannot be hurt | a release proves itself on a
  test system | nothing new goes straight to users
do not deploy on fridays | no friday releases | no deployments before the weekend | avoid friday
  deployments | never release on friday | nobody wants to work on saturday because of a release |
  no changes right before the weekend | release early in the week
roll back on failure | automatic rollback | revert failed deployments | unhealthy releases are
  rolled back | roll back when health checks fail | failed deployments are reverted | failed
  releases roll back | a bad release goes away by itself | return to the last good version when
  something breaks | the previous version comes back automatically | users should not suffer from
  a broken release
hide unfinished work behind flags | hide features behind flags | ship dark | dark launch | merge
  unfinished features disabled | put new features behind a flag | new code can be switched off
  without a deploy | risky changes can be turned off | switch features on step by step | users see
  a feature only when we switch it on | release and deploy are two things
services report their health | liveness and readiness probes | the platform can tell whether we
  are alive | a sick instance gets replaced | orchestrators need to know when a service is ready
back up before migrating | backup the database before migrations | dump the database before
  migrations | snapshot the database before migrating | no migration without a backup | take a
  backup before migrations | you must be able to return to the state before the migration | save
  the data before touching the schema | no schema change without a way back | take a snapshot
  first | copy the data somewhere safe before altering tables
restore backups regularly | untested backups do not count | verify backups by restoring | test
  backups by restoring | practice restoring backups | try restoring backups | rehearse restores |
  a backup is only good if it can be read back | prove that backups work | try to recover from
  your backups | know that you can recover
alert on symptoms | alert on error rates | no alert for single errors | page on user impact |
  alerts must be actionable | no noisy alerts | wake people only when users suffer | pages are for
  problems that users notice | nobody should be woken by noise | every page needs an action
use a write-ahead log | readers must not block writers in sqlite | sqlite under concurrent access
no unbounded queues | queues have a maximum size | cap the queue | put a limit on queues | bounded
  queues | memory must not fill up with waiting jobs | reject work when too much is waiting |
  apply backpressure | a producer must not outrun its consumer
limit concurrency | bound parallelism | no unlimited parallelism | use a semaphore for concurrency
  | not everything at once | only so many tasks at a time | a fixed number of workers
guard shared state with locks | lock shared state | no unsynchronized access | two threads never
  write at once | protect shared state with a lock | synchronize access to shared state | guard
  mutable state with a mutex | no data races | concurrent writes are serialized | only one thread
  at a time touches it | threads take turns on shared data
read code before changing it | understand before editing | read the file before editing | read
  existing code first | study the code before modifying | read before you edit | understand code
  before changing it | read files before editing them | know what is there before you touch it |
  look first then change | do not edit what you have not read | get to know the module before you
  edit | first understand then modify
plan before coding | present a plan first | agree on the approach before coding | no coding
  without a plan | show the plan before implementation | think before coding | discuss the design
  before implementation | write a plan before implementation | propose an approach before coding |
  outline the approach before writing code | do not start typing right away | tell me what you
  intend to do before you do it | agree on a plan first | no code before we have talked about it |
  design first and code later | i want to see a plan
ask when unclear | do not guess requirements | clarify ambiguous requirements | ask instead of
  assuming | ask questions when in doubt | when in doubt ask | no assumptions about requirements |
  ask for clarification instead of guessing | if unsure ask | ask when requirements are unclear |
  ask when uncertain | better one question too many | do not invent requirements | never fill gaps
  with guesses | if something is missing ask me | questions are cheaper than wrong code
do not touch unrelated code | no unrelated refactoring | no drive-by changes | keep the diff small
  | do not refactor unrelated code | touch only relevant files | small diffs | minimal diff | no
  scope creep | avoid unrelated changes | limit changes to the task | do not fix unrelated things
  | leave everything else alone | do what was asked and no more | the diff contains nothing
  unrelated | no surprise refactoring | stick to the ticket | keep your hands off other code
short answers | brief replies | keep answers short | answer briefly | no essays | concise answers
  | keep responses concise | get to the point | no walls of text | say it in a few sentences |
  skip the pleasantries | i do not want to read long replies
do not edit generated files | change the template and regenerate | never touch generated code |
  generated code is not edited by hand | regenerate instead of editing | no manual changes to
  generated code | changes there are overwritten | fix the generator and not its output |
  generated output is read-only | edit the source and run the generator
do not commit generated files | keep build artifacts out of git | no build output in git | ignore
  generated files in git | build artifacts do not belong in version control | gitignore build
  output | artifacts are built and not stored | the repository holds sources only | what can be
  built does not go into git
tests next to code | colocate tests | test files next to the code they test | keep tests near the
  source | a module and its tests live side by side | look for the test beside the file | every
  file has its test in the same folder
thin controllers | no business logic in controllers | controllers only delegate | keep controllers
  thin | controllers handle only http | the controller only passes data on | decisions are made in
  services | endpoints contain no rules of the business | web code knows nothing about the rules
  of the domain
domain layer free of frameworks | no framework in the domain | domain code knows no framework |
  domain does not import frameworks | keep frameworks out of the domain | framework-free domain |
  the core could run without a web framework | business code knows nothing of the web | replacing
  the framework leaves the domain alone | the heart of the application has no third-party imports
quote shell variables | double quote variables in bash | unquoted variables break on spaces | put
  quotes around shell variables | a file name with blanks must not break a script | word splitting
  must not happen | shell expansions stand in double quotes
set -euo pipefail | stop shell scripts on errors | shell scripts exit on errors | bash scripts
  fail on errors | scripts stop at the first error | a script must not go on after a failed
  command | errors in scripts must not go unnoticed | undefined variables are errors in bash
non-zero exit on failure | failed scripts return an error code | exit code reports failure | never
  exit 0 on failure | signal failure by exit code | exit with an error code on failure | the shell
  must be able to tell that it failed | callers see failure in the exit code | ci must notice when
  a script fails | a failing command reports failure to its caller
end files with a newline | trailing newline | final newline in files | no missing newline at end
  of file | the last line of a file is terminated | text files end properly
limit line length | lines fit in columns | wrap long lines | code is readable without scrolling
  sideways | no horizontal scrolling | long statements are wrapped
require two-factor authentication | password alone is not enough | second factor for login |
  enforce 2fa | mfa for everyone | a stolen password is not enough | login needs a second device |
  accounts are protected by more than a password
encrypt data at rest | stored data is encrypted | encrypt stored data | encrypt disks | encrypt
  the disk | data on disk is encrypted | a lost laptop reveals nothing | stolen backups are
  unreadable | files on the server are encrypted
use absolute imports | no relative imports | avoid relative imports | import paths start at the
  package root | no dots in imports | moving a file must not break its imports
no default exports | avoid default exports | ban default exports | every export has a fixed name |
  the importer does not choose the name
server state in react query | fetched data does not belong in redux | no server data in redux |
  keep server data out of redux | api data is not global client state | caching of remote data is
  not our job
optimistic updates | update the ui before the server answers | show changes before the server
  confirms | the interface reacts before the server does | do not let the user wait for the server
  | show the result right away and undo on failure
uuid primary keys | no sequential ids | non-guessable ids | avoid auto-increment ids | ids are not
  guessable | unguessable ids | no guessable ids | ids reveal nothing about the number of rows |
  nobody can guess the next id | keys can be made on the client
api version in the path | api version in the url | v1 in the url | old and new clients can live
  side by side | every url says which version it is | a breaking change gets a new version of the
  endpoint
rest resources are nouns | nouns instead of verbs in urls | no verbs in urls | endpoints named
  with nouns | no verbs in endpoint names | a url names a thing and the method the action | urls
  contain no actions | the http method is the verb
no 200 for errors | errors use 4xx and 5xx | an error is not a 200 | clients can tell success from
  failure by the status | the status tells what went wrong
reproduce before fixing | reproduce the bug first | no fix without reproduction | understand the
  bug before fixing | see the bug with your own eyes first | do not fix what you cannot reproduce
fix the root cause | do not patch symptoms | treat the cause instead of the symptom | no band-aid
  fixes | find the cause before fixing | no workarounds | do not cure the symptom | find out why
  it happened | no quick patches | understand the failure before mending it | go to the bottom of
  a problem
parse at the boundary | check input at the edge | validate input where it enters | parse input at
  the edge of the system | inside the system data is trusted | check once where data comes in |
  bad data never gets past the entrance
type-check in ci | run the type checker in ci | run mypy in ci | ci checks types | type errors
  stop the pipeline | the pipeline runs the type checker
run tests in ci | ci runs the tests | every push runs the tests | automated tests on each push |
  no change without the suite having run | every push is tested | the server runs the suite for
  each change
parallel tests | run tests in parallel | shard tests | split tests over runners | distribute tests
  over workers | the suite uses all cores | split the suite over several machines | tests run side
  by side
cache dependencies in ci | do not download dependencies in every build | reuse installed packages
  in ci | cache packages between builds | the pipeline does not start from zero | packages are
  downloaded once | installing must not take minutes in each run
no business logic in sql | avoid stored procedures | logic in code instead of stored procedures
include context in error messages | helpful error messages | error messages say what to do |
  meaningful error messages | actionable error messages | error messages tell what went wrong | an
  error says what went wrong and with which value | the user must know what to do next | a message
  names the value that was bad | errors help to find the cause | nobody can debug an error without
  details
throw custom exceptions | domain specific exceptions | custom error types | define exception types
  for the domain | custom exception classes | callers can tell errors apart by their type | own
  error types for own errors | business errors have their own class
commit messages like orders | imperative commit messages
reports from replicas | reporting runs on replicas | no reports on the primary | heavy reads must
  not slow down writes | analytics stays away from the primary | big queries run on a copy
batch inserts | insert in bulk | no row by row inserts | bulk inserts | do not insert one row at a
  time | insert many rows at once | many rows in one statement | do not insert in a loop | write
  rows together
batch requests | combine requests | fetch many items in one call | reduce round trips | fewer
  round trips | one call instead of a hundred | chatty apis are slow | group calls to the server |
  save network round trips | fetch everything at once
stream responses | do not buffer whole responses | no full response in memory
delegate time-consuming work to a queue | background jobs for slow work | slow work off the
  request path | heavy work in background jobs | no slow work in request handlers | run long tasks
  in the background | the user must not wait for slow jobs | answer at once and work later | long
  jobs are not done during a request | sending mail happens in the background
every value has a proper type | do not switch off the type checker | the escape hatch of the type
  system is closed | use unknown when you do not know
a file holds a single class | file and class have the same name
write meaningful commit messages | commit messages explain why | a commit message tells the reason
  | no commit messages like fix or wip | the log should tell why a change was made | describe the
  change in the commit message | no vague commit messages
ignore build output in git | keep build artifacts and dependencies in gitignore | node_modules
  does not belong in git
no large binaries in git | use git lfs for large files | keep binary files out of the repository |
  big files do not belong in version control | store large assets outside of git
automate code formatting | let a tool format the code | no manual formatting | formatting is done
  by a program | no discussions about style in reviews | format on save | nobody argues about
  whitespace
run linters in pre-commit hooks | hooks check the code before it is committed | install the
  pre-commit hooks
limit upload size | restrict the size of uploaded files | no uploads of any size | reject huge
  uploads | limit the size of the request body | cap the size of requests
check uploaded files | validate the type of uploaded files | do not trust file extensions |
  uploaded files are checked before they are stored
restrict cors origins | no wildcard in cors | allow only known origins | only our own sites may
  call the api from a browser | never allow all origins
use csrf tokens | protect forms against csrf | forged requests must be refused | every form
  carries a token
use httponly cookies | scripts must not read session cookies | session cookies are out of reach of
  javascript | mark session cookies httponly
use secure cookies | cookies only over https | send cookies over encrypted connections only
no eval | never execute strings as code | avoid eval | do not run code from strings | user input
  must never be executed
avoid shell injection | no shell=true | pass commands as a list | do not build shell commands from
  user input | never pass user input to a shell | no string concatenation for shell commands
do not deserialize untrusted data | no pickle for untrusted data | never unpickle data from
  outside | untrusted data must not be deserialized into objects
use safe yaml loading | use yaml.safe_load | never use yaml.load | load yaml safely
use cryptographically secure random numbers | use the secrets module for tokens | no math.random
  for tokens | tokens must not be predictable | do not use random for security
no md5 | no weak hash functions | do not use md5 or sha1 for security | avoid broken hash
  algorithms
never invent cryptography | use proven crypto libraries | do not write your own crypto | no
  home-made encryption
lock accounts after failed logins | too many wrong passwords lock the account | stop password
  guessing | limit login attempts
do not reveal internal errors to users | no stack traces for users | hide implementation details
  from error pages | users never see a traceback | error pages say nothing about the system
do not reveal whether a user exists | same answer for unknown users and wrong passwords | login
  errors do not tell which part was wrong
use prepared sessions timeouts | sessions expire after inactivity | log out idle users | idle
  sessions end
keep an audit log | log who did what | record security relevant actions | it must be known who
  changed what
review permissions regularly | remove access that is no longer needed | people who leave lose
  their access | revoke unused access
use a web application firewall | filter malicious traffic
use database constraints | let the database enforce integrity | invalid rows must be impossible |
  foreign keys protect references | no orphaned rows | the schema guards the data
use migrations for schema changes | no manual schema changes | never change the schema by hand |
  schema changes go through migrations | the schema is versioned
make migrations backward compatible | old code must work with the new schema | expand then
  contract | add columns before using them | deploy schema changes before code
keep transactions short | no long transactions | do not hold transactions open | no network calls
  inside of a transaction | a transaction must not wait for a user
look at query plans | run explain on slow queries | check the execution plan of slow queries |
  know why a query is slow
index columns used in queries | add indexes for frequent queries | index what you filter on |
  columns in where clauses need an index | slow lookups get an index
remove unused indexes | drop indexes that nobody uses | every index slows down writes
archive old data | move old rows away | do not keep data forever | delete data after its retention
  period | old records go to the archive
normalize data | no duplicated data in tables | each fact is stored once in the database
use read-only connections for reports | reporting must not change data
use a cdn for static files | serve static assets from a cdn | static files come from a cdn
compress responses | enable gzip | responses are compressed | send less over the wire
cache static assets | long cache headers for static files | hashed file names for assets |
  browsers keep static files
split bundles | code splitting | load code on demand | lazy load routes | do not ship everything
  at once | users download only the code they need
minimize bundle size | keep bundles small | small javascript bundles | remove unused javascript |
  ship less javascript
optimize images | compress images | serve images in modern formats | no huge pictures on pages |
  right size for images
virtualize long lists | render only visible rows | do not render thousands of rows | long lists
  are windowed
mobile first | design for small screens first | start with the phone layout
responsive layout | the layout works on every screen size | no fixed widths | pages adapt to the
  screen
avoid important in css | no !important | specificity instead of important
use design tokens | no hard-coded colors | colors come from variables | use css variables for
  colors | no hex values in components
label form fields | every input has a label | inputs need labels | form fields are labelled | no
  input without a label
sufficient color contrast | text must be readable against its background | check the contrast of
  colors | no light gray text
manage focus | focus moves into dialogs | visible focus outlines | do not remove focus outlines
translate all texts | no hard-coded strings in the ui | user visible texts come from translation
  files | every text can be translated | externalize strings
show loading states | tell users that something is loading | no blank screen while loading | show
  a spinner while waiting
show helpful error states | errors in the ui offer a way out | tell users what they can do | no
  dead ends
confirm destructive actions | ask before deleting | deleting needs a confirmation | no delete
  without a question | destructive commands ask first | confirm before running destructive
  commands
clean up effects | cancel subscriptions on unmount | remove listeners when components unmount |
  effects clean up after themselves | no leaks from effects
do not copy props into state | derive state instead of storing it | no derived state | compute
  values during render | state holds only what cannot be computed
use error boundaries | a broken component must not take down the page | catch render errors
custom hooks for shared logic | extract logic into hooks | reuse logic through hooks
validate environment variables | check required environment variables on start | typed
  configuration | parse the environment into a settings object
one place for configuration | configuration in one module | no scattered settings | read the
  environment in one place | settings come from a single module
separate configuration from code | no configuration in code | nothing environment specific in the
  code | the same build runs everywhere | config differs by environment and code does not
test edge cases | test boundary values | cover corner cases with tests | test empty and huge
  inputs | tests include unusual inputs
test error paths | failures are tested too | test what happens when things fail | not only the
  happy path
more unit tests than end-to-end tests | follow the test pyramid | few end-to-end tests | prefer
  fast tests | most tests are unit tests
keep tests fast | slow tests are not run | a fast test suite | the suite finishes in minutes |
  tests must be quick
clean up test data | tests leave nothing behind | remove what tests created | every test cleans up
arrange act assert | structure tests in three parts | given when then
do not share fixtures between tests | each test builds its own data | no shared test data
snapshot tests sparingly | avoid large snapshots | few snapshot tests | snapshots hide intent
coverage is not a goal | do not write tests for coverage alone | meaningful tests over coverage
property-based tests for parsers | generate test inputs | let the machine find inputs
load test before release | know how much traffic it can take | test under realistic load |
  performance tests before launch
canary releases | roll out to a few users first | release gradually | gradual rollout | increase
  traffic step by step | a small share of users gets it first
zero downtime deployments | deploy without downtime | no interruption during deployments | users
  do not notice a deployment | rolling updates
same artifact in all environments | build once deploy many | promote the same build | no rebuild
  for production | what was tested is what is shipped
reproducible builds | same source same binary | builds do not depend on the machine | works on my
  machine is no excuse | the build gives the same result everywhere
fast pipelines | keep ci fast | short feedback loops | the pipeline finishes in minutes | nobody
  waits for ci
fix broken builds immediately | a red main branch is an emergency | repair the build before
  anything else | stop the line when the build breaks
remove stale feature flags | delete flags after launch | flags must not live forever | clean up
  old flags
define service level objectives | know how reliable the service must be | set targets for
  availability
collect metrics | measure what happens in production | expose metrics | every service reports
  metrics | you cannot improve what you do not measure
trace requests | distributed tracing | see where a request spends its time | follow a request
  through the system
log at the right level | use log levels | errors are logged as errors | no info logs for debugging
  | debug output at debug level
do not log in loops | no excessive logging | logs must not flood the disk | log sparingly
rotate log files | logs must not fill the disk | limit the size of logs
write postmortems | learn from incidents | every outage is analyzed | blameless review after an
  incident
write runbooks | document how to handle incidents | on-call people need instructions | every alert
  has a runbook
circuit breaker for external calls | stop calling a service that is down | protect yourself from
  failing services | open the circuit after failures
fall back when a service fails | degrade gracefully | the rest works when one service is down | a
  failing dependency must not take down everything
message queue between services | decouple services with events | services talk through events |
  asynchronous messages instead of direct calls
dead letter queue | keep messages that cannot be processed | failed messages must not be lost |
  park poisonous messages
consumers are idempotent | handle duplicate messages | a message may arrive twice | processing
  twice does no harm
store files in object storage | no files on the local disk of a server | uploads go to a bucket |
  servers keep no state on disk
stateless services | keep no state in the process | any instance can serve any request | sessions
  live outside of the server | servers can be replaced at any time
use api contracts | agree on the schema of the api first | contract first | design the api before
  writing it | api first
consistent error format | all errors have the same shape | errors follow one structure | one
  format for error responses
do not break the api contract | additive changes only | add fields and never remove them
use plural resource names | collections are plural in urls
filter and sort on the server | no filtering of large lists in the browser
document the api with openapi | keep an openapi spec | the api has a machine readable description
  | generate api docs from code
examples in the documentation | show how to use it | docs need examples | every function doc has
  an example
write for the reader | documentation is for newcomers | no jargon in docs | plain words in
  documentation
one-command setup | a newcomer can start within minutes | setting up takes one command |
  onboarding must be quick | the project runs after cloning
avoid boolean parameters | no flag arguments | two functions instead of a flag | boolean arguments
  are unreadable
few parameters | limit the number of parameters | no functions with many arguments | pass an
  object instead of many arguments
return one type | a function always returns the same type | no mixed return types
no null returns | return an empty list instead of null | avoid returning null | never return none
  for lists
raise exceptions instead of error codes | no error codes as return values | errors are exceptions
  | do not signal errors by return values
command query separation | a function either changes or answers | queries have no side effects
law of demeter | do not reach through objects | talk to friends only | no long call chains
encapsulate data | keep fields private | no public fields | hide internal state
avoid premature abstraction | duplicate before abstracting | rule of three | no abstraction for a
  single use | no interface with one implementation
boy scout rule | leave the code cleaner than you found it | improve code you touch | small
  cleanups along the way
consistent style | follow the existing style | match the surrounding code | new code looks like
  old code | stick to the conventions of the project
consistent naming | one word per concept | the same thing has the same name everywhere | use the
  terms of the domain | ubiquitous language
boolean names are questions | prefix booleans with is or has | booleans start with is
constants in upper case | uppercase names for constants
group imports | standard library imports first | separate third-party imports
relative order of members | public members before private ones
avoid regular expressions for parsing | use a parser for html | do not parse html with regex
use standard formats for dates | iso 8601 for dates | dates are written year month day
use units in names | name variables with their unit | a duration says its unit | timeout_ms and
  not timeout
use a state machine | explicit states instead of flags | no boolean soup | model states explicitly
make illegal states unrepresentable | types forbid invalid states | the type system rules out
  errors
exhaustive switch | handle every case | the compiler checks that all cases are handled | no
  default branch for enums
prefer type inference | do not annotate what the compiler knows | no redundant type annotations
no type assertions | avoid casts | do not cast types | narrow types instead of casting
no non-null assertions | avoid the exclamation mark operator | handle null instead of asserting
optional chaining | use the safe navigation operator
strict equality | use === | triple equals | no loose equality | never compare with ==
no side effects at import | importing a module does nothing | modules have no side effects on
  import
entry point guard | use if __name__ == main
use logging configuration once | configure logging at startup | libraries do not configure logging
use the right data structure | sets for membership tests | dictionaries for lookups | no list
  scans for lookups
avoid string concatenation in loops | join strings at once | build strings with join | collect
  parts and join
avoid deep copies | no needless copying | pass references instead of copies
avoid busy waiting | no polling loops | wait for events instead of polling | do not poll | use
  notifications instead of polling
acquire locks in a fixed order | avoid deadlocks | always lock in the same order
thread pool instead of threads | do not create threads without limit | reuse threads
cancel tasks that are not needed | support cancellation | pass the cancellation token | stop work
  nobody waits for
gather independent awaits | await independent calls together | run independent requests
  concurrently | do not await in a loop
unsubscribe from events | remove event listeners | no leaked listeners
profile memory | watch memory usage | find memory leaks | memory must not grow without bound
set resource limits | limit cpu and memory of containers | no container without limits | a
  container must not eat the whole machine
read-only containers | containers do not write to their filesystem | immutable containers
one service per repository | separate repositories
clear ownership | every module has an owner | somebody is responsible for each service | code
  owners
timebox research | limit the time for spikes | stop after an hour and ask
report progress | tell me what you are doing | keep me informed | say what you did
show the diff | show changes before applying them | let me see the changes first | no changes
  without showing them
ask before running commands | do not run anything without permission | destructive commands need
  my permission | ask before executing
do not create files unasked | no new files without need | edit existing files instead of creating
  new ones | no unrequested documentation files
use existing helpers | reuse existing functions | look for an existing utility first | do not
  reinvent the wheel | search before writing new code
verify before claiming | run it before saying it works | test your change before you say it is
  done | never claim success without checking | show that it works
work in small steps | one change at a time | small increments | step by step
commit after each step | commit working states
admit uncertainty | say when you do not know | do not pretend to know | no made-up answers | never
  invent facts | do not hallucinate apis
cite sources | give references | link the documentation | say where it comes from
respect the language of the project | write comments in english | english only in code
"""
