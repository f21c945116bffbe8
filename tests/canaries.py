"""Made-up secrets of many forms, in texts as sessions have them; put together, so no literals."""

import json
import random
import string

from transcript_lines import assistant, encode, line, result, say, text, tool, user

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
WORDS = string.ascii_letters + string.digits + "_-"
# prefix, alphabet, length of the rest
FORMS = [
    ("gh" + "p_", ALNUM, 36), ("github" + "_pat_", ALNUM, 82), ("gl" + "pat-", ALNUM, 20),
    ("AK" + "IA", string.ascii_uppercase + string.digits, 16), ("AI" + "za", WORDS, 35),
    ("sk_" + "live_", ALNUM, 24), ("sk-" + "proj-", ALNUM, 64), ("sk-" + "ant-api03-", WORDS, 95),
    ("np" + "m_", ALNUM, 36), ("hf" + "_", string.ascii_letters, 34), ("SK", HEX, 32),
    ("dop" + "_v1_", HEX, 64), ("shp" + "at_", HEX, 32), ("lin" + "_api_", ALNUM, 40),
    ("gs" + "k_", ALNUM, 52), ("da" + "pi", HEX, 32), ("hv" + "s.", ALNUM, 95),
    ("xox" + "b-123456789012-", ALNUM, 24), ("nv" + "api-", ALNUM, 64), ("vc" + "p_", ALNUM, 56),
]  # fmt: skip
NAMED = (
    "DB_PASSWORD={}",
    'password: "{}"',
    "mysql -u root -p{} shop",
    "API_TOKEN={}",
    "postgres://app:{}@db.internal/shop",
    "curl -u ci:{} https://x.example",
    "the password is {}",
    '{{"client_secret": "{}"}}',
    "Authorization: Bearer {}",
    "redis://:{}@cache:6379",
)


def made(count, seed=7):
    """Make secrets: (secret, text that holds it); every third is of no form and behind a name."""
    rng = random.Random(seed)
    for number in range(count):
        if number % 3 == 2:
            secret = "".join(rng.choices(ALNUM, k=22)) + "7"
            yield secret, NAMED[number // 3 % len(NAMED)].format(secret)
        else:
            prefix, alphabet, length = FORMS[number % len(FORMS)]
            # a sign at the end would not be told from that of a sentence
            last = rng.choice(alphabet.removesuffix("_-"))
            secret = prefix + "".join(rng.choices(alphabet, k=length - 1)) + last
            yield secret, f"key {secret}"


def session(texts, session_id):
    """Make a transcript that holds these texts in all places where a session can."""
    rows = []
    for number, one in enumerate(texts):
        at, key = number / 4, f"toolu_{number}"
        place = number % 8
        if place == 0:
            rows.append(user(f"Always use the vault, never paste {one} anywhere.", at))
        elif place == 1:
            rows.append(say(f"I decided to use {one}, because the old one expired.", at))
        elif place == 2:
            rows += [assistant(tool(key, command=f"echo {one} && make"), at=at),
                     result(key, f"make: *** [build] Error 1\n{one}\nValueError: bad {one}",
                            at, error=True)]  # fmt: skip
        elif place == 3:
            rows += [assistant(tool(key, "Read", file_path=f"/home/ana/{one}/a.env"), at=at),
                     result(key, f"A=1\n{one}\nB=2\n", at)]  # fmt: skip
        elif place == 4:
            rows.append(user(f"The build fails:\n```\nline\n{one}\n```\nFix it.", at))
        elif place == 5:
            change = {"file_path": "/home/ana/a.py", "old_string": "x = 1", "new_string": one}
            rows += [assistant(tool(key, "Edit", **change), at=at), result(key, "done", at)]
        elif place == 6:
            rows.append(say(json.dumps({"stdout": f"\x1b[32m{one}\x1b[0m"}), at))
        else:
            rows += [assistant(text(f"Fixed: {one}."), tool(key, "Grep", pattern=one), at=at),
                     result(key, one, at)]  # fmt: skip
    rows.append(line("custom-title", len(texts) / 4, customTitle=f"Rotate {texts[0]}"))
    return b"".join(encode(one | {"sessionId": session_id}) for one in rows)
