"""Paywire delivers the same events without end: an unknown type must not be an error."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    edit,
    missing,
    pull_request,
    read,
    say,
    stopped,
    switch,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-13T06:48:00",
    version="2.1.327",
    title="Webhook storm since 3 o'clock",
    steps=(
        ask(
            """
            Paywire has been sending us the same webhook events since 3 o'clock, 40 a second. What
            is going on?

            2026-10-13T06:31:12.004Z ERROR webhook evt_88213 of type payment.disputed failed
            2026-10-13T06:31:12.031Z ERROR webhook evt_88213 of type payment.disputed failed
            """,
            after=70,
        ),
        missing("app/webhooks/handlers.py", "app/webhooks/handler.py"),
        read(
            "app/webhooks/handler.py",
            """
            HANDLERS: dict[str, Handler] = {
                "payment.settled": settle,
                "payment.failed": fail,
                "refund.settled": refund,
            }
            """,
            start=8,
        ),
        bash(
            "rg -n -A14 'Traceback' logs/api-2026-10-13.log | head -12",
            """
            40881:Traceback (most recent call last):
            40882-  File "app/webhooks/router.py", line 19, in receive
            40883-    check_type(event.type)
            40884-  File "app/webhooks/handler.py", line 17, in check_type
            40885-    HANDLERS[name]
            40886-KeyError: 'payment.disputed'
            """,
        ),
        say(
            """
            Paywire began to send a new type last night, `payment.disputed`, and we answer it with
            500. `check_type` looks the type up in `HANDLERS` before the event is stored, and the
            `KeyError` becomes a server error. Paywire delivers in order per account and retries
            until it gets a 200, so one unknown webhook event holds up all that come after it.
            """
        ),
        ask("Stop the bleeding first. Then do it right.", after=20),
        *stopped("ssh api-1.shop.example.com 'make inbox-retry id=evt_88213'"),
        ask(
            """
            Stop. Never run anything against production from a session, always give me the command
            and I run it, because we have no way to undo what a handler mailed out.
            """,
            after=12,
        ),
        say(
            """
            Nothing was retried: the connection had not been made when you stopped it. Such a
            command is written down for you from here on.
            """
        ),
        ask("Now mend the cause, so that an unknown type cannot stop the others.", after=45),
        *switch("fix/unknown-webhook-types"),
        edit(
            "app/webhooks/router.py",
            """
                check_type(event.type)
                await inbox.store(session, event)
            """,
            """
                await inbox.store(session, event, known=event.type in HANDLERS)
            """,
        ),
        edit(
            "app/webhooks/worker.py",
            """
                handler = HANDLERS[event.type]
                await handler(session, event)
            """,
            """
                handler = HANDLERS.get(event.type)
                await (handler(session, event) if handler else event.park("unknown type"))
            """,
        ),
        bash(
            "make test && uv run ruff check . && uv run mypy app",
            """
            test database on port 54329
            81 passed in 10.52s
            All checks passed!
            app/webhooks/worker.py:33: error: Argument 1 to "park" of "InboxEvent" has \\
                incompatible type "str"; expected "Reason"  [arg-type]
            Found 1 error in 1 file (checked 41 source files)
            """,
            fails=1,
            took=16,
        ),
        edit(
            "app/webhooks/worker.py",
            """
                await (handler(session, event) if handler else event.park("unknown type"))
            """,
            """
                await (handler(session, event) if handler else event.park(Reason.UNKNOWN_TYPE))
            """,
        ),
        bash(
            "make test && uv run ruff check . && uv run mypy app",
            """
            test database on port 54329
            81 passed in 10.40s
            app/webhooks/router.py:23:101: E501 Line too long (108 > 100)
            Found 1 error.
            """,
            fails=1,
            took=16,
        ),
        edit(
            "app/webhooks/router.py",
            """
                logger.info("webhook %s of type %s stored, known: %s", event.id, event.type, \\
                    event.type in HANDLERS)
            """,
            """
                logger.info("webhook %s of type %s stored", event.id, event.type)
            """,
        ),
        bash(
            "make test && uv run ruff check . && uv run mypy app",
            """
            test database on port 54329
            81 passed in 10.38s
            All checks passed!
            Success: no issues found in 41 source files
            """,
            took=16,
        ),
        commit(
            "fix/unknown-webhook-types",
            "fix(webhooks): store events of unknown types instead of refusing them",
            """
            An unknown type raised `KeyError` before the event was stored, and Paywire retries a
            webhook event until it gets a 200. As it delivers in order, one new type held up all
            later events for four hours.

            The webhook inbox now takes every signed event. The worker parks those without a
            handler, with the reason `unknown_type`, because a parked event can be handled once the
            code knows it while a refused one is lost after 72 hours.
            """,
            "4 files changed, 41 insertions(+), 12 deletions(-)",
        ),
        *pull_request(
            "Store webhook events of unknown types",
            "One new event type held up all later events. Deploy before 72 hours are over.",
            212,
            "shop-api",
        ),
        say(
            """
            The fix is in pull request 212. The endpoint answers 200 for every webhook event with a
            good signature, whether we know its type or not, because Paywire takes anything else as
            a reason to deliver it again and stops all that come after it.

            After the deploy this makes the stuck events due again; it is yours to run:

            ```
            make inbox-retry since=2026-10-13T03:00
            ```

            The webhook inbox drops a second delivery by its primary key, so that it does no harm if
            Paywire delivers some of them once more.
            """
        ),
        ask("Deployed and run, all green. How do we notice a new type earlier next time?"),
        say(
            """
            By the number of parked events: `webhook_inbox` has the reason in a column, so an alert
            on `reason = 'unknown_type'` in the last ten minutes sees the first one. A metric of
            webhook retries would have come too late, because Paywire retries only after its own
            timeout and the queue is blocked by then. Should I add the alert to
            `deploy/alerts.yaml`?
            """
        ),
    ),
)
