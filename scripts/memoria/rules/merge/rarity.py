"""A concept of rules -> how much it tells, from 0 to 1: its rarity among rules for coding agents.

Counted once over 50,000 public rules, and kept as a table of the common ones in bands, so that the
decision on two rules never depends on which other rules are at hand: adding one cannot part or join
others. What is not in the table is rare.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# what tells more than all of the table: concepts of fewer than one rule in 1,000
RARE = 0.8


def weight(concept: str, *, verb: bool = False) -> float:
    """Say how much a concept tells: 0.2 for what every tenth rule has, 0.8 for what few have.

    `verb`: it stands there as an order.
    """
    return _CARRIER if verb and concept in _CARRIERS else _weights().get(concept, RARE)


@cache
def _weights() -> Mapping[str, float]:
    return {
        name.strip(): share
        for share, names in _BANDS.items()
        for name in names.replace("\n", " ").split(",")
    }


# verbs that a noun takes along, and that others leave out or exchange: "open a pull request",
# "grant privileges", "write tests"; `lexicon_rivals` keeps apart those that do make a difference
_CARRIER = 0.15
_CARRIERS = frozenset(
    """write run open grant call send return raise construct perform present show check get build
    replace start clear wrap group form manage keep store""".split()  # noqa: SIM905 - a list of words is read as text
)


# log(rules / rules with the concept), to the scale on which one rule in 50,000 has 1
_BANDS = {
    0.2: """
check
""",
    0.3: """
build, change, code, component, configure, data, dependency, design pattern, document, file,
limit, link, name, repository, run, separate, show, small, specific, test, tool, type, user
""",
    0.4: """
access, act, agent, api, app, applicat, ask, async, automatic, azur, based, behavior, call,
class, clear, command, command line, consistent, content, context, current, custom, database,
default, depend, deploy, descriptive, design, detect, development, direct, endpoint,
environment, error, event, explain, explicit, external, fail, fast, featur, field, find, finish,
first, fix, focus, folder, format, free, full, function, generate, group, handle, how, id,
identify, image, immediate, implementation, improve, input, integrate, investigate, issue, key,
layer, level, lin, list, load, log, logic, match, method, miss, model, modul, multiple, new,
object, operat, optimize, optional, output, parameter, path, performance, plan, plugin, process,
production, property, query, read, reason, related, request, requirement, resourc, result,
return, review, safe, same, sample, scan, search, secret, sect, security, server, servic,
simple, single, start, stat, step, store, structur, styl, succeed, suggest, support, system,
tabl, target, task, tim, ui, update, valid, value, variable, vers, work, workflow, write
""",
    0.5: """
above, accessibility, account, accurate, active, address, ai, alert, alternativ, annotate,
answer, approach, approve, architectur, assertion, assume, attribut, auth, authenticate,
authorize, batch, best practice, boundary, branch, browser, bug, business, business logic,
cache, capability, catch, caus, character, choose, ci, clean up, client, collect, color, column,
comment, commit, communicate, compare, complianc, comprehensive, compute, concurrent, connect,
constraint, container, control, controller, convent, convert, copilot, copy, cors, count,
critical, cross, css, customer, dat, debug, decide, definit, descript, detail, developer,
diagram, domain, duplicate, dynamic, early, edge case, efficient, element, empty, end, entity,
entry, environment variable, error handling, evidenc, extract, few, filter, final, flag, flat,
flow, form, framework, functionality, gam, github, global, guidanc, help, helper, hook, host,
html, http, impact, import, index, informat, infrastructure, install, instruct, interact,
interfac, item, json, label, languag, latest, layout, left, llm, local, locat, loop, main,
manag, management, map, mark, markdown, mcp, measure, memory, messag, metadata, metric, migrate,
mock, mod, monitor, move, multi, mutable, nativ, navigate, network, next, node, null, number,
often, open, option, order, organizat, other, pag, percent, permission, person, phas, platform,
point, policy, power, primary, principl, problem, protect, provider, public, purpos, python,
quality, quest, react, readable, record, relationship, release, replace, report, research,
response, reuse, rol, root, row, rul, runtime, scale, scenario, schema, scope, script, sdk, see,
select, semantic, send, sensitive, sess, setup, siz, skill, snippet, solut, space, specify,
split, stack, staging, standard, status, strategy, string, summary, syntax, tag, team,
technical, templat, temporary, terraform, test coverage, text, titl, token, top, trace, track,
trigger, tru, typescript, understand, unexpected, unused, url, uuid, version control, view,
visual, wait, web, window, x
""",
    0.6: """
