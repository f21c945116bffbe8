"""What a rule names in everyday words -> the commands, options and files that are meant by it.

"Tests", "the linter", "push", "our package manager": people seldom write the command down, and a
check needs it. So these are tables, read by hand, and nothing else: what is missing here is not
guessed. The trap: what satisfies a rule must be listed widely (any of thirty ways to run tests),
what breaks it narrowly, or the first project with another tool gets a false alarm a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# The tool of the client that runs commands.
SHELL = ("Bash",)

# One run of any of these is a run of what the word means.
ERRANDS: Mapping[str, tuple[str, ...]] = {
    "test": (
        "* test*", "* run test*", "* run *:test*", "* artisan test", "make check", "just check",
        "pytest", "py.test", "unittest", "tox", "nox", "jest", "vitest", "playwright", "gotestsum",
        "mvn*", "gradle*", "rspec", "phpunit", "cargo nextest",
    ),
    "lint": (
        "* lint*", "* run lint*", "* run check*", "make check", "just check", "eslint*", "ruff*",
        "flake8", "pylint", "biome", "oxlint", "golangci-lint", "go vet", "cargo clippy",
        "rubocop", "shellcheck", "stylelint", "pre-commit", "swiftlint", "ktlint",
    ),
    "format": (
        "* fmt*", "* format*", "* run fmt*", "* run format*", "* run lint*", "* run prettier*",
        "prettier", "black", "ruff", "gofmt", "goimports", "gofumpt", "rustfmt", "biome",
        "clang-format", "swiftformat", "pre-commit", "make lint",
    ),
    "type": (
        "* type*", "* run type*", "* run tsc*", "* run check*", "* run build*", "tsc", "* tsc",
        "vue-tsc", "mypy", "pyright", "basedpyright", "ty", "make check", "flow",
    ),
    "build": (
        "* build*", "* run build*", "cargo check", "mvn*", "gradle*", "xcodebuild", "tsc", "cmake",
        "ninja", "make", "vite", "next",
    ),
}  # fmt: skip

# Doings of version control in everyday words -> the command that does them.
DEEDS: Mapping[str, str] = {
    "commit": "git commit",
    "push": "git push",
    "merge": "git merge",
    "rebase": "git rebase",
    "pull": "git pull",
    "stash": "git stash",
    "pr": "gh pr create",
}

# An option that belongs to few commands, so that it names them.
OWNERS: Mapping[str, tuple[str, ...]] = {
    "--no-verify": ("git commit", "git push"),
    "--amend": ("git commit",),
    "--force-with-lease": ("git push",),
    "--no-gpg-sign": ("git commit",),
    "--legacy-peer-deps": ("npm install", "npm i", "npm ci"),
    "--break-system-packages": ("pip install", "pip3 install"),
    "--no-edit": ("git commit", "git merge"),
    "--hard": ("git reset",),
    "--no-ff": ("git merge",),
    "--watchAll": ("jest", "npx jest", "npm test"),
    "--dangerously-skip-permissions": ("claude",),
}

# Programs that start another one, which counts as run by itself, too.
RUNNERS = ("uv run", "poetry run", "pipenv run", "hatch run", "pdm run", "bundle exec", "npx",
           "pnpm exec", "mise exec")  # fmt: skip

# Other names of one program, and the ways in which it is started.
FORMS: Mapping[str, tuple[str, ...]] = {
    "pip": ("pip", "pip3"),
    "pip3": ("pip", "pip3"),
    "ripgrep": ("rg",),
    "jest": ("jest", "pnpm jest", "yarn jest"),
    "vitest": ("vitest", "pnpm vitest", "yarn vitest"),
    "eslint": ("eslint", "pnpm eslint", "yarn eslint"),
    "prettier": ("prettier", "pnpm prettier", "yarn prettier"),
    "tsc": ("tsc", "pnpm tsc", "yarn tsc"),
    "gradle": ("gradle", "gradlew"),
    "maven": ("mvn", "mvnw"),
}

# Only so used is a program what a rule speaks of; elsewhere it reads what another one printed.
NARROWED: Mapping[str, tuple[str, ...]] = {
    "grep": ("-r", "-R", "--recursive"),
    "egrep": ("-r", "-R", "--recursive"),
    "sed": ("-i", "--in-place"),
    "awk": ("-i",),
    "perl": ("-i", "-pi"),
}
# These read files, and do so; with no file they only pass on what another command prints.
READERS = frozenset({"cat", "head", "tail", "less", "more", "bat"})

# What installs packages, and the families in which one stands for all others.
FAMILIES: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {
        "npm": ("npm install", "npm i", "npm ci", "npm add"),
        "pnpm": ("pnpm install", "pnpm i", "pnpm add"),
        "yarn": ("yarn install", "yarn add"),
        "bun": ("bun install", "bun add"),
    },
    {
        "pip": ("pip install", "pip3 install"),
        "poetry": ("poetry add", "poetry install"),
        "uv": ("uv add", "uv sync", "uv pip install"),
        "pipenv": ("pipenv install",),
        "conda": ("conda install",),
    },
)  # fmt: skip

_SCRIPT = ("*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.cjs", "*.vue", "*.svelte")
_TYPED = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.vue", "*.svelte")
_PYTHON = ("*.py",)
# Text of a program that rules forbid -> the literal texts that show it, and the files it is for.
CODE: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "console.log": (("console.log(",), _SCRIPT),
    "console.logs": (("console.log(",), _SCRIPT),
    "console.error": (("console.error(",), _SCRIPT),
    "eval": (("eval(",), (*_SCRIPT, *_PYTHON)),
    "debugger": (("debugger;",), _SCRIPT),
    "any": ((": any;", ": any)", ": any,", ": any ", ": any[", "as any", "<any>", "any[]"), _TYPED),
    "as any": (("as any",), _TYPED),
    "@ts-ignore": (("@ts-ignore",), _SCRIPT),
    "ts-ignore": (("@ts-ignore",), _SCRIPT),
    "@ts-nocheck": (("@ts-nocheck",), _SCRIPT),
    "@ts-expect-error": (("@ts-expect-error",), _SCRIPT),
    "eslint-disable": (("eslint-disable",), _SCRIPT),
    "dangerouslysetinnerhtml": (("dangerouslySetInnerHTML",), _SCRIPT),
    "innerhtml": ((".innerHTML",), _SCRIPT),
    "document.write": (("document.write(",), _SCRIPT),
    "localstorage": (("localStorage.",), _SCRIPT),
    "react.fc": (("React.FC",), _SCRIPT),
    "forwardref": (("forwardRef(", "forwardRef<"), _SCRIPT),
    "require": (("require(",), _SCRIPT),
    "type: ignore": (("type: ignore",), _PYTHON),
    "noqa": (("# noqa",), _PYTHON),
    "datetime.utcnow": (("datetime.utcnow(",), _PYTHON),
    "datetime.now": (("datetime.now()",), _PYTHON),
    "pdb": (("import pdb", "pdb.set_trace("), _PYTHON),
    "breakpoint": (("breakpoint()",), _PYTHON),
    "os.system": (("os.system(",), _PYTHON),
    "import *": (("import *",), _PYTHON),
    "unwrap": ((".unwrap()",), ("*.rs",)),
    "println!": (("println!(",), ("*.rs",)),
    "fmt.println": (("fmt.Println(",), ("*.go",)),
    "fmt.printf": (("fmt.Printf(",), ("*.go",)),
    "interface{}": (("interface{}",), ("*.go",)),
    "os.exit": (("os.Exit(",), ("*.go",)),
    "thread.sleep": (("Thread.sleep(",), ("*.java", "*.kt", "*.scala")),
    "system.out.println": (("System.out.println(",), ("*.java", "*.kt")),
    "binding.pry": (("binding.pry",), ("*.rb",)),
    "dbg!": (("dbg!(",), ("*.rs",)),
    "!important": (("!important",), ("*.css", "*.scss", "*.less", *_SCRIPT)),
}
# Files in which a text counts where a rule names no language: programs, no prose and no data.
SOURCES = (
    "*.js", "*.jsx", "*.ts", "*.tsx", "*.?js", "*.vue", "*.svelte", "*.py", "*.go", "*.rs",
    "*.java", "*.kt", "*.rb", "*.php", "*.swift", "*.cs", "*.c", "*.h", "*.cpp",
)  # fmt: skip
# Files outside the project: the client's own plans, scratch files. No rule of a project means them.
OUTSIDE = "!/**"

# The files that a tool is for: only after a change of one it is needed.
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("tsc", "vue-tsc"), _TYPED),
    **dict.fromkeys(("eslint", "prettier", "jest", "vitest", "biome", "oxlint"), _SCRIPT),
    **dict.fromkeys(("ruff", "black", "mypy", "pyright", "flake8", "pylint", "pytest"), _PYTHON),
    **dict.fromkeys(("go", "gofmt", "goimports", "golangci-lint", "staticcheck"), ("*.go",)),
    **dict.fromkeys(("cargo", "rustfmt"), ("*.rs",)),
    **dict.fromkeys(("terraform", "tofu", "tflint"), ("*.tf", "*.tfvars")),
    "bicep": ("*.bicep",),
    "az": ("*.bicep",),
    "shellcheck": ("*.sh", "*.bash"),
    "rubocop": ("*.rb",),
}

# The lines that a client adds of itself to a commit's message.
TRAILERS = ("*o-?uthored-?y*", "*enerated with*laude*")

# Programs whose bare name is no word of English, and is a command wherever a rule says it.
STRONG = frozenset(
    """git npm npx pnpm yarn pip pip3 pipx pipenv uv uvx poetry pytest tox nox cargo rustc rustfmt
    tsc eslint prettier mypy pyright pylint flake8 ruff rg ripgrep grep egrep sed awk curl wget gh
    terraform tofu kubectl docker-compose jq yq fd gofumpt
    jest vitest mocha unittest conda mvn mvnw maven gradlew
    golangci-lint gofmt goimports bunx ts-node tsx virtualenv brew apt-get systemctl tmux ssh scp
    rsync rspec rubocop phpunit deno bun pnpx eslint_d python3 nodejs npm-check xargs chmod
    chown sudo ctest cmake bazel nvm fnm pyenv""".split()  # noqa: SIM905 - a word list reads best as words
)
# Programs that are words, too, or names of a language: commands where they are marked as code or
# stand with a word or an option of theirs.
WEAK = frozenset(
    """go make docker python node black just task rake find cat head tail rm mv cp ls echo
    bundle rails php composer dotnet gradle swift flutter dart mix helm aws gcloud az ansible nx
    turbo biome oxlint mise hatch pdm pre-commit perl ruby java javac kill pkill killall touch tee
    vite next webpack supabase prisma drizzle-kit firebase vercel netlify heroku fly wrangler
    bicep ns sh bash zsh time sleep export apt yum dnf pacman snap service vim nano vi less
    more open code ty sqlite3 psql mysql redis-cli""".split()  # noqa: SIM905 - as above
)
# Words after a program that say what it is to do, where a rule does not mark them as code.
WORDS: Mapping[str, frozenset[str]] = {
    "git": frozenset(
        """push commit add rebase merge pull reset stash checkout switch restore clean tag init
        cherry-pick config revert fetch log diff status worktree mv rm filter-branch am clone
        blame grep bisect branch""".split()  # noqa: SIM905 - as above
    ),
    "npm": frozenset({"install", "i", "ci", "run", "test", "publish", "audit", "start", "init"}),
    "pnpm": frozenset({"install", "i", "add", "run", "test", "publish", "build", "lint", "dev"}),
    "yarn": frozenset({"install", "add", "run", "test", "publish", "build", "lint", "dev"}),
    "bun": frozenset({"install", "add", "run", "test"}),
    "pip": frozenset({"install", "freeze", "uninstall"}),
    "uv": frozenset({"run", "add", "pip", "sync", "lock"}),
    "poetry": frozenset({"run", "add", "install"}),
    "go": frozenset({"test", "build", "fmt", "vet", "mod", "run", "generate", "get", "install"}),
    "cargo": frozenset({"test", "build", "fmt", "clippy", "check", "run", "add", "publish"}),
    "make": frozenset({"test", "lint", "check", "build", "fmt", "format", "ci", "all", "clean"}),
    "docker": frozenset({"compose", "build", "push", "run", "system", "prune"}),
    "gh": frozenset({"pr", "issue", "release", "repo", "run", "api", "workflow"}),
    "terraform": frozenset({"apply", "plan", "destroy", "fmt", "validate", "init", "import"}),
    "kubectl": frozenset({"apply", "delete", "edit", "exec", "get"}),
    "dotnet": frozenset({"test", "build", "format", "run"}),
    "mise": frozenset({"run"}),
    "php": frozenset({"artisan"}),
    "ruff": frozenset({"check", "format"}),
}
