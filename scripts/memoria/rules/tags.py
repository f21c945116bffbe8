"""Give the technologies and concerns that a rule names, to gather and filter rules by.

A table and not a model: tags are worth something only while the same thing has the same tag. Words
that are also plain English (go, rest, rust) count only in a spelling that is the technology's own.
"""

from __future__ import annotations

import re
from functools import lru_cache

# tag: the words that stand for it, in lower case; an ending in * takes any word that begins so
_WORDS = {
    "api": "api apis endpoint* rest-api graphql grpc openapi swagger webhook*",
    "async": "async asyncio await coroutine* concurren* thread* goroutine* parallel*",
    "auth": "auth oauth* jwt login token* password* permission* session-token* sso",
    "build": "build* bundle* webpack vite makefile cmake gradle compile*",
    "cache": "cache* caching redis memcached",
    "ci": "ci pipeline* workflow-file* github-actions jenkins",
    "config": "config* setting* env dotenv environment-variable*",
    "css": "css scss tailwind* stylesheet*",
    "data": "dataset* csv parquet pandas numpy dataframe*",
    "database": "database* db sql postgres* mysql sqlite* mongo* migration* orm schema* quer*",
    "dates": "datetime* timezone* utc timestamp* date dates",
    "dependencies": "dependenc* package* lockfile* pnpm npm yarn pip poetry uv cargo",
    "deploy": "deploy* release* rollout* staging production",
    "docker": "docker* containerfile* containerd podman kubernetes kubectl k8s helm",
    "docs": "docs documentation readme changelog docstring* comment*",
    "error": "error* exception* failure* retry retries retried traceback* panic*",
    "files": "file files folder* directory directories path paths",
    "frontend": "frontend react vue svelte angular component* html dom",
    "git": "git commit* branch* rebase* merge* push* pull-request* worktree*",
    "go": "golang gofmt go.mod goroutine*",
    "java": "java kotlin maven spring junit",
    "javascript": "javascript node nodejs js eslint jest vitest",
    "lint": "lint* ruff eslint prettier formatter* formatting golangci-lint",
    "logging": "log logs logging logger* stdout stderr tracing",
    "performance": "performance slow latency benchmark* profil* memory",
    "python": "python pytest mypy ruff pip django flask fastapi pydantic dataclass* asyncio",
    "review": "review* code-review*",
    "rust": "cargo clippy rustc tokio rustfmt",
    "security": "security secret* credential* vulnerab* sanitiz* sanitis* xss csrf injection",
    "shell": "shell bash zsh powershell",
    "testing": "test tests testing tested pytest unittest fixture* mock* jest vitest coverage e2e",
    "types": "type types typing typed mypy pyright tsc generics",
    "typescript": "typescript tsc ts tsconfig",
    "validation": "validat* input inputs parse* parsing",
}


# of each tag the whole words, and the beginnings
_TAGS = {
    tag: (frozenset(words.split()), tuple(one[:-1] for one in words.split() if one[-1] == "*"))
    for tag, words in _WORDS.items()
}
_TOKEN = re.compile(r"[a-z0-9][a-z0-9.+#-]*[a-z0-9+#]|[a-z0-9]")
MOST = 5  # more say nothing of what a rule is about


def tags(text: str) -> tuple[str, ...]:
    """Give the tags of a text in the order in which it names them, at most five."""
    words = (word for token in _TOKEN.findall(text.lower()) for word in (token, *token.split("-")))
    return tuple(dict.fromkeys(tag for word in words for tag in _of(word)))[:MOST]


@lru_cache(maxsize=4096)
def _of(word: str) -> tuple[str, ...]:
    return tuple(
        tag
        for tag, (whole, beginnings) in _TAGS.items()
        if word in whole or word.startswith(beginnings)
    )