absolute, abstraction, accept, acceptance criterion, accuracy, actionabl, activity, ad,
additional, admin, advanc, affect, aggregate, align, animation, another, appear, applicabl,
architectural, architecture decision, area, aria, artifact, assessment, asset, assign, at
startup, audienc, auto, aws, az, b, back, backend, background, bad, bar, bas, baselin, basic,
benefit, bicep, binary, bind, body, bottleneck, breadboard, budget, bullet, bundl, button, c,
camelcase, cancel, captur, card, category, cell, centralized, chain, channel, chat, child, cit,
claim, click, cloud, combin, community, compatibility, compatibl, composition, concept, condit,
conditional, confidenc, conflict, connector, considerat, constant, constructor, continue,
continuous, contract, contrast, conversat, coordinat, cosmo, cover, cpu, crash, criterion, cycl,
dataset, day, declare, delegate, demonstrat, dependency injection, dependency management,
deprecate, depth, deriv, desktop, deterministic, devic, diff, differenc, difficult, dimens,
directiv, discovery, distribut, docker, docstring, download, draft, driven, effect, effectiv,
efficiency, email, embed, encode, encrypt, end-to-end test, engin, enough, enterpris,
entrypoint, enum, epic, error message, escape, especial, establish, estimate, evaluat,
evaluator, exercis, existing code, experienc, experimental, expert, export, express, extend,
external service, fac, facade, fall back, fals, feedback, fill, fit, fixed, font, fram,
frontend, functional, futur, gap, gat, gather, goal, googl, graceful, graph, grid, guidelin,
hand over, handler, happen, hardcode, head, header, health, health check, hide, hierarchy,
highlight, history, hour, iac, icon, ide, identity, important, incident, incremental,
indentation, indicat, info, inherit, initial, initialize, inject, inline, insert, insight,
instanc, integer, integration test, intent, interactiv, invent, inventory, iterate, java,
javascript, keyboard, keyword, know, knowledg, known, kotlin, laravel, last, latency, lazy load,
lead, leak, learn, least privilege, lifecycl, limitat, lint, lock, log in, logical, look,
maintainable, major, manager, market, matter, mean, mechanism, medium, meet, member, mention,
merge, microsoft, middleware, millisecond, mitigat, mix, mobile, modal, modern, mutat, n,
namespace, nest, net, next to, normal, notify, now, npm, o, obvious, official, operator,
orchestrat, org, original, outcom, outdat, outsid, override, overview, owner, ownership,
paginate, paragraph, parent, parse, partition, partner, pascalcase, password, payload, perform,
personal data, php, pin, pixel, placeholder, player, polite, populat, port, posit, positiv,
post, postgres, potential, pre, preferenc, prefix, prerequisit, previous, pric, prioritize,
priority, procedur, proceed, produc, program, progress, promis, protocol, pull request, pur,
push, queue, quot, rang, rate, raw, re, reactiv, reader, readme, ready, receive, recent,
refactor, reflect, region, register, registrat, registry, regression, regularly, rehearse,
remediat, repeat, represent, reset, resolut, responsiv, rest, restore, retry, revert, robust,
rotate, router, say, scalable, schedule, scor, screen, screenshot, second, self, sentenc,
sequenc, serve, server-side, severity, shader, shap, shell, sid, side effect, sign, signal,
significant, silent, similar, snapshot, sort, span, spawn, spring, sql, stable, state
management, statement, stream, strict, sub, subscribe, successful, surfac, symbol, sync, tab,
tailwind, technology, tenant, testable, think, thread, threat, threshold, throttle, throughout,
throw, timeout, timestamp, todo, topic, total, transaction, transit, transport, tre, treat,
trust, type hint, unfinished, unique, unit, unit test, upgrade, upload, uppercase, uptime,
useful, user input, user story, utility, ux, vault, vector, version, violat, visibility,
visible, visual studio code, volume, vulnerability, warning, week, wir, word, workspac, world,
wrap, yaml
""",
    0.7: """
actor, alignment, allocat, anchor, attempt, audio, authoritativ, board, boolean, box, builder,
callback, canvas, completeness, construct, creativ, customizat, dashboard, disk, dry, exit,
expectat, experiment, governanc, grant, helpful, horizontal, implicat, infer, justify,
kubernetes, length, machin, material, matrix, minut, mot, natural, negativ, observability,
orchestrator, pair, parameterized query, past, phras, prepar, privacy, prs, random seed, remote,
runner, simulate, single responsibility, solv, special, stateless, stdio, structural, studio,
svelt, term, test data, trad, troubleshoot, v, variant, vue, width, win, workload, xml
""",
}
