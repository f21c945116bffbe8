"""The words that announce a secret in a sentence, by language, as data."""

from __future__ import annotations

# What a person chose: English, German, Dutch, Spanish, French, Italian, Portuguese, Russian,
# Chinese, Japanese. Endings stand as patterns; a text is in lower case.
PASSWORDS = (
    r"password(?:'s|s)?|passphrase|passcode|pw",
    r"passwort|kennwort|zugangscode",
    r"wachtwoord",
    r"contrase\xf1a|contrasena|contra|clave",
    r"mots? de passe|mdp",
    r"parola d'ordine|parola chiave",
    r"senha|palavra[- ]passe",
    r"\u043f\u0430\u0440\u043e\u043b(?:\u044c|\u044f|\u044e|\u0435\u043c|\u0435)",
    r"\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4",
    r"\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7|\u5408\u8a00\u8449",
)
# What a machine made.
KEYS = (
    r"secret[ -]key|access[ -]key|api[ -]key|private[ -]key|token|secret",
    r"schl\xfcssel|api-schl\xfcssel|zugangsschl\xfcssel|zugriffstoken|zugangstoken",
    r"clave secreta|clave api|token de acceso",
    r"cl\xe9 (?:d'|d\u2019)?api|cl\xe9 secr\xe8te|jeton",
    r"chiave(?: segreta| api)?",
    r"chave(?: secreta| de api)?|token de acesso",
    r"\u0442\u043e\u043a\u0435\u043d|\u043a\u043b\u044e\u0447",
    r"\u5bc6\u94a5|\u5bc6\u9470|\u4ee4\u724c",
    r"\u30c8\u30fc\u30af\u30f3|\u30ad\u30fc|\u79d8\u5bc6\u9375",
)
# After these the value comes next: is, reads, was, to.
LINKS = frozenset(
    """: = - \u2014 \u2013 is was are be as to now need ist lautet war hei\xdft w\xe4re auf es sigue
    siendo ser\xe1 est c'est devient \xe8 \xe9 era a \xe0 para \u044d\u0442\u043e
    \u0442\u0430\u043a\u043e\u0439 \u043d\u0430""".split()  # noqa: SIM905 - a table of words
)
# "X as the password", "X is the password".
AS = r"as|als|comme|como|come|is|ist|est|es|\xe8|\xe9"
