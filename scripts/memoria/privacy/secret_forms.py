"""The forms of keys that say by themselves what they are: kind, literal, what follows.

Which are in use was read from the rules of gitleaks and betterleaks (MIT, notice below) and
detect-secrets (Apache-2.0). The trap: a prefix without its length matches half of all identifiers,
so a row says how long the key is; and hundreds of searches a text would be slow, so a text is asked
once how its words begin, and a form's pattern is tried only at its literal.
"""

# gitleaks, betterleaks: Copyright (c) 2019 Zachary Rice
#
# Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
# associated documentation files (the "Software"), to deal in the Software without restriction,
# including without limitation the rights to use, copy, modify, merge, publish, distribute,
# sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
# furnished to do so, subject to the following conditions:
#
# The above copyright notice and this permission notice shall be included in all copies or
# substantial portions of the Software.
#
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
# NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
# NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
# DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
# OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

import re
from hashlib import sha256
from re import escape
from typing import NamedTuple

from memoria.text.lazy_patterns import lazy_pattern

_B = r"[A-Za-z0-9]"
_W = r"[\w-]"
_U = r"[A-Z0-9]"
_H = r"[0-9a-fA-F]"
# no example of the documentation, no row of X
_AWS = r"(?!\w{0,12}EXAMPLE|\w{0,10}XXXXXX)[A-Z0-9]"
_BEDROCK = "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"  # the end is "bedrock.amazonaws.com"
_GITLAB = "glpat- gldt- glrt- glrtr- glcbt- glft- glffct- glsoat-"
_AUTHRESS = r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}"
_UUID = rf"{_H}{{8}}(?:-{_H}{{4}}){{3}}-{_H}{{12}}"

