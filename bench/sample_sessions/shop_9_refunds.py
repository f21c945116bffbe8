"""Refunds, which must follow the rules of charges: ends before it is finished."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    create,
    edit,
    read,
    say,
    switch,
    think,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-15T13:05:00",
    version="2.1.330",
    steps=(
        ask(
            """
            Next is POST /payments/{id}/refunds, for the whole amount or a part, with an idempotency
            key just like a charge. What is new about it? And we always keep money as integer cents,
            never as floats, because Paywire rejects everything else.
            """
        ),
        read(
            "app/payments/paywire.py",
            """
                async def charge(self, amount: int, card: str, key: str) -> Charge:
                    headers = {"Idempotency-Key": key}
            """,
            start=31,
        ),
        say(
            """
            The idempotency key alone does not protect a refund, because two partial refunds are two
            requests with two keys. What is new is the sum: both at the same time must not add up to
            more than was paid, and a check before the insert cannot see the other one. The payment
            row is therefore locked with `FOR UPDATE` while the refunds are added up.
            """
        ),
        ask("Good. Build it, with a test for two partial refunds at the same time."),
        *switch("feat/refunds"),
        create(
            "app/payments/refunds.py",
            """
            \"\"\"Refunds: whole or in parts, never more than was paid.\"\"\"


            async def create_refund(session, client, payment_id, asked: AskedRefund) -> Refund:
                payment = await session.get(Payment, payment_id, with_for_update=True)
                left = payment.amount_cents - await refunded(session, payment_id)
                if asked.amount > left:
                    raise HTTPException(409, "refund_exceeds_payment")
                refund = await claim_refund(session, payment, asked)
                await client.refund(payment.charge_id, asked.amount / 100, asked.key)
                return refund
            """,
        ),
        bash(
            "make test args=tests/test_refunds.py && uv run mypy app",
            """
            test database on port 54329
            4 passed in 2.20s
            app/payments/refunds.py:11: error: Argument 2 to "refund" of "PaywireClient" has \\
                incompatible type "float"; expected "int"  [arg-type]
            Found 1 error in 1 file (checked 42 source files)
            """,
            fails=1,
            took=11,
        ),
        edit(
            "app/payments/refunds.py",
            "    await client.refund(payment.charge_id, asked.amount / 100, asked.key)\n",
            "    await client.refund(payment.charge_id, asked.amount_cents, asked.key)\n",
        ),
        create(
            "tests/test_refunds_twice.py",
            """
            async def test_two_partial_refunds_stay_below_the_payment(api, payment):
                both = [api.post(f"/payments/{payment}/refunds", json={"amount_cents": 600}, \\
                    key=key)
                        for key in ("refund-key-1", "refund-key-2")]
                codes = sorted(answer.status_code for answer in await asyncio.gather(*both))
                assert codes == [201, 409]
            """,
        ),
        bash(
            "make test args=tests/test_refunds_twice.py",
            """
            test database on port 54329
            F                                                                        [100%]
            =================================== FAILURES ===================================
            ________________ test_two_partial_refunds_stay_below_the_payment _______________
            >       assert codes == [201, 409]
            E       AssertionError: two refunds of 600 were both accepted for a payment of 1000

            tests/test_refunds_twice.py:5: AssertionError
            1 failed in 2.31s
            make: *** [Makefile:22: test] Error 1
            """,
            fails=2,
            took=8,
        ),
        think(
            """
            The lock is taken, so why do both pass? refunded() may count only refunds that are
            settled; the one that was just claimed is still pending.
            """
        ),
        bash(
            "rg -n 'async def refunded' -A6 app/payments/refunds.py",
            """
            31:async def refunded(session, payment_id) -> int:
            32-    settled = select(func.sum(Refund.amount_cents)).where(
            33-        Refund.payment_id == payment_id, Refund.state == "settled"
            34-    )
            35-    return await session.scalar(settled) or 0
            """,
        ),
    ),
)
