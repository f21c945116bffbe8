"""A plan carried out: webhook events go through an inbox table, and are retried from there."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    create,
    edit,
    read,
    refused,
    say,
    switch,
)

CHECKS = """
eval "$(make -s test-db)" && uv run pytest -q && uv run ruff check . && uv run mypy app
"""

SESSION = Session(
    project="shop-api",
    began="2026-10-07T07:32:00",
    version="2.1.321",
    steps=(
        ask(
            """
            Implement the following plan:

            # Plan: Webhook inbox with retries

            ## Context

            `POST /webhooks/paywire` runs the handler inside of the request. A slow handler makes
            Paywire time out after ten seconds and deliver the webhook event again, so on Friday 212
            customers got the order mail twice. Paywire promises to deliver each event at least once
            and in no order.

            ## Design decisions

            - The endpoint only stores the event in a new table `webhook_inbox` and answers 200; a
              worker runs the handlers, because Paywire must never wait for our mail server.
            - The event id is the primary key of the inbox, so a second delivery of the same event
              is dropped by the database instead of by code.
            - A webhook retry waits 1, 5, 25 and 125 minutes; after that the event is dead and an
              alert goes out.

            ## Steps

            1. Table, model and migration
            2. Endpoint
            3. Worker with `FOR UPDATE SKIP LOCKED`
            4. Tests
            """,
            after=20,
        ),
        *switch("feat/webhook-inbox"),
        read(
            "app/webhooks/router.py",
            """
            @router.post("/webhooks/paywire")
            async def receive(request: Request, session: Db) -> Response:
                event = verify(await request.body(), request.headers["Paywire-Signature"])
                await HANDLERS[event.type](session, event)
                return Response(status_code=200)
            """,
            start=12,
        ),
        create(
            "app/webhooks/inbox.py",
            """
            \"\"\"Webhook events that wait for their handler.\"\"\"

            from datetime import timedelta

            PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 25, 125)]


            async def store(session, event: Event) -> None:
                row = {"id": event.id, "type": event.type, "body": event.body}
                await session.execute(insert(InboxEvent).values(row).on_conflict_do_nothing())


            async def claim_next(session) -> InboxEvent | None:
                due = select(InboxEvent).where(InboxEvent.due_at <= func.now(), \\
                    InboxEvent.done.is_(None))
                return await session.scalar(due.order_by(InboxEvent.due_at).limit(1))
            """,
        ),
        refused(
            edit(
                "app/webhooks/router.py",
                "    await HANDLERS[event.type](session, event)\n",
                """
                    logger.info("webhook %s: %s", event.type, event.body)
                    await inbox.store(session, event)
                """,
            ),
            """
            Never log the body of a webhook, only its id and type, because it holds customers'
            addresses and everybody in support can read the logs.
            """,
        ),
        edit(
            "app/webhooks/router.py",
            "    await HANDLERS[event.type](session, event)\n",
            """
                logger.info("webhook %s of type %s stored", event.id, event.type)
                await inbox.store(session, event)
            """,
        ),
        create(
            "tests/test_webhook_inbox.py",
            """
            async def test_a_second_delivery_is_dropped(api, signed, inbox):
                for _ in range(2):
                    assert (await api.post("/webhooks/paywire", \\
                        **signed("payment.settled"))).is_success
                assert await inbox.count() == 1


            async def test_two_workers_never_take_the_same_event(inbox, two_sessions):
                first, second = await inbox.claim_in(two_sessions)
                assert first.id != second.id, "expected two events, both workers claimed one"
            """,
        ),
        bash(
            "uv run pytest tests/test_webhook_inbox.py -q",
            """
            EE                                                                       [100%]
            ==================================== ERRORS ====================================
            ____________ ERROR at setup of test_a_second_delivery_is_dropped ______________
            >           raise RuntimeError("TEST_DATABASE_URL is not set")
            E           RuntimeError: TEST_DATABASE_URL is not set

            tests/conftest.py:17: RuntimeError
            =========================== short test summary info ============================
            ERROR tests/test_webhook_inbox.py::test_a_second_delivery_is_dropped - RuntimeE...
            ERROR tests/test_webhook_inbox.py::test_two_workers_never_take_the_same_event -...
            2 errors in 0.35s
            """,
            fails=1,
            took=3,
        ),
        bash(
            'eval "$(make -s test-db)" && uv run pytest tests/test_webhook_inbox.py -q',
            """
            .F                                                                       [100%]
            =================================== FAILURES ===================================
            _________________ test_two_workers_never_take_the_same_event __________________
            >       assert first.id != second.id, "expected two events, both workers claimed one"
            E       AssertionError: expected two events, both workers claimed one

            tests/test_webhook_inbox.py:9: AssertionError
            1 failed, 1 passed in 3.02s
            """,
            fails=1,
            took=6,
        ),
        say(
            """
            That is the worker's query, not the test: without a row lock both workers read the same
            due event before either marks it. `FOR UPDATE SKIP LOCKED` from the plan is what is
            missing.
            """
        ),
        edit(
            "app/webhooks/inbox.py",
            "    return await session.scalar(due.order_by(InboxEvent.due_at).limit(1))\n",
            """
                free = due.order_by(InboxEvent.due_at).limit(1).with_for_update(skip_locked=True)
                return await session.scalar(free)
            """,
        ),
        bash(
            CHECKS,
            """
            ........................................................................ [ 97%]
            ..                                                                       [100%]
            74 passed in 9.80s
            app/webhooks/inbox.py:15:101: E501 Line too long (102 > 100)
            Found 1 error.
            """,
            fails=1,
            took=13,
        ),
        edit(
            "app/webhooks/inbox.py",
            """
                due = select(InboxEvent).where(InboxEvent.due_at <= func.now(), \\
                    InboxEvent.done.is_(None))
            """,
            """
                open_ones = select(InboxEvent).where(InboxEvent.done.is_(None))
                due = open_ones.where(InboxEvent.due_at <= func.now())
            """,
        ),
        bash(
            CHECKS,
            """
            74 passed in 9.71s
            All checks passed!
            app/webhooks/worker.py:27: error: Argument 2 to "retry" of "InboxEvent" has \\
                incompatible type "timedelta | None"; expected "timedelta"  [arg-type]
            Found 1 error in 1 file (checked 41 source files)
            """,
            fails=1,
            took=15,
        ),
        edit(
            "app/webhooks/worker.py",
            """
                    event.retry(error, next(pauses, None))
            """,
            """
                    pause = next(pauses, None)
                    event.die(error) if pause is None else event.retry(error, pause)
            """,
        ),
        bash(
            CHECKS,
            """
            74 passed in 9.66s
            All checks passed!
            Success: no issues found in 41 source files
            """,
            took=15,
        ),
        bash(
            "make migration name=webhook_inbox && make migrate",
            """
            Generating migrations/versions/0016_webhook_inbox.py ...  done
            took the advisory lock 7301
            INFO  [alembic.runtime.migration] Running upgrade 0015 -> 0016, webhook inbox
            released the advisory lock
            """,
            took=6,
        ),
        commit(
            "feat/webhook-inbox",
            "feat(webhooks): store each webhook event first and handle it in a worker",
            """
            The handler ran inside of the request, so a slow mail server made Paywire time out and
            deliver the webhook event again. The endpoint now only stores the event and answers 200.

            The webhook inbox has the event id as its primary key, so a second delivery is dropped
            by the database. Workers take events with `FOR UPDATE SKIP LOCKED`; without it two
            workers claimed the same event and a mail went out twice.

            A webhook retry waits 1, 5, 25 and 125 minutes, then the event is dead and an alert goes
            out. The log names id and type of an event, never its body.
            """,
            "8 files changed, 233 insertions(+), 19 deletions(-)",
        ),
        say(
            """
            The plan is implemented.

            - A webhook inbox is a letter box: it holds what Paywire delivered until a worker has
              taken it out.
            - A webhook retry happens in our worker and no longer at Paywire, so that a failing
              handler is visible in the table `webhook_inbox` instead of in their dashboard.

            Events that die stay in the table with their last error; `make inbox-retry id=...` makes
            one due again.
            """
        ),
        ask("Why not just use a queue like Redis for this?"),
        say(
            """
            Because the event and what the handler writes must be committed together. With the inbox
            in Postgres the worker marks the event done in the same transaction in which it changes
            the order, so a crash leaves either both or neither. With a queue beside the database
            the handler would have to be idempotent on its own, and today only the payment handlers
            are.
            """
        ),
    ),
)
