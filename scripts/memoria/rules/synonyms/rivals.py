"""Kinds of which a rule means one -> sets of rivals: who says mypy does not mean pyright.

One kind a line. Rules that share everything but such a word are different rules, however near
their meanings are to an embedding. The trap: a tool that stands here must not be a synonym in
`lexicon_things`, or it is joined before anybody asks whether it is a rival.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memoria.rules.synonyms.lookup import lexicon, stems

if TYPE_CHECKING:
    from collections.abc import Mapping

# names of tools, languages, services and formats; any two of a line are different things
NAMED = """
python, javascript, typescript, java, kotlin, golang, rust, ruby, php, swift, scala, c++, c#,
  perl, elixir, haskell, lua, clojure, erlang, groovy, bash, powershell, sql, html, css, ocaml,
  zig, f#, cobol, fortran, objective-c, zsh
postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, dynamodb, cassandra, cockroachdb,
  couchdb, firestore, snowflake, bigquery, clickhouse, duckdb, mssql, neo4j, supabase, firebase
redis, memcached, valkey, varnish
kafka, rabbitmq, sqs, nats, pulsar, activemq, celery, sidekiq, zeromq
mypy, pyright, pyre, pytype
eslint, tslint, biome, standardjs, oxlint, jshint
ruff, flake8, pylint, pycodestyle, black, yapf, autopep8, isort, prettier, gofmt, rustfmt, clippy,
  rubocop, stylelint, shellcheck, hadolint, golangci-lint, checkstyle, spotbugs, ktlint, dprint
pytest, unittest, jest, vitest, mocha, jasmine, junit, testng, rspec, minitest, xunit, nunit,
  phpunit, doctest
cypress, playwright, selenium, puppeteer, testcafe, webdriverio
npm, pnpm, yarn, bun, deno, npx
pip, poetry, uv, conda, pipenv, pdm, mamba, pipx
maven, gradle, sbt, bazel, cmake
webpack, vite, rollup, esbuild, turbopack, turborepo, nx, lerna, babel, swc
react, vue, angular, svelte, solidjs, preact, qwik, lit, jquery, htmx
redux, zustand, mobx, recoil, jotai, pinia, vuex, xstate
nextjs, next.js, nuxt, gatsby, astro, sveltekit
django, flask, fastapi, rails, laravel, nestjs, koa, symfony, sinatra, starlette, tornado,
  aiohttp, fastify, actix, axum
httpx, urllib, urllib3, axios, superagent
pydantic, marshmallow, zod, yup, joi, valibot, ajv
sqlalchemy, peewee, prisma, drizzle, typeorm, sequelize, knex, hibernate, activerecord, kysely
numpy, pandas, polars, dask, scipy, pytorch, tensorflow, jax, keras, scikit-learn
aws, azure, gcp, heroku, vercel, netlify, cloudflare, digitalocean
docker, podman, buildah, containerd
kubernetes, nomad, ecs, mesos
terraform, pulumi, ansible, cloudformation, cdk, bicep, opentofu, saltstack
jenkins, circleci, travis, gitlab, github, bitbucket, buildkite, teamcity
grafana, prometheus, datadog, kibana, splunk, sentry, newrelic, loki, jaeger, zipkin, honeycomb
nginx, apache, caddy, traefik, haproxy, envoy
tailwind, bootstrap, bulma, sass, scss, styled-components, material-ui
json, yaml, toml, xml, csv, ini, protobuf, avro, parquet, msgpack, markdown
graphql, grpc, trpc, websocket, websockets
jwt, oauth, saml, oidc, ldap, kerberos
bcrypt, argon2, argon2id, scrypt, pbkdf2, md5, sha1, sha256, sha-256, sha512, sha-1
aes, rsa, ecdsa, ed25519, chacha20
gzip, brotli, zstd, bzip2, deflate, lz4
slack, discord
jira, trello, asana, confluence, basecamp
vim, emacs, vscode, intellij, pycharm, neovim, sublime
linux, macos, windows, ubuntu, debian, fedora, centos
chrome, firefox, safari
ios, android
numpy, epytext, restructuredtext
stdout, stderr, stdin
utf-8, utf-16, ascii, latin-1
httponly, samesite
pathlib, os.path, shutil, glob
grep, ripgrep, sed
git, mercurial, svn, subversion, perforce
sigterm, sigint, sigkill, sighup
english, german, french, spanish, chinese, japanese, portuguese, italian, dutch, korean, russian
utc, cet, pst, est, gmt
euro, dollar, pound, yen
monday, tuesday, wednesday, thursday, friday, saturday, sunday
january, february, april, june, july, august, september, october, november, december
snake_case, camelcase, pascalcase, kebab-case
uuid, ulid, autoincrement, serial
"""
# what is said of a thing of one language, tool or system alone, so that naming that adds nothing
IMPLIED = """
python: f-string, pytest, mypy, pathlib, docstring, virtual environment, data class,
  comprehension, pydantic, django, flask, fastapi, pip, context manager, numpy, pandas, celery,
  uv, poetry, pep
