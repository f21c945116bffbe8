"""A backfill that locked the table, and the same two mistakes with migrations again."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    create,
    edit,
    mistaken,
    read,
    refused,
    say,
    switch,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-12T07:21:00",
    version="2.1.324",
    title="Backfill family_id of refresh tokens",
    steps=(
        ask(
            """
            refresh_tokens.family_id should be NOT NULL, reuse detection relies on it. About 900,000
            old rows have none. Write the migration with the backfill, please.
            """
        ),
        *switch("feat/token-family-not-null"),
        bash(
            "make migration name=token_family_not_null",
            """
            INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
            ERROR [alembic.util.messaging] Target database is not up to date.
              FAILED: Target database is not up to date.
            make: *** [Makefile:35: migration] Error 255
            """,
            fails=2,
            took=3,
        ),
        refused(
            bash("uv run alembic upgrade head && make migration name=token_family_not_null"),
            """
            As I said before: always run the migrations through `make migrate`, never by hand,
            because it takes the advisory lock.
            """,
        ),
        bash(
            "make migrate && make migration name=token_family_not_null",
            """
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0015 -> 0016, webhook inbox
            released the advisory lock
            Generating migrations/versions/0017_token_family_not_null.py ...  done
            """,
            took=6,
        ),
        create(
            "migrations/versions/0017_token_family_not_null.py",
            """
            \"\"\"Every refresh token has a family.\"\"\"

            from alembic import op

            revision = "0017"
            down_revision = "0016"


            def upgrade() -> None:
                op.execute("UPDATE refresh_tokens SET family_id = id WHERE family_id IS NULL")
                op.alter_column("refresh_tokens", "family_id", nullable=False)
            """,
        ),
        bash(
            "make seed rows=900000 && make migrate",
            """
            seeded 900000 refresh tokens
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0016 -> 0017, token family not null
            Traceback (most recent call last):
              File "sqlalchemy/engine/base.py", line 1967, in _exec_single_context
            sqlalchemy.exc.OperationalError: (psycopg.errors.LockNotAvailable) canceling \\
                statement due to lock timeout
            released the advisory lock
            make: *** [Makefile:31: migrate] Error 1
            """,
            fails=2,
            took=44,
        ),
        say(
            """
            The lock timeout comes from `ALTER COLUMN ... SET NOT NULL`: it needs an exclusive lock,
            and it scans the whole table while it holds it. The dev server had a transaction open on
            `refresh_tokens`, so the lock was not to be had within the 5 seconds that
            `make migrate` allows. In production that would be every request that refreshes a token.
            The advisory lock of `make migrate` does not help here, because requests never ask for
            it; it only keeps a second migration out.
            """
        ),
        mistaken(
            "migrations/versions/0017_token_family_not_null.py",
            """
                op.execute("UPDATE refresh_tokens SET family_id=id WHERE family_id IS NULL")
            """,
            """
                backfill()
            """,
        ),
        read(
            "migrations/versions/0017_token_family_not_null.py",
            """
            def upgrade() -> None:
                op.execute("UPDATE refresh_tokens SET family_id = id WHERE family_id IS NULL")
                op.alter_column("refresh_tokens", "family_id", nullable=False)
            """,
            start=9,
        ),
        edit(
            "migrations/versions/0017_token_family_not_null.py",
            """
                op.execute("UPDATE refresh_tokens SET family_id = id WHERE family_id IS NULL")
                op.alter_column("refresh_tokens", "family_id", nullable=False)
            """,
            """
                with op.get_context().autocommit_block():
                    while op.get_bind().execute(BATCH).rowcount:
                        pass
                    op.execute(CHECK_NOT_VALID)
                    op.execute("ALTER TABLE refresh_tokens VALIDATE CONSTRAINT family_id_set")
            """,
        ),
        bash(
            "make migrate",
            """
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0016 -> 0017, token family not null
            released the advisory lock
            """,
            took=39,
        ),
        bash(
            "uv run pytest tests/test_tokens.py -q",
            """
            EEEEEE                                                                   [100%]
            ==================================== ERRORS ====================================
            ___________________ ERROR at setup of test_rotation_once ______________________
            >           raise RuntimeError("TEST_DATABASE_URL is not set")
            E           RuntimeError: TEST_DATABASE_URL is not set

            tests/conftest.py:17: RuntimeError
            6 errors in 0.34s
            """,
            fails=1,
            took=3,
        ),
        bash("make test", "test database on port 54329\n79 passed in 10.44s", took=12),
        commit(
            "feat/token-family-not-null",
            "feat(db): require the family of a refresh token, backfilled in batches",
            """
            `SET NOT NULL` scans the whole table under an exclusive lock, so the migration ran into
            the lock timeout as soon as one request had a transaction open. A check constraint is
            added as NOT VALID and validated afterwards: that scan takes no lock that stops writes.

            The backfill goes in batches of 5,000 rows, each committed by itself, because one UPDATE
            of 900,000 rows holds its row locks until the end and doubles the table.
            """,
            "2 files changed, 47 insertions(+), 2 deletions(-)",
        ),
        say(
            """
            Every refresh token has a family now, and the migration stops no one. The backfill runs
            in batches of 5,000 rows instead of one UPDATE, and a validated check constraint takes
            the place of `SET NOT NULL`. The advisory lock is held during the whole backfill,
            because it belongs to the connection and not to a transaction: a deploy that comes in
            between waits about 40 seconds.

            A refresh token without a family used to escape reuse detection, because `revoke_family`
            found no row to revoke. The batches select rows that have no family yet, which means
            that a cancelled migration goes on where it stopped.
            """
        ),
    ),
)
