"""A deploy that was healthy and broken: settings are read at startup now."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    edit,
    missing,
    mistaken,
    read,
    refused,
    say,
    switch,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-14T08:03:00",
    version="2.1.327",
    title="Fail at startup when a setting is missing",
    steps=(
        ask(
            """
            Staging answers every webhook with 500 since yesterday's deploy, but the deploy itself
            was green and the pods are healthy. Config loading again?
            """
        ),
        missing("app/config.py", "app/settings.py"),
        read(
            "app/settings.py",
            """
            class Settings(BaseSettings):
                model_config = SettingsConfigDict(env_file=".env")

                database_url: PostgresDsn
                paywire_url: HttpUrl
                paywire_webhook_secret: SecretStr


            @lru_cache
            def settings() -> Settings:
                return Settings()
            """,
            start=6,
        ),
        bash(
            "uv run python -c 'from app.settings import settings; settings()'",
            """
            Traceback (most recent call last):
              File "<string>", line 1, in <module>
              File "app/settings.py", line 17, in settings
                return Settings()
            pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
            paywire_webhook_secret
              Field required [type=missing, input_value={'database_url': 'x'}, input_type=dict]
            """,
            fails=1,
            took=3,
        ),
        say(
            """
            Yes. The setting `PAYWIRE_WEBHOOK_SECRET` is new since yesterday and staging does not
            have it, but nothing notices that before the first webhook. `settings()` is called
            lazily and `/healthz` never touches it, so the pods start, the health check passes, and
            the deploy counts as good.
            """
        ),
        ask(
            """
            Then let config loading fail at startup and not at the first customer. And add a release
            check that compares the environment with Settings.
            """
        ),
        mistaken(
            "app/main.py",
            """
            def create_app() -> FastAPI:
                app = FastAPI()
            """,
            """
            def create_app() -> FastAPI:
                app = FastAPI(lifespan=lifespan(settings()))
            """,
        ),
        read(
            "app/main.py",
            """
            def create_app() -> FastAPI:
                app = FastAPI(title="shop-api")
                app.include_router(payments)
                app.include_router(webhooks)
                return app
            """,
            start=14,
        ),
        edit(
            "app/main.py",
            """
            def create_app() -> FastAPI:
                app = FastAPI(title="shop-api")
            """,
            """
            def create_app() -> FastAPI:
                loaded = settings()
                app = FastAPI(title="shop-api", lifespan=connections(loaded))
            """,
        ),
        edit(
            "Makefile",
            "release-check:\n",
            """
            release-check:
            \tuv run python -m app.settings --compare $(env)
            """,
        ),
        bash(
            "uv run pytest tests/test_settings.py -q",
            """
            EEE                                                                      [100%]
            ==================================== ERRORS ====================================
            ___________________ ERROR at setup of test_missing_setting _____________________
            >           raise RuntimeError("TEST_DATABASE_URL is not set")
            E           RuntimeError: TEST_DATABASE_URL is not set

            tests/conftest.py:17: RuntimeError
            3 errors in 0.32s
            """,
            fails=1,
            took=3,
        ),
        bash("make test", "test database on port 54329\n83 passed in 10.61s", took=12),
        bash(
            "uv run mypy app",
            """
            app/main.py:17: error: Argument "lifespan" to "FastAPI" has incompatible type \\
                "Connections"; expected "Lifespan[FastAPI] | None"  [arg-type]
            Found 1 error in 1 file (checked 41 source files)
            """,
            fails=1,
            took=7,
        ),
        edit(
            "app/main.py",
            "lifespan=connections(loaded))",
            "lifespan=connections(loaded).lifespan)",
        ),
        bash("uv run mypy app", "Success: no issues found in 41 source files", took=7),
        refused(
            bash('git commit -qam "fix(settings): load settings at startup" && git push'),
            """
            Never commit to main directly, always open a branch first. Main deploys to staging by
            itself, so this would have been live without a review.
            """,
        ),
        *switch("fix/settings-at-startup"),
        commit(
            "fix/settings-at-startup",
            "fix(settings): load the settings at startup, so that a bad deploy fails",
            """
            A missing setting was noticed by the first request that needed it, because `settings()`
            was called lazily. The health check never touches the settings, so the pods were healthy
            and the release went on.

            `create_app` now loads the settings before it makes the app, and `make release-check`
            compares the names in the environment with the fields of `Settings` before a deploy.
            """,
            "4 files changed, 52 insertions(+), 6 deletions(-)",
        ),
        say(
            """
            Config loading now happens in `create_app`: a missing setting ends the process before it
            listens, so the old pods stay and the deploy fails. `make release-check env=staging`
            compares the environment with the fields of `Settings` and would have named
            `PAYWIRE_WEBHOOK_SECRET` yesterday.

            It compares names and never values: the release check runs in CI, where everyone can
            read its output.
            """
        ),
        ask("What wins if a variable is in the environment and in .env too?"),
        say(
            """
            The environment wins, and `.env` only fills in what is missing; that is the order of
            pydantic-settings. `.env` is not in the image, because `.dockerignore` lists it, so in
            staging and production there is only the environment. A setting that works on your
            machine and nowhere else is therefore nearly always one that stands in `.env` alone.
            """
        ),
    ),
)