typescript: tsc, tsconfig, tslint, type alias, non-null assertion, zod
javascript: npm, eslint, jest, promise, node, arrow function, react, vitest
react: functional component, class component, hook, prop, jsx, redux, error boundary, custom hook
docker: dockerfile, docker image, base image, container, image layer, image tag
kubernetes: pod, helm chart, ingress, config map
node: npm, package.json, event loop
git: commit, branch, rebase, merge, pull request, push, squash, worktree, stash, submodule, tag
github: pull request, issue, code owner
sql: query, join, parameterized query, select, n+1, sql injection
html: alt text, semantic, element
css: stylesheet, inline style, css variable, selector, class
terraform: remote state
java: junit, maven, gradle, spring
bash: shell script, shell variable, pipefail
openapi: endpoint
"""
# words beside the same noun that tell two of its kind apart
QUALIFIED = """
python, javascript, typescript, java, kotlin, go, golang, rust, ruby, php, swift, scala, c++, c#,
  perl, elixir, haskell, lua, dart, clojure, erlang, julia, groovy, bash, powershell, sql, html,
  css, ocaml, zig, f#, cobol, fortran, objective-c, zsh, fish
postgres, postgresql, mysql, mariadb, sqlite, oracle, mongodb, mongo, dynamodb, cassandra,
  cockroachdb, couchdb, firestore, snowflake, bigquery, clickhouse, duckdb, mssql, neo4j,
  supabase, firebase
pytest, unittest, nose, jest, vitest, mocha, jasmine, ava, junit, testng, rspec, minitest, xunit,
  nunit, phpunit, pest, hypothesis, doctest
pip, poetry, uv, conda, pipenv, pdm, hatch, rye, mamba, pipx
maven, gradle, ant, sbt, bazel, make, cmake, ninja, just, meson
webpack, vite, rollup, esbuild, parcel, turbopack, turborepo, nx, lerna, babel, swc
react, vue, angular, svelte, solidjs, ember, preact, qwik, lit, alpine, jquery, htmx
nextjs, next.js, nuxt, remix, gatsby, astro, sveltekit
django, flask, fastapi, rails, laravel, express, nestjs, spring, koa, symfony, sinatra, phoenix,
  starlette, tornado, aiohttp, hono, fastify, gin, echo, fiber, actix, axum
requests, httpx, urllib, urllib3, axios, fetch, got, superagent
pydantic, attrs, marshmallow, zod, yup, joi, valibot, ajv
numpy, pandas, polars, dask, scipy, spark, pytorch, tensorflow, jax, keras, scikit-learn
aws, azure, gcp, heroku, vercel, netlify, cloudflare, digitalocean, fly.io
kubernetes, nomad, swarm, ecs, mesos
terraform, pulumi, ansible, chef, puppet, cloudformation, cdk, bicep, opentofu, saltstack
jenkins, circleci, travis, gitlab, github, bitbucket, buildkite, drone, teamcity
grafana, prometheus, datadog, kibana, splunk, sentry, newrelic, loki, jaeger, zipkin, elk,
  honeycomb