# kind ("!": doubt 0, "?": doubt 2), literals (one row each), what follows
_FORMS: tuple[tuple[str, str, str], ...] = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_B}{{36,255}}"),
    ("github-token", "github_pat_", r"\w{60,255}"),
    ("gitlab-token", _GITLAB, rf"{_W}{{20,50}}(?![\w.])"),
    ("gitlab-token", "glpat- glrt-", r"[\w-]{27,300}\.[0-9a-z]{2}\.?[0-9a-z]{7,9}"),
    ("gitlab-token", _GITLAB, r"[\w-]{20}(?=\.(?:\W|$)|_?\w{0,12}\.[a-z]{2,4}(?!\w))"),
    ("gitlab-token", "glimt-", rf"{_W}{{25}}(?!{_W})"),
    ("gitlab-token", "glptt-", rf"{_W}{{40}}(?!{_W})"),
    ("gitlab-token", "glagent-", rf"{_W}{{50,}}"),
    ("gitlab-token", "gloas-", rf"{_W}{{64}}(?!{_W})"),
    ("gitlab-token", "GR1348941", rf"{_W}{{20,50}}(?!{_W})"),
    ("gitlab-session", "_gitlab_session=", r"[0-9a-z]{32}"),
    ("aws-key!", "AKIA ASIA ABIA ACCA", rf"{_AWS}{{16}}(?![A-Za-z0-9])"),
    ("aws-key!", "A3T", rf"{_AWS}{{17}}(?![A-Za-z0-9])"),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{109,269}={0,2}"),
    ("aws-bedrock-key!", _BEDROCK, r"[A-Za-z0-9+/=_-]{0,2000}"),
    ("gcp-key", "AIza", rf"{_W}{{35}}(?!{_W})"),
    ("gcp-oauth", "ya29.", rf"{_W}{{20,}}"),
    ("gcp-oauth", "GOCSPX-", rf"{_W}{{28}}"),
    ("gcp-oauth?", "1//0", rf"{_W}{{40,}}"),
    ("slack-token", "xoxb- xoxo- xoxp- xoxs- xoxe-", r"(?:\d{6,14}-){1,4}[A-Za-z0-9-]{8,250}"),
    ("slack-token?", "xoxa- xoxr-", r"[A-Za-z0-9-]{10,250}"),
    ("slack-token?", "xapp- xoxe- xoxe.xoxp- xoxe.xoxb-", r"\d-[A-Za-z0-9-]{20,300}"),
    ("slack-webhook!", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/+-]{30,}"),
    ("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", rf"{_B}{{16,}}"),
    ("sonar-token", "sqa_ sqp_ squ_", r"[0-9a-f]{40}"),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    ("anthropic-key!", "sk-ant-api03- sk-ant-admin01-", rf"{_W}{{80,}}"),
    ("anthropic-key", "sk-ant-", rf"(?!api03-|admin01-)[a-z]{{2,10}}\d\d-{_W}{{60,}}"),
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
    ("twilio-key", "SK AC", rf"{_H}{{32}}(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", r"[\w=-]{16,}\.[\w=-]{16,}"),
    ("sendgrid-key", "SG.", r"(?![\w=-]*\.\.)[\w=.-]{66}"),
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
    ("flutterwave-key", "FLWPUBK FLWSECK", r"(?:_TEST)?-[0-9a-hA-H]{12,32}(?:-X)?"),
    ("fly-token", "fo1_", rf"{_W}{{43}}"),
    ("fly-token", "fm1_ fm2_ fm1a_ fm1r_", r"[A-Za-z0-9+/=,_]{60,}"),
    ("infracost-key?", "ico-", rf"{_B}{{32}}(?!{_B}|\.(?:png|svg|ico))"),
    ("harness-key", "pat. sat.", r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", r"[0-9a-f]{64}"),
    ("openshift-token", "sha256~", rf"{_W}{{43}}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", _UUID),
    ("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    ("supabase-key?", "sbp_ sb_secret_", r"[\w-]{30,}"),
    ("adafruit-key", "aio_", rf"{_B}{{28}}"),
    ("alibaba-key", "LTAI", rf"{_B}{{17,21}}(?![A-Za-z0-9])"),
    ("alibaba-key?", "LTAI", rf"{_B}{{12,16}}(?![A-Za-z0-9])"),
    ("tencent-key", "AKID", rf"{_B}{{32}}(?![A-Za-z0-9])"),
    ("adobe-secret", "p8e-", rf"{_B}{{32}}(?!{_B})"),
    ("age-key!", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    ("1password-key", "A3-", rf"{_U}{{6}}-(?:{_U}{{11}}|{_U}{{6}}-{_U}{{5}})(?:-{_U}{{5}}){{3}}"),
    ("1password-token", "ops_eyJ", r"[\w+/=-]{100,}"),
    ("artifactory-key", "AKCp", rf"{_B}{{68,70}}(?!{_B})"),
    ("artifactory-key?", "AKC AP2 AP3 AP5 AP6 APA APB", rf"(?=\w*\d){_B}{{60,80}}(?!{_B})"),
    ("artifactory-key", "cmVmd", rf"{_B}{{59}}(?!{_B})"),
    ("atlassian-token?", "ATATT3 ATCTT3 ATOA ATBB", r"[\w=+/-]{24,}"),
    ("contentful-token", "CFPAT-", rf"{_W}{{43}}"),
    ("figma-token?", "figd_ figo_", rf"{_W}{{36,}}"),
    ("dropbox-token?", "sl.", r"[\w=-]{130,}"),
    ("buildkite-token", "bkua_", r"[a-z0-9]{40,53}"),
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
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{80,120}"),
    ("discord-webhook!", "discord.com/api/webhooks/", rf"\d{{15,20}}/{_W}{{60,}}"),
    ("discord-webhook!", "discordapp.com/api/webhooks/", rf"\d{{15,20}}/{_W}{{60,}}"),
    ("teams-webhook!", ".webhook.office.com/webhookb2/", r"[\w@/-]{60,}"),
    ("zapier-webhook!", "hooks.zapier.com/hooks/catch/", r"\d+/\w+"),
    # newer providers, from the rules of betterleaks
    ("aikido-key", "AIK_CI_ AIK_CLIENT_ AIK_SECRET_", rf"{_B}{{20,64}}"),
    ("alibaba-key?", "STS.", rf"{_B}{{16,64}}(?!{_B})"),
    ("apify-token", "apify_api_", rf"{_B}{{34,38}}"),
    ("asaas-key", "$aact_prod_ $aact_hmlg_", rf"{_W}{{20,100}}"),
    ("astra-token", "AstraCS:", r"[A-Za-z0-9]{20,}(?::[0-9a-f]{64})?"),
    ("aws-session-token!", "IQoJb3JpZ2lu FwoGZXIvYXdz", r"[A-Za-z0-9+/=]{100,}"),
    ("aws-key", "amzn.mws.", _UUID),
    ("bitbucket-token", "BBDC-", r"[A-Za-z0-9+/=]{32,}"),
    ("brave-key?", "BSA", rf"{_W}{{24,40}}(?!{_W})"),
    ("buildkite-token", "bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_", rf"{_W}{{54,}}"),
    ("canva-secret", "cnvca", rf"{_W}{{51}}(?!{_W})"),
    ("cartesia-key", "sk_car_", r"\w{20,}"),
    ("cerebras-key", "csk-", r"[a-z0-9]{48}"),
    ("checkout-key", "sk_ sk_sbox_", rf"(?:{_UUID}|[a-z0-9]{{27}}(?!\w))"),
    ("cloudflare-token", "cfat_ cfut_", rf"{_B}{{40}}[a-f0-9]{{8}}"),
    ("cloudsmith-key", "csa_", rf"[0-9a-f]{{30}}{_B}{{6}}"),
    ("cockroach-key", "CCDB1_", rf"{_B}{{22}}_{_B}{{40}}"),
    ("configcat-key", "configcat-sdk-1/", rf"{_W}{{22}}/{_W}{{22}}"),
    ("cursor-key", "key_", r"(?:[0-9a-f]{64}|[0-9a-f]{28})(?![A-Za-z0-9])"),
    ("databento-key?", "db-", rf"{_B}{{29}}(?!{_W})"),
    ("deno-token", "ddp_", rf"{_B}{{36}}"),
    ("devcycle-key?", "dvc_client_ dvc_mobile_ dvc_server_", rf"{_B}{{8,32}}"),
    ("devin-key?", "apk_ apk_user_", r"[A-Za-z0-9+/]{80,180}={0,2}"),
    ("devin-key", "cog_", r"[a-z2-7]{52}"),
    ("docker-token", "SWMTKN-1-", r"[a-z0-9]{50,60}-[a-z0-9]{24,30}"),
    ("docker-token", "SWMKEY-1-", r"[A-Za-z0-9+/]{40,50}"),
    ("elastic-key", "essu_", rf"{_W}{{60,200}}={{0,2}}"),
    ("elevenlabs-key", "sk_", r"[0-9a-f]{48}(?![A-Za-z0-9])"),
    ("endor-key?", "endr+", r"[A-Za-z0-9-]{16}"),
    ("exoscale-key?", "EXO", rf"{_B}{{24,30}}(?!{_B})"),
    ("gcp-key", "AQ.Ab8RN6", rf"{_W}{{44}}"),
    ("intercom-token", "dG9rO", r"[A-Za-z0-9+/_-]{50,}={0,2}"),
    ("ionic-token", "ion_", rf"{_B}{{42}}"),
    ("langfuse-key", "sk-lf- pk-lf-", _UUID),
    ("lichess-token?", "lip_", r"\w{16,60}"),
    ("llama-key", "llx-", rf"{_B}{{44,52}}"),
    ("mailersend-token", "mlsn.", rf"{_B}{{30,100}}"),
    ("mem0-key?", "m0-", rf"{_B}{{24,44}}(?!{_B})"),
    ("mercury-token", "mercury_production_", rf"[a-z]{{3,6}}_{_B}{{40,50}}_yrucrem"),
    ("mergify-key", "mergify_application_key_", rf"{_W}{{40,200}}"),
    ("midtrans-key?", "Mid-server-", r"\w{10,24}"),
    ("minimax-key", "sk-api-", rf"{_W}{{60,}}"),
    ("miro-token", "eyJtaXJv", rf"[A-Za-z0-9-]{{10,64}}_{_W}{{20,64}}"),
    ("mongodb-secret", "mdb_sa_sk_", rf"{_W}{{40}}"),
    ("neon-key", "napi_", rf"{_B}{{64}}"),
    ("notify-key", "gcntfy-", rf"[a-z0-9_]{{1,60}}-{_UUID}-{_UUID}"),
    ("nvidia-key", "nvapi-", rf"{_W}{{60,70}}"),
    ("nylas-key", "nyk_", rf"{_B}{{67}}"),
    ("onesignal-key", "os_v2_app_ os_v2_org_", r"[a-z2-7]{103}"),
    ("onfido-token?", "api_live. api_live_ca. api_live_us. api_sandbox.", rf"{_W}{{20,80}}"),
    ("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", rf"[a-z0-9]{{26}}_{_B}{{22}}_{_B}{{3}}"),
    ("persona-key?", "persona_production_ persona_sandbox_", r"[a-z0-9_-]{20,80}"),
    ("pinecone-key", "pcsk_", rf"{_B}{{5,6}}_{_B}{{63}}"),
    ("pinterest-token?", "pina_", rf"{_W}{{20,200}}"),
    ("polar-token?", "polar_at_ polar_oat_ polar_pat_", rf"{_W}{{20,100}}"),
    ("proof-key?", "prf_", rf"(?:cli_)?{_W}{{20,80}}"),
    ("ramp-secret", "ramp_sec_", rf"{_B}{{48}}"),
    ("razorpay-key", "rzp_live_ rzp_test_", rf"{_B}{{14}}(?!{_B})"),
    ("redirect-token?", "rpa_", rf"{_B}{{30}}(?!{_B})"),
    ("runpod-key", "rpa_", rf"{_U}{{40}}{_B}{{6}}"),
    ("render-key?", "rnd_", rf"{_B}{{28,34}}(?!{_B})"),
    ("rootly-key", "rootly_", r"[0-9a-f]{64}"),
    ("samsara-token", "samsara_api_", rf"{_B}{{26,32}}"),
    ("segment-token", "sgp_", rf"{_B}{{64}}(?!{_B})"),
    ("slack-cookie", "xoxd-", r"[\w/+%-]{100,}={0,2}"),
    ("slack-token", "xoxc-", r"\d{9,15}-\d{9,15}-\d{9,15}-[0-9a-f]{64}"),
    ("telnyx-key?", "KEY", rf"{_W}{{55}}(?!{_W})"),
    ("thunderstore-token?", "tss_", rf"{_W}{{20,80}}"),
    ("together-key", "tgp_v1_", rf"{_W}{{43}}"),
    ("unkey-key?", "unkey_", rf"{_B}{{20,32}}(?!{_B})"),
    ("upcloud-token?", "ucat_", rf"{_B}{{24,32}}(?!{_B})"),
    ("valtown-token?", "vtwn_", rf"{_W}{{20,80}}"),
    ("vercel-token", "vck_ vca_ vcr_ vci_ vcp_", rf"{_W}{{56}}(?!{_W})"),
    ("voyage-key?", "pa- al-", rf"{_W}{{43}}(?!{_W})"),
    ("wakatime-key?", "waka_", r"[a-z0-9-]{36,64}"),
    ("wandb-key", "wandb_v1_", r"\w{77}"),
    ("woocommerce-key", "cs_ ck_", r"[0-9a-f]{40}(?![A-Za-z0-9])"),
    ("clickhouse-key", "4b1d", rf"{_B}{{38}}(?!{_B})"),
)  # fmt: skip
_ANY = (
    r"(?<![\w-])(?!pk[_-]|pub)[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,8}){0,2}[_-]"
    r"(?:sk|pat|oat|api|key|apikey|token|tok|secret|sec|live|prod|test|auth|access|admin|sa)"
    r"(?:[_-]v?\d)?[_-](?=[A-Za-z_-]*\d)(?=[a-z0-9_-]*[A-Z])(?=[A-Z0-9_-]*[a-z])[A-Za-z0-9]{24,}(?!\w)"
)
# Forms whose fixed part does not stand at the beginning: kind, a part that must occur, the pattern.
_INNER_FORMS: tuple[tuple[str, str, str], ...] = (
    ("azure-secret", "Q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    ("openai-key", "T3BlbkFJ", r"sk-[\w-]{10,90}T3BlbkFJ[\w-]{10,90}"),
    ("terraform-token", ".atlasv1.", r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
    ("telegram-token", ":AA", r"(?:(?<![\w:])|(?<=/bot))\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    ("mailchimp-key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("maxmind-key", "_mmk", r"(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("facebook-token", "", r"(?<!\d)\d{15,16}[|%][\w-]{27,40}(?![\w-])"),
    ("sidekiq-key", "CONTRIBSYS__COM", r"(?<=CONTRIBSYS__COM[=:])[0-9a-f]{8}:[0-9a-f]{8}"),
    ("asana-token", "1/", r"(?<![\w/])1/\d{16}:[0-9a-f]{32}"),
    ("discord-token", ".",
     r"(?<![\w-])[A-Za-z]{0,2}[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])"),
    # Azure's newer keys carry a mark in their middle
    ("azure-key", "JQQJ99", r"(?<!\w)[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{20,40}(?!\w)"),
    ("azure-devops-token", "AZDO", r"(?<!\w)[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)"),
    ("salesforce-token", "!", r"(?<!\w)00[A-Za-z0-9]{13}![\w.-]{80,260}"),
    ("tableau-token", "==:", r"(?<![\w+/])[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}(?!\w)"),
    ("softlayer-key", "softlayer.com/", r"(?<=softlayer\.com/soap/v3/)[0-9a-z]{64}"),
    ("softlayer-key", "softlayer.com/", r"(?<=softlayer\.com/soap/v3\.1/)[0-9a-z]{64}"),
    ("sidekiq-key", "CONTRIBSYS__COM", r"(?<=CONTRIBSYS__COM=[\"'])[0-9a-f]{8}:[0-9a-f]{8}"),
    # any other provider: a word, what a key is called, and a mixed tail
    ("provider-key", "_", _ANY),
)  # fmt: skip
# Keys that are printed in documentation and examples, so nobody's secret: SHA-256, 16 digits of it.
# From gitleaks' own exceptions; hashed here, or a push protection would find them.
_PUBLIC = frozenset(
    """0b476bdf9acf2123 2037abcaffb2b777 27a9a42931dff7eb 37f8f09bdf12c2f2 3a8b61d0f636b007
    3f370c9dd8225c63 49f777db995e8260 4c98242dcadc8b29 8731261cb72d8626 a19f89ab3555eac1
    a6c814bc555ae62c dc0fcf046c61640c e4a5542bb7fd7b67 ea9bb1082cf95663 eb540d2b6ee2a0a4
    f56e323494a6ffc2
    """.split()  # noqa: SIM905 - a table of hashes reads best as text
)


class TokenForm(NamedTuple):
    """One form: `literal` begins the key, `pattern` matches from there.

    `doubt` says how closely its characters are looked at: 0 not at all (nothing else has this
    form), 1 it must be no placeholder, 2 it must be random (words have this form as well).
    """

    kind: str
    literal: str
    pattern: re.Pattern[str]
    doubt: int


# Not in the middle of another word; a path or an assignment may stand before it.
_BEFORE = r"(?<![A-Za-z0-9])"
TOKENS = tuple(
    TokenForm(
        kind.rstrip("!?"),
        literal,
        lazy_pattern(("" if literal[0] == "." else _BEFORE) + escape(literal) + rest),
        {"!": 0, "?": 2}.get(kind[-1], 1),
    )
    for kind, literals, rest in _FORMS
    for literal in literals.split()
)


# Most texts hold no word that begins like a key; this finds how their words begin.
WORD_BEGINNING = lazy_pattern(r"(?<![A-Za-z0-9])(?=([A-Za-z0-9][\w.$/~-]{2}))")
_LENGTH = 3


# The tokens by the first three characters of their literal; "" has those that always are tried.
BY_BEGINNING: dict[str, list[TokenForm]] = {}
for _token in TOKENS:
    _is_searched = len(_token.literal) >= _LENGTH and _token.literal[0].isalnum()
    BY_BEGINNING.setdefault(_token.literal[:_LENGTH] if _is_searched else "", []).append(_token)
INNER = tuple((kind, part, lazy_pattern(pattern)) for kind, part, pattern in _INNER_FORMS)


def is_public(value: str) -> bool:
    """Say whether a key is one of those that documentation prints, so nobody's secret."""
    return sha256(value.encode(errors="replace")).hexdigest()[:16] in _PUBLIC
