r"""The forms of keys that say by themselves what they are, as data.

Most providers mark their keys with a prefix, so that scanners can find them. One row is a kind, the
literal text that must be there and what follows it. The literal is searched first (fast), and the
pattern is tried only there. The facts are the providers' own; the collections of gitleaks and
detect-secrets were the guide to which are in use. The trap: a prefix without its length matches
half of all identifiers (`hf_`, `s.`, `sk-`), so a row says how long the key is.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """One form: `literal` begins the key, `pattern` matches from there.

    `doubt` says how closely its characters are looked at: 0 not at all (nothing else has this
    form), 1 it must be no placeholder, 2 it must be random (words have this form as well).
    """

    kind: str
    literal: str
    pattern: re.Pattern[str]
    doubt: int


_B = r"[A-Za-z0-9]"
_W = r"[\w-]"
_U = r"[A-Z0-9]"
_H = r"[0-9a-fA-F]"
_AUTHRESS = r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}"
_UUID = rf"{_H}{{8}}(?:-{_H}{{4}}){{3}}-{_H}{{12}}"

# kind ("!": doubt 0, "?": doubt 2), literals (one row each), what follows
_FORMS: tuple[tuple[str, str, str], ...] = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_B}{{36,255}}"),
    ("github-token", "github_pat_", r"\w{60,255}"),
    ("gitlab-token", "glpat- gldt- glrt- glrtr- glcbt- glft- glffct- glsoat-", r"[\w.=-]{20,300}"),
    ("gitlab-token", "glimt-", rf"{_W}{{25}}(?!{_W})"),
    ("gitlab-token", "glptt-", rf"{_W}{{40}}(?!{_W})"),
    ("gitlab-token", "glagent-", rf"{_W}{{50,}}"),
    ("gitlab-token", "gloas-", rf"{_W}{{64}}(?!{_W})"),
    ("gitlab-token", "GR1348941", rf"{_W}{{20,}}"),
    ("gitlab-session", "_gitlab_session=", r"[0-9a-z]{32}"),
    ("aws-key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "A3T", r"[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws-bedrock-key!", "bedrock-api-key-", r"[A-Za-z0-9+/=_-]{28,}"),
    ("gcp-key", "AIza", rf"{_W}{{35}}(?!{_W})"),
    ("gcp-oauth", "ya29.", rf"{_W}{{20,}}"),
    ("gcp-oauth", "GOCSPX-", rf"{_W}{{28}}"),
    ("gcp-oauth?", "1//0", rf"{_W}{{40,}}"),
    ("slack-token?", "xoxa- xoxb- xoxo- xoxp- xoxr- xoxs-", r"[A-Za-z0-9-]{10,250}"),
    ("slack-token?", "xapp- xoxe- xoxe.xoxp- xoxe.xoxb-", r"\d-[A-Za-z0-9-]{20,300}"),
    ("slack-webhook!", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/+-]{30,}"),
    ("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", rf"{_B}{{16,}}"),
    ("sonar-token", "sqa_ sqp_ squ_", r"[0-9a-f]{40}"),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    ("anthropic-key", "sk-ant-", rf"[a-z]{{2,10}}\d\d-{_W}{{60,}}"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1-", rf"{_W}{{40,}}"),
    ("openai-key?", "sk-", rf"{_B}{{20,}}"),
    ("groq-key", "gsk_", rf"{_B}{{50,}}"),
    ("xai-key", "xai-", rf"{_B}{{70,}}"),
    ("perplexity-key", "pplx-", rf"{_B}{{48,}}"),
    ("replicate-key", "r8_", rf"{_B}{{37,}}"),
    ("huggingface-token?", "hf_ api_org_", r"[A-Za-z]{34}(?![A-Za-z0-9_])"),
    ("langchain-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("npm-token", "npm_", rf"{_B}{{36}}"),
    ("pypi-token", "pypi-AgE", rf"{_W}{{50,}}"),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    ("clojars-token", "CLOJARS_", r"[a-z0-9]{60}"),
    ("cargo-token?", "cio", rf"{_B}{{32}}(?!{_B})"),
    ("nuget-key?", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"{_W}{{27,}}"),
    ("twilio-key", "SK AC", r"(?:[0-9a-f]{32}|[0-9A-F]{32})(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", r"[\w=-]{16,}\.[\w=.-]{16,}"),
    ("sendgrid-key", "SG.", r"[\w=.-]{66}"),
    ("mailgun-key?", "key- pubkey-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("sendinblue-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("postmark-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("resend-key?", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{40,}"),
    ("shopify-token", "shpat_ shpss_ shpca_ shppa_", rf"{_H}{{32}}"),
    ("linear-key", "lin_api_ lin_oauth_", rf"{_B}{{32,}}"),
    ("notion-token", "ntn_", r"\d{11}[A-Za-z0-9]{35}(?![A-Za-z0-9])"),
    ("notion-token?", "secret_", rf"{_B}{{43}}(?![A-Za-z0-9])"),
    ("airtable-token", "pat", rf"{_B}{{14}}\.[0-9a-f]{{64}}"),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("dynatrace-token", "dt0", r"[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("grafana-token?", "glc_", r"[A-Za-z0-9+/]{32,400}={0,3}"),
    ("grafana-token", "glsa_", rf"{_B}{{32}}_{_H}{{8}}"),
    ("grafana-token", "eyJrIjoi", r"[A-Za-z0-9]{40,400}={0,3}"),
    ("vault-token?", "hvs. hvb. hvr.", rf"{_W}{{24,300}}"),
    ("vault-token?", "s.", r"[A-Za-z0-9]{24}(?![A-Za-z0-9_.(\[])"),
    ("heroku-key", "HRKU-AA", rf"{_W}{{58}}"),
    ("newrelic-key", "NRAK- NRII- NRJS- NRSP- NRRA-", rf"{_W}{{19,64}}"),
    ("planetscale-token?", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{32,64}"),
    ("prefect-key", "pnu_ pnb_", rf"{_B}{{36}}"),
    ("pulumi-token", "pul-", r"[0-9a-f]{40}(?![A-Za-z0-9])"),
    ("readme-key", "rdme_", r"[a-z0-9]{70}"),
    ("sentry-token", "sntrys_eyJ", r"[\w+/=-]{80,}"),
    ("sentry-token", "sntryu_", r"[0-9a-f]{64}(?![A-Za-z0-9])"),
    ("shippo-token", "shippo_live_ shippo_test_", rf"{_H}{{40}}"),
    ("square-token", "sq0csp- sq0atp- sq0idp-", r"[\w^$%&!?\\\[\]-]{22,43}"),
    ("square-token?", "EAAA", rf"{_W}{{22,60}}(?!{_W})"),
    ("facebook-token", "EAAM EAAC EAAG EAAB", rf"{_B}{{80,}}"),
    ("sourcegraph-token", "sgp_", rf"(?:{_H}{{16}}_|local_)?{_H}{{40}}(?![A-Za-z0-9])"),
    ("typeform-token", "tfp_", r"[\w.=-]{59}"),
    ("duffel-token", "duffel_live_ duffel_test_", r"[\w=-]{43}"),
    ("easypost-key", "EZAK EZTK", rf"{_B}{{54,56}}(?![A-Za-z0-9])"),
    ("frameio-token", "fio-u-", r"[\w=-]{64}"),
    ("flutterwave-key", "FLWPUBK FLWSECK", r"(?:_TEST)?-[0-9a-f]{12,32}(?:-X)?"),
    ("fly-token", "fo1_", rf"{_W}{{43}}"),
    ("fly-token", "fm1_ fm2_ fm1a_ fm1r_", r"[A-Za-z0-9+/=,_]{60,}"),
    ("infracost-key?", "ico-", rf"{_B}{{32}}(?!{_B}|\.(?:png|svg|ico))"),
    ("harness-key", "pat. sat.", r"[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", r"[0-9a-f]{64}"),
    ("openshift-token", "sha256~", rf"{_W}{{43}}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", _UUID),
    ("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    ("supabase-key?", "sbp_ sb_secret_", r"[\w-]{30,}"),
    ("adafruit-key", "aio_", rf"{_B}{{28}}"),
    ("alibaba-key?", "LTAI", rf"{_B}{{12,24}}(?![A-Za-z0-9])"),
    ("tencent-key", "AKID", rf"{_B}{{32}}(?![A-Za-z0-9])"),
    ("adobe-secret", "p8e-", r"[0-9a-f]{32}"),
    ("age-key!", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    ("1password-key", "A3-", rf"{_U}{{6}}-(?:{_U}{{11}}|{_U}{{6}}-{_U}{{5}})(?:-{_U}{{5}}){{3}}"),
    ("1password-token", "ops_eyJ", r"[\w+/=-]{100,}"),
    ("artifactory-key", "AKCp", rf"{_B}{{69}}(?!{_B})"),
    ("artifactory-key?", "AKC AP2 AP3 AP5 AP6 APA APB", rf"(?=\w*\d){_B}{{60,80}}(?!{_B})"),
    ("artifactory-key", "cmVmd", rf"{_B}{{59}}(?!{_B})"),
    ("atlassian-token?", "ATATT3 ATCTT3 ATOA ATBB", r"[\w=+/-]{24,}"),
    ("contentful-token", "CFPAT-", rf"{_W}{{43}}"),
    ("figma-token?", "figd_ figo_", rf"{_W}{{36,}}"),
    ("dropbox-token?", "sl.", r"[\w=-]{130,}"),
    ("buildkite-token", "bkua_", r"[0-9a-f]{40}"),
    ("circleci-token?", "CCIPAT_", r"\w{40,}"),
    ("netlify-token", "nfp_", rf"{_B}{{36,}}"),
    ("tailscale-key?", "tskey-", r"[a-z]+-[A-Za-z0-9-]{20,}"),
    ("posthog-key?", "phx_", rf"{_W}{{32,}}"),
    ("dnkey", "dnkey-", r"[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    ("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,}"),
    ("yandex-key", "AQVN", rf"{_W}{{35,38}}"),
    ("yandex-token", "t1.", r"[A-Z0-9a-z_-]+={0,2}\.[A-Z0-9a-z_-]{86}={0,2}"),
    ("scalingo-token", "tk-us-", rf"{_W}{{48}}"),
    ("settlemint-token", "sm_pat_ sm_aat_ sm_sat_", rf"{_B}{{16}}(?![A-Za-z0-9])"),
    ("beamer-token?", "b_", r"[a-z0-9=_-]{44}(?![\w=-])"),
    ("octopus-key?", "API-", r"(?=[A-Z]*\d)[A-Z0-9]{26}(?![A-Za-z0-9])"),
    ("authress-key", "sc_ ext_ scauth_ authress_", _AUTHRESS),
    ("lob-key?", "live_ test_", r"(?:pub_)?[0-9a-f]{31,35}(?![A-Za-z0-9])"),
    ("gocardless-token?", "live_", r"[\w=-]{40}(?![\w=-])"),
    ("mapbox-token", "sk.eyJ", rf"{_W}{{50,}}\.{_W}{{20,}}"),
    ("paypal-token", "access_token$", r"(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("twitter-token!", "AAAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{80,120}"),
    ("discord-webhook!", "discord.com/api/webhooks/", rf"\d{{15,20}}/{_W}{{60,}}"),
    ("discord-webhook!", "discordapp.com/api/webhooks/", rf"\d{{15,20}}/{_W}{{60,}}"),
    ("teams-webhook!", ".webhook.office.com/webhookb2/", r"[\w@/-]{60,}"),
    ("zapier-webhook!", "hooks.zapier.com/hooks/catch/", r"\d+/\w+"),
)  # fmt: skip
# Not in the middle of another word; a path or an assignment may stand before it.
_BEFORE = r"(?<![A-Za-z0-9])"
TOKENS = tuple(
    Token(
        kind.rstrip("!?"),
        literal,
        re.compile(("" if literal[0] == "." else _BEFORE) + re.escape(literal) + rest),
        {"!": 0, "?": 2}.get(kind[-1], 1),
    )
    for kind, literals, rest in _FORMS
    for literal in literals.split()
)


# Most texts hold no word that begins like a key; this finds how their words begin.
WORD_BEGINNING = re.compile(r"(?<![A-Za-z0-9])(?=([A-Za-z0-9][\w.$/~-]{2}))")
_LENGTH = 3


def _by_beginning() -> dict[str, tuple[Token, ...]]:
    found: dict[str, tuple[Token, ...]] = {}
    for token in TOKENS:
        beginning = token.literal[:_LENGTH] if WORD_BEGINNING.match(token.literal) else ""
        found[beginning] = (*found.get(beginning, ()), token)
    return found


# The tokens by the first three characters of their literal; "" has those that always are tried.
BY_BEGINNING = _by_beginning()
# Forms whose fixed part does not stand at the beginning: kind, a part that must occur, the pattern.
INNER = tuple(
    (kind, part, re.compile(pattern))
    for kind, part, pattern in (
        ("azure-secret", "Q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
        ("openai-key", "T3BlbkFJ", r"sk-[\w-]{10,90}T3BlbkFJ[\w-]{10,90}"),
        ("terraform-token", ".atlasv1.", r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
        ("telegram-token", ":AA", r"(?<![\w:])\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
        ("mailchimp-key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)"),
        ("maxmind-key", "_mmk", r"(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
        ("facebook-token", "|", r"(?<!\d)\d{15,16}\|[\w-]{27}(?![\w-])"),
        ("sidekiq-key", "CONTRIBSYS__COM", r"(?<=CONTRIBSYS__COM[=:])[0-9a-f]{8}:[0-9a-f]{8}"),
        ("asana-token", "1/", r"(?<![\w/])1/\d{16}:[0-9a-f]{32}"),
        (
            "discord-token",
            ".",
            r"(?<![\w-])[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])",
        ),
    )
)
