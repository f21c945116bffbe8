"""Words of English that tell nothing of what a text is about; a hook loads them, too."""

FUNCTION_WORDS = frozenset(
    """
    a about after again all also always am an and any are as at be because been before being but by
    can could did do does doing each either else ever every everything for from had has have he her
    here how i if in instead into is it its just let like ll make many may me might more most much
    my no not nothing now of off ok on one only or other our out over please quite rather re really
    same she should so some still such sure than that the their them then there these they thing
    this those to too until up us use used using ve very want was way we well were what when where
    whether which while who why will with would yes yet you your
    """.split()  # noqa: SIM905 - a word list reads best as words
)
