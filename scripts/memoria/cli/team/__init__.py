"""The verb `memoria team`, and what of a vault it and the flush share."""
