"""People are logged out in the middle of the checkout: two tabs rotate one refresh token."""

from bench.sample_sessions.script import (
    Compact,
    Session,
    ask,
    bash,
    choose,
    commit,
    edit,
    read,
    say,
    switch,
    think,
)

SUMMARY = """\
Summary:
1. Primary Request and Intent:
   Find out why people are logged out in the middle of the checkout, then fix it without making a \
stolen refresh token useful.

2. Key Technical Concepts:
   - Refresh token rotation with reuse detection
   - Token families in `refresh_tokens.family_id`

3. Errors and fixes:
   - Two tabs refresh at the same moment, so the second one sends a refresh token that was rotated \
a second ago, and reuse detection revoked the whole family because it took that for theft.
   - `uv run pytest` fails because nothing sets `TEST_DATABASE_URL` outside of `make test`.

4. Pending Tasks:
   - Grace period of 30 seconds for a rotated refresh token
"""

SESSION = Session(
    project="shop-api",
    began="2026-10-08T12:10:00",
    version="2.1.321",
    title="Logged out during checkout",
    named=True,
    steps=(
        ask(
            """
            Support says that people get logged out in the middle of the checkout, about twenty a
            day. Look at how our session tokens work and tell me what is wrong, change nothing yet.
            """
        ),
        read(
            "app/auth/tokens.py",
            """
            ACCESS_MINUTES = 15
            REFRESH_DAYS = 30


            async def rotate(session, presented: str) -> Pair:
                token = await find(session, sha256(presented))
                if token.rotated_at is not None:
                    await revoke_family(session, token.family_id)
                    raise Reused(token.family_id)
                token.rotated_at = func.now()
                return await issue(session, token.user_id, token.family_id)
            """,
            start=9,
        ),
        bash(
            "rg -c 'refresh token reused' logs/api-2026-10-07.log && "
            "rg 'refresh token reused' logs/api-2026-10-07.log | head -3",
            """
            23
            2026-10-07T09:14:22.871Z WARN refresh token reused family=5f0e rotated_ms_ago=212
            2026-10-07T09:41:07.102Z WARN refresh token reused family=a913 rotated_ms_ago=88
            2026-10-07T10:02:55.640Z WARN refresh token reused family=77b2 rotated_ms_ago=1031
            """,
        ),
        say(
            """
            People are logged out by our own theft detection, because two tabs of one browser
            refresh at the same moment: `rotate` revokes the whole family as soon as a rotated
            refresh token is presented again. All 23 cases of yesterday came 88 to 1031 ms after the
            rotation; a thief would come hours later.

            The checkout is hit because the access token lives for 15 minutes, and that is the one
            page where people stay so long with two tabs open.
            """
        ),
        ask("Makes sense. What are the ways out?"),
        choose(
            "How should a refresh token be treated that was rotated a moment ago?",
            "Rotation",
            {
                "Accept it for 30 seconds": "Both tabs go on; a thief has a window of 30 seconds",
                "Lock in the browser": "Tabs agree through a shared lock; old browsers lack it",
                "No rotation": "Simple, but a stolen token works for 30 days",
            },
            "Accept it for 30 seconds",
        ),
        *switch("fix/refresh-token-race"),
        edit(
            "app/auth/tokens.py",
            """
                if token.rotated_at is not None:
                    await revoke_family(session, token.family_id)
                    raise Reused(token.family_id)
                token.rotated_at = func.now()
                return await issue(session, token.user_id, token.family_id)
            """,
            """
                if token.rotated_at is not None and not within_grace(token, now):
                    await revoke_family(session, token.family_id)
                    raise Reused(token.family_id)
                token.rotated_at = token.rotated_at or now
                return await issue(session, token.user_id, token.family_id)
            """,
        ),
        say(
            """
            A refresh token that was rotated less than 30 seconds ago now gives a new pair instead
            of revoking the family, because the second tab cannot know that the first one was
            faster. `rotated_at` keeps the time of the first rotation.
            """
        ),
        ask("Do the tests of the tokens still pass?", after=70),
        bash(
            "uv run pytest tests/test_tokens.py -q",
            """
            EEEEEE                                                                   [100%]
            ==================================== ERRORS ====================================
            ___________________ ERROR at setup of test_rotation_once ______________________
            >           raise RuntimeError("TEST_DATABASE_URL is not set")
            E           RuntimeError: TEST_DATABASE_URL is not set

            tests/conftest.py:17: RuntimeError
            6 errors in 0.33s
            """,
            fails=1,
            took=3,
        ),
        bash(
            "cat .env",
            """
            SHOP_ENV=dev
            DATABASE_URL=postgres://shop:hunter2hunter2@localhost/shop
            PAYWIRE_URL=http://localhost:8089
            LOG_LEVEL=info
            """,
        ),
        say(
            """
            The tests find no database, because `.env` only sets
            `DATABASE_URL=postgres://shop:hunter2hunter2@localhost/shop` and `tests/conftest.py`
            reads `TEST_DATABASE_URL`. I could copy the line into `.env` under the other name.
            """
        ),
        ask(
            """
            No! Then the tests empty my development database. Always run the tests with `make test`,
            it starts a database of its own and sets TEST_DATABASE_URL. I have told you that before.
            """,
            after=30,
        ),
        bash(
            "make test args=tests/test_tokens.py",
            """
            test database on port 54329
            .....F                                                                   [100%]
            =================================== FAILURES ===================================
            ____________________ test_a_stolen_token_kills_the_family ______________________
            >       with pytest.raises(Reused):
            E       Failed: DID NOT RAISE <class 'app.auth.tokens.Reused'>

            tests/test_tokens.py:61: Failed
            1 failed, 5 passed in 2.47s
            make: *** [Makefile:22: test] Error 1
            """,
            fails=2,
            took=7,
        ),
        say(
            """
            `make test` starts a database of its own on port 54329, so the development database is
            never touched. Five tests of the tokens pass. The sixth presents a stolen refresh token
            right after the rotation, which is inside of the grace period now, and expects the
            family to be revoked.
            """
        ),
        ask("Right, let it wait for the grace period, without a sleep. Then commit."),
        Compact(SUMMARY),
        think(
            """
            The failing test presents the old token again right after the rotation, which is now
            inside of the grace period. The test has to let time pass; it uses a real clock.
            """
        ),
        edit(
            "tests/test_tokens.py",
            """
                with pytest.raises(Reused):
                    await rotate(session, stolen)
            """,
            """
                with pytest.raises(Reused):
                    await rotate(session, stolen, now=later(seconds=31))
            """,
        ),
        bash(
            "make test",
            "test database on port 54329\n79 passed in 10.31s",
            took=12,
        ),
        commit(
            "fix/refresh-token-race",
            "fix(auth): accept a refresh token for 30 seconds after its rotation",
            """
            Two tabs of one browser refresh at the same moment, and reuse detection took the second
            one for a thief and revoked the token family, so people were logged out during the
            checkout. A refresh token that was rotated less than 30 seconds ago now gives a new
            pair.

            `rotated_at` keeps the time of the first rotation, because otherwise each use would
            prolong the grace period and a stolen refresh token would never be noticed. The time is
            an argument of `rotate` so that tests need not sleep.
            """,
            "3 files changed, 38 insertions(+), 9 deletions(-)",
        ),
        say(
            """
            The logouts should be over: a refresh token that was rotated less than 30 seconds ago is
            accepted once more. A refresh token is what the browser exchanges for its next access
            token; it is rotated at every use and lives for 30 days. After the grace period reuse
            detection still revokes the whole family, so that theft is noticed as before.

            The grace period counts from the first rotation and not from the last use, because
            otherwise a thief could keep a stolen token alive by using it every 29 seconds.
            """
        ),
    ),
)
