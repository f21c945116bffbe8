"""Write counts and amounts as a reader expects them."""


def format_count(count: int, singular: str, plural: str = "") -> str:
    """Write a count with its noun: "1 session", "2 sessions", "no sessions"."""
    noun = singular if count == 1 else plural or f"{singular}s"
    return f"{count:,} {noun}" if count else f"no {noun}"


def format_dollars(value: float) -> str:
    """Write US dollars: cents, and more of what is less than a cent."""
    return f"${value:,.2f}" if value >= 0.01 or not value else f"${value:.4f}"  # noqa: PLR2004 - a cent
