"""Customers were charged twice: idempotency keys for payments."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    commit,
    create,
    edit,
    missing,
    mistaken,
    read,
    say,
    steer,
    switch,
    think,
)

SESSION = Session(
    project="shop-api",
    began="2026-10-05T08:41:00",
    version="2.1.318",
    title="Stop double charges with idempotency keys",
    steps=(
        ask(
            """
            Three customers were charged twice over the weekend, each time for one order. The access
            log has two POST /payments within a second. Can you find out why?
            """
        ),
        think(
            """
            Two requests close together: a double click or a retry of the browser. I should look at
            how a payment is created before I guess where the gap is.
            """
        ),
        missing("app/payments.py", "app/payments/service.py"),
        read(
            "app/payments/service.py",
            """
            \"\"\"Payments of orders.\"\"\"

            from app.models import Order, Payment
            from app.payments.paywire import PaywireClient


            async def create_payment(session, client: PaywireClient, order: Order) -> Payment:
                if order.payment is not None:
                    return order.payment
                charge = await client.charge(order.total_cents, order.card_token)
                payment = Payment(order=order, charge_id=charge.id, amount_cents=charge.amount)
                session.add(payment)
                await session.commit()
                return payment
            """,
        ),
        bash(
            "rg -n 'def charge' -A12 app/payments/paywire.py",
            """
            31:    async def charge(self, amount: int, card: str, key: str = "") -> Charge:
            32-        for attempt in range(3):
            33-            headers = {"Idempotency-Key": key or str(uuid4())}
            34-            response = await self._post("/charges", headers, amount=amount, \\
                card=card)
            35-            if response.status_code < 500:
            36-                return Charge.parse(response)
            37-            await asyncio.sleep(2**attempt)
            38-        raise PaywireDown(response.status_code)
            """,
        ),
        say(
            """
            Both requests charge the card because `create_payment` checks for a payment first, then
            waits for Paywire, and writes the row only afterwards: two requests that arrive together
            both see an unpaid order. They run in different worker processes, so no lock inside of
            the process can help; only the database can say which of them was first.

            Beside that, `PaywireClient.charge` makes a fresh idempotency key for each attempt, as
            `key or str(uuid4())` stands inside of the retry loop: after a timeout our own retry is
            a new charge for Paywire.
            """
        ),
        ask(
            """
            Good find. Do it properly then: the checkout page can send an Idempotency-Key header,
            one per checkout. Store it with a unique constraint before the card is charged.
            """
        ),
        *switch("feat/idempotent-payments"),
        mistaken(
            "app/models.py",
            """
            class Payment(Base):
                id: Mapped[int] = mapped_column(primary_key=True)
            """,
            """
            class Payment(Base):
                id: Mapped[int] = mapped_column(primary_key=True)
                idempotency_key: Mapped[str | None] = mapped_column(String(64), unique=True)
            """,
        ),
        read(
            "app/models.py",
            """
            class Payment(Base):
                __tablename__ = "payments"

                id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
                order_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("orders.id"))
                charge_id: Mapped[str]
                amount_cents: Mapped[int]
            """,
            start=58,
        ),
        edit(
            "app/models.py",
            """
                charge_id: Mapped[str]
                amount_cents: Mapped[int]
            """,
            """
                idempotency_key: Mapped[str | None] = mapped_column(String(64), unique=True)
                request_hash: Mapped[str | None] = mapped_column(String(64))
                charge_id: Mapped[str | None]
                amount_cents: Mapped[int]
            """,
        ),
        edit(
            "app/payments/service.py",
            """
            async def create_payment(session, client: PaywireClient, order: Order) -> Payment:
                if order.payment is not None:
                    return order.payment
                charge = await client.charge(order.total_cents, order.card_token)
                payment = Payment(order=order, charge_id=charge.id, amount_cents=charge.amount)
                session.add(payment)
                await session.commit()
                return payment
            """,
            """
            async def create_payment(session, client, order: Order, asked: Asked) -> Payment:
                payment = await claim(session, order, asked)
                if payment.charge_id is None:
                    charge = await client.charge(order.total_cents, order.card_token, asked.key)
                    payment.charge_id = charge.id
                    await session.commit()
                return payment
            """,
        ),
        create(
            "app/payments/claim.py",
            """
            \"\"\"The row of a payment, inserted by exactly one of the requests that ask for \\
                it.\"\"\"


            async def claim(session, order: Order, asked: Asked) -> Payment:
                row = {"order_id": order.id, "idempotency_key": asked.key}
                row |= {"request_hash": asked.hash, "amount_cents": order.total_cents}
                statement = insert(Payment).values(**row).returning(Payment)
                payment = await session.scalar(statement)
                return payment or await winner(session, asked)
            """,
        ),
        say("Now a test with two requests at once; `respx` can play Paywire."),
        bash(
            "pip install respx",
            """
            error: externally-managed-environment
            To install Python packages system-wide, try apt install python3-xyz.
            """,
            fails=1,
        ),
        steer(
            """
            From now on use uv, not pip: pip ignores uv.lock, and then CI has other versions than we
            have here.
            """
        ),
        bash("uv add --dev respx", "Resolved 61 packages in 312ms\n + respx==0.22.0", took=4),
        create(
            "tests/test_payments_twice.py",
            """
            import asyncio


            async def test_two_requests_make_one_charge(api, paywire, order):
                headers = {"Idempotency-Key": "checkout-17"}
                both = [api.post("/payments", json=order, headers=headers) for _ in range(2)]
                first, second = await asyncio.gather(*both)
                assert first.json() == second.json()
                assert paywire.charges == 1, f"expected one charge at Paywire, got \\
                    {paywire.charges}"
            """,
        ),
        bash(
            "uv run pytest tests/test_payments_twice.py -q",
            """
            E                                                                        [100%]
            ==================================== ERRORS ====================================
            ____________ ERROR at setup of test_two_requests_make_one_charge _____________

                def database_url() -> str:
                    url = os.environ.get("TEST_DATABASE_URL")
                    if not url:
            >           raise RuntimeError("TEST_DATABASE_URL is not set")
            E           RuntimeError: TEST_DATABASE_URL is not set

            tests/conftest.py:17: RuntimeError
            =========================== short test summary info ============================
            ERROR tests/test_payments_twice.py::test_two_requests_make_one_charge - Runtime...
            1 error in 0.31s
            """,
            fails=1,
            took=3,
        ),
        bash(
            'eval "$(make -s test-db)" && uv run pytest tests/test_payments_twice.py -q',
            """
            F                                                                        [100%]
            =================================== FAILURES ===================================
            ______________________ test_two_requests_make_one_charge _______________________
            >       assert paywire.charges == 1, f"expected one charge at Paywire, got {...}"
            E       AssertionError: expected one charge at Paywire, got 2

            tests/test_payments_twice.py:9: AssertionError
            =========================== short test summary info ============================
            FAILED tests/test_payments_twice.py::test_two_requests_make_one_charge - Assert...
            1 failed in 2.84s
            """,
            fails=1,
            took=6,
        ),
        edit(
            "app/payments/paywire.py",
            """
                async def charge(self, amount: int, card: str, key: str = "") -> Charge:
                    for attempt in range(3):
                        headers = {"Idempotency-Key": key or str(uuid4())}
            """,
            """
                async def charge(self, amount: int, card: str, key: str) -> Charge:
                    headers = {"Idempotency-Key": key}
                    for attempt in range(3):
            """,
        ),
        edit(
            "app/payments/claim.py",
            """
                statement = insert(Payment).values(**row).returning(Payment)
            """,
            """
                statement = \\
                    insert(Payment).values(**row).on_conflict_do_nothing().returning(Payment)
            """,
        ),
        bash(
            'eval "$(make -s test-db)" && uv run pytest -q && uv run mypy app',
            """
            ........................................................................ [100%]
            72 passed in 9.12s
            app/payments/router.py:44: error: Argument 3 to "charge" of "PaywireClient" has \\
                incompatible type "str | None"; expected "str"  [arg-type]
            Found 1 error in 1 file (checked 38 source files)
            """,
            fails=1,
            took=14,
        ),
        edit(
            "app/payments/router.py",
            'key: str | None = Header(None, alias="Idempotency-Key")',
            'key: str = Header(alias="Idempotency-Key", min_length=8, max_length=64)',
        ),
        bash(
            'eval "$(make -s test-db)" && uv run pytest -q && uv run mypy app',
            """
            ........................................................................ [100%]
            72 passed in 9.04s
            Success: no issues found in 38 source files
            """,
            took=14,
        ),
        commit(
            "feat/idempotent-payments",
            "fix(payments): charge an order once, however often the browser asks",
            """
            Two requests that arrive together both saw an unpaid order, because the row was written
            only after Paywire had answered. The payment row is now claimed first, with the
            idempotency key under a unique constraint, and only the request that inserted it charges
            the card.

            `PaywireClient.charge` made a fresh idempotency key per attempt, so a retry after a
            timeout was a second charge. The key is now required and the same for all attempts.
            """,
            "6 files changed, 94 insertions(+), 21 deletions(-)",
        ),
        say(
            """
            An order is now charged once. `claim` inserts the payment row before the card is
            charged; whoever loses the insert waits for the winner's row and returns that. The
            idempotency key is required instead of optional, because an optional one is forgotten
            exactly where it is needed.

            `Idempotency-Key` is a value that the checkout page makes up and sends with every try.
            Next comes the migration for the new columns; the table is large and wants a look of its
            own.
            """
        ),
        ask("What happens when the same key comes with another amount?", after=95),
        read(
            "app/payments/claim.py",
            """
                if found.request_hash != asked.hash:
                    raise HTTPException(422, "idempotency_key_reused")
                return found
            """,
            start=29,
        ),
        say(
            """
            It is answered with 422 `idempotency_key_reused`, because the stored SHA-256 of the
            request body does not match. Returning the stored payment would tell the customer that
            the second amount was paid. The hash is taken of the parsed body and not of the bytes,
            so that another order of the JSON keys does not count as another request.
            """
        ),
    ),
)
