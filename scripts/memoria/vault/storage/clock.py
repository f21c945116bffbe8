"""Ask the machine's clock for times that are kept, aware of their zone."""

from datetime import UTC, datetime, tzinfo


def now(zone: tzinfo | None = None) -> datetime:
    """Give the present time in a zone, None meaning the system's."""
    return to_local_time(datetime.now(UTC), zone)


def to_local_time(moment: datetime, zone: tzinfo | None) -> datetime:
    """Give a moment as the person's clock shows it; UTC where Python cannot have its zone."""
    try:
        return moment.astimezone(zone)
    except (ValueError, OverflowError, OSError):  # Windows' answer to a year before 1970
        return moment.astimezone(UTC)