tailwind, bootstrap, bulma, sass, scss, less, styled-components, emotion, material-ui, chakra
rest, graphql, grpc, soap, trpc, websocket, websockets, sse
slack, teams, discord, email, telegram, sms
jira, linear, trello, asana, confluence, notion, basecamp
vim, emacs, vscode, intellij, pycharm, neovim, sublime, cursor
linux, macos, windows, ubuntu, debian, alpine, fedora, centos
chrome, firefox, safari, edge
google, numpy, sphinx, epytext, restructuredtext
get, post, put, patch
httponly, samesite, secure
grep, ripgrep, ag, ack, sed, awk, find
monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekend
january, february, march, april, may_, june, july, august, september, october, november, december
info, warn, warning, error, debug, critical, fatal, trace
const, let, var
int, float, decimal, double, bigint, integer, string, boolean
tab, space, semicolon, comma
single quote, double quote, backtick
uuid, ulid, integer, autoincrement, serial
develop, main, staging, release branch, production
major, minor, patch
client, server, client-side, server-side, browser, database, worker, gateway, proxy
frontend, backend
development, production, staging, test, local, ci
unit test, integration test, end-to-end test, regression test, snapshot test, smoke test, load
  test
public, protected, internal
request, response
input, output
query, command
user, admin, guest, developer, operator, customer, anonymous
function, class, module, method, file, variable, component, package, interface, struct
row, column, table, field, index
parent, child, sibling
source, target, destination
upstream, downstream
first, last, next, previous
before, after
source, test
read, write, append
daily, weekly, hourly, monthly, nightly, yearly, quarterly
millisecond, second, minute, hour, day, week, month, year
byte, kilobyte, megabyte, gigabyte, terabyte, kib, mib, gib
line, character, word, statement, byte, token, percent, pixel, column
session, persistent
header, body, footer, sidebar, query, path, url
access, refresh
label, value, key
cpu, memory, disk, network
insert, update, delete, select
tag, branch, commit
merge, rebase, squash, cherry-pick
push, pull, fetch
upload, download
import, export
authenticate, authorize
encode, encrypt, hash, compress, sign
create, remove
run, write, read, review, open, close, call, return, send, check, start, raise, throw, catch, ask,
  answer, delete, deploy, commit, push, merge, release, rename, format, lint, test, document, log,
  cache, monitor, copy, move, skip, approve, install, upgrade, refactor, optimize, revert, rebase,
  build, debug, migrate, backup, restore, encrypt, throttle, paginate, mock
error message, log message, commit message, warning
log, warning
constant, enum
interface, type alias, abstract class
list, dictionary, set_, tuple, generator
callback, promise, async
lazy, eager
tls, ssh
"""


@cache
def rivals() -> Mapping[str, frozenset[int]]:
    """Give the kinds of every concept that has rivals, as numbers of the lines."""
    kinds: dict[str, set[int]] = {}
    for number, line in enumerate(f"{NAMED}{QUALIFIED}".replace("\n  ", " ").split("\n")):
        for entry in filter(None, (part.strip() for part in line.split(","))):
            kinds.setdefault(_concept(entry), set()).add(number)
    return {concept: frozenset(numbers) for concept, numbers in kinds.items()}


@cache
def names() -> frozenset[str]:
    """Give the concepts that are names of tools, languages, services, formats, days."""
    entries = NAMED.replace("\n", ",").split(",")
    return frozenset(_concept(entry.strip()) for entry in entries if entry.strip())


@cache
def implied() -> Mapping[str, frozenset[str]]:
    """Give for a name the concepts that imply it."""
    lines = (line.split(":") for line in IMPLIED.replace("\n  ", " ").strip().splitlines())
    return {
        _concept(name): frozenset(_concept(each.strip()) for each in concepts.split(","))
        for name, concepts in lines
    }


def _concept(entry: str) -> str:
    parts = stems(entry)
    if len(parts) == 1:
        meaning = lexicon().words.get(parts[0])
        return meaning.concept if meaning else parts[0]
    found = (
        phrase
        for phrase in lexicon().phrases.get((parts[0], parts[1]), ())
        if phrase.stems == parts
    )
    return next((phrase.meaning.concept for phrase in found), " ".join(parts))
