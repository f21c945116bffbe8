"""Read a moment as a record has it and a day as a person names it."""

from datetime import UTC, date, datetime, time, tzinfo

from memoria.errors import UsageError

_EXCERPT_CHARS = 40  # of what was given in place of a day, as far as it is shown


def parse_moment(value: object) -> datetime | None:
    """Read a moment in ISO 8601, None for what is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_day(text: str | None, name: str = "--since") -> date | None:
    """Read the day that an option names, None for none; UsageError says what to write."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        excerpt = (text or "")[:_EXCERPT_CHARS]
        raise UsageError(f"{name} {excerpt!r}: use a date, YYYY-MM-DD") from None


def parse_midnight(text: str | None, zone: tzinfo | None) -> datetime:
    """Give the moment at which the day of --since begins on a clock, for no day the first one."""
    day = parse_day(text)
    if not day or day.year <= 1970:  # noqa: PLR2004 - Windows has no midnight of a zone before
        return datetime.min.replace(tzinfo=UTC)
    return datetime.combine(day, time(), zone).astimezone(UTC)
