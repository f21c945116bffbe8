"""Acronyms and what they stand for -> groups of words that name the same.

The form is that of `lexicon_actions`. The trap: an acronym that is also a word ("it", "or", "us")
cannot stand here, since case tells nothing in a rule that shouts.
"""

ACRONYMS = """
apm: application performance monitoring
bdd: behavior-driven development, behaviour-driven development
cdn: content delivery network
cors: cross-origin resource sharing, cross origin resource sharing, cross-origin
cqrs: command query responsibility segregation
crud: create read update delete
csp: content security policy, content-security-policy, content-security-policy header
cte: common table expression
ddd: domain-driven design, domain driven design
ddos: denial of service, dos attack, denial-of-service
dlq: dead letter queue, dead-letter queue
dns: domain name system, name resolution
dom: document object model
dto: data transfer object
etl: extract transform load
fifo: first in first out
gc: garbage collection, garbage collector
gdpr: data protection regulation
gpu: graphics card
gui: graphical user interface
hmr: hot module replacement, hot reload, live reload
iac: infrastructure as code, infrastructure-as-code
iam: identity and access management
ide: editor, code editor, integrated development environment
kiss: keep it simple stupid
lgtm: looks good to me
llm: large language model, language model
lru: least recently used
lsp: language server protocol
lts: long term support, long-term support, long-term support release
mcp: model context protocol
mvc: model view controller, model-view-controller
mvp: minimum viable product
npe: null pointer exception
oom: out of memory, out-of-memory
oop: object-oriented programming, object oriented programming
owasp: owasp top ten
pep: python enhancement proposal
poc: proof of concept, prototype
qa: quality assurance
rbac: role-based access control, role based access control
rce: remote code execution
regression: regression bug
rest: restful, rest api, restful api
rfc: request for comments
rls: row-level security, row level security
rpc: remote procedure call
rtl: react testing library, testing library
sast: static application security testing
sbom: software bill of materials
sdk: software development kit
seo: search engine optimization
sha: git sha, commit sha, commit hash, git hash
sla: service level agreement
sli: service level indicator
slo: service level objective, service objective, service-level objective
solid: solid principle
spa: single page app, single-page app, single page application, single-page application
sre: site reliability engineering
srp: single responsibility rule
ssh: secure shell
ssr: server-side rendering, server side rendering, render on the server
ssg: static site generation
ssrf: server-side request forgery
sso: single sign-on, single sign on
tdd: test-driven development, test driven development, test-first
toc: table of contents
tsc: typescript compiler, run the typescript compiler
tsconfig: tsconfig.json, typescript configuration, typescript config
ui: user interface
ux: user experience
vm: virtual machine
vpc: virtual private cloud
vpn: virtual private network
xxe: xml external entity
present tense: / past tense
yagni: you are not going to need it, you aren't gonna need it
"""
