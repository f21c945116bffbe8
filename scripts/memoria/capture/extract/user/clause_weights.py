"""Say what each feature of a clause weighs: log-odds of a lasting rule of the user.

Fitted by bench/rules/fit.py on 1837 turns (rule_turns.jsonl, turns.jsonl, voices.jsonl,
transcripts, transcripts_cb, transcripts_codex, transcripts_copilot)
with a ridge of 3; the features: clause_features.py and clause_shape.py.
"""

BIAS = -2.80
_TABLE = """
alone=0.27 alone_direct=0.03 alone_lasting=0.42 alone_obliges=0.34 alone_prefers=0.55
alone_remember=0.65 always=-0.11 asks=-0.85 builds_earlier=0.10 claims_headed=0.06
claims_undirected=0.69 contrasts=0.44 default=0.04 digit=-0.41 dont=0.54 each_time=-1.02 ever=0.07
every=0.30 fault=-0.44 first=-0.51 foreign_first=-0.13 foreign_lead=-0.38 foreign_line=-0.14
framed=-1.03 general=0.28 head_lasting=0.86 head_never=0.58 head_no=0.84 head_order=0.30 here=0.92
here_direct=-0.31 here_obliges=0.25 holds=-0.38 holds_after=0.05 how_answer=0.55 how_refusal=0.47
how_steer=-0.59 i_want=0.90 if_you=0.38 instead=0.48 keeps_off=1.04 last=-0.06
lasting_narrated=0.06 lasting_question=-0.13 lasts_after=0.25 lasts_before=-0.11 lead_general=0.28
lead_now_on=1.15 lead_remember=0.59 listed=0.28 long=-0.12 middle=0.31 must=-0.48 narrated=-0.61
never=-0.21 no_sign=-1.14 now_on=0.08 object_it=-0.11 our_thing=-0.04 passive=0.16 past=-0.27
past_form=0.01 path=0.14 please=0.44 plural_subject=1.14 prefers=0.79 process=0.78
process_lasting=0.55 product=-0.26 product_undirected=0.12 question=-1.51 question_later=-0.51
quote=-0.10 reason=-0.75 remember=-0.17 reported=-0.17 reported_before=-0.56 reports=0.21
scope=0.17 several_obligations=-0.72 short=0.00 specified=-0.73 states=0.85 strong=0.16
strong_direct=-0.51 supposes=-0.24 task=-0.38 temporary=-0.39 temporary_only=-0.57
text_earlier=-0.13 text_lead=-0.35 text_same=-0.18 that_goes=0.13 third=-0.30 this=-0.45
this_thing=-0.81 told=-0.06 told_before=-0.29 turn_1=0.27 turn_few=0.70 turn_many=-0.73
turn_several=-0.24 very_strong=0.71 we_do=1.07 word0_a=0.32 word0_after=-0.06 word0_all=0.40
word0_always=-0.03 word0_an=0.16 word0_and=0.89 word0_any=0.08 word0_are=-0.08 word0_at=-0.02
word0_because=-0.22 word0_before=-0.16 word0_but=0.01 word0_by=0.50 word0_can=-0.85
word0_could=-0.10 word0_did=-0.03 word0_do=-0.36 word0_does=-0.08 word0_don't=-0.20 word0_each=0.07
word0_every=-0.05 word0_for=0.17 word0_from=-0.04 word0_have=-0.02 word0_he=-0.05 word0_here=-0.06
word0_how=-0.17 word0_i=-0.66 word0_if=0.02 word0_in=0.61 word0_is=-0.29 word0_it=-0.24
word0_let=-0.11 word0_make=-0.07 word0_my=-0.08 word0_never=-0.62 word0_no=0.28 word0_not=-0.42
word0_nothing=0.44 word0_ok=-0.22 word0_on=0.64 word0_only=0.16 word0_or=-0.01 word0_other=0.28
word0_our=0.13 word0_please=-0.34 word0_run=0.29 word0_she=-0.05 word0_should=-0.07 word0_so=0.37
word0_that=-0.10 word0_the=-0.45 word0_then=-0.06 word0_there=-0.29 word0_they=-0.06
word0_this=0.06 word0_to=-0.15 word0_use=0.54 word0_we=0.05 word0_what=-0.05 word0_when=0.37
word0_whenever=-0.03 word0_why=-0.08 word0_will=-0.00 word0_with=0.24 word0_would=-0.13
word0_yes=-0.02 word0_you=0.18 word0_your=-0.11 word1_a=-0.10 word1_after=0.05 word1_all=-0.24
word1_always=-0.49 word1_an=-0.27 word1_and=0.40 word1_are=0.18 word1_at=-0.04 word1_before=0.08
word1_but=0.14 word1_by=-0.08 word1_can=-0.46 word1_could=-0.01 word1_did=-0.06 word1_do=0.16
word1_does=-0.02 word1_don't=0.15 word1_every=0.30 word1_everything=0.18 word1_for=0.21
word1_from=0.38 word1_had=-0.06 word1_has=-0.10 word1_have=0.10 word1_he=-0.17 word1_here=0.29
word1_how=-0.06 word1_i=0.36 word1_if=0.17 word1_in=0.55 word1_is=0.31 word1_it=-0.07
word1_make=-0.37 word1_must=0.08 word1_my=0.02 word1_never=-0.13 word1_no=0.16 word1_not=0.05
word1_of=-0.31 word1_on=-0.24 word1_only=-0.01 word1_or=0.43 word1_other=0.38 word1_our=0.19
word1_please=-0.09 word1_run=-0.15 word1_should=-0.00 word1_so=-0.27 word1_that=0.39
word1_the=-0.12 word1_then=-0.12 word1_there=-0.15 word1_these=-0.10 word1_they=-0.03
word1_this=0.25 word1_to=-0.28 word1_use=-0.23 word1_was=-0.16 word1_we=-0.04 word1_what=-0.10
word1_when=0.10 word1_why=-0.08 word1_will=0.02 word1_with=-0.14 word1_would=0.03 word1_you=-0.07
word1_your=-0.02 word_a=0.23 word_after=0.66 word_all=0.10 word_always=-0.32 word_an=0.20
word_and=-0.18 word_any=-0.62 word_are=0.13 word_at=-1.20 word_because=0.49 word_before=0.73
word_but=-0.10 word_by=0.23 word_can=0.03 word_could=-0.23 word_did=-0.07 word_do=-0.01
word_does=-0.26 word_don't=0.44 word_each=0.01 word_every=0.72 word_everything=0.02 word_for=0.23
word_from=0.07 word_had=0.17 word_has=0.09 word_have=-0.49 word_he=0.03 word_here=-0.06
word_how=-0.38 word_i=0.22 word_if=-0.26 word_in=0.30 word_is=-0.49 word_it=-0.15 word_let=-0.06
word_make=-0.18 word_must=0.67 word_my=-0.01 word_never=-0.48 word_no=-0.15 word_not=0.64
word_nothing=0.54 word_of=0.01 word_ok=-0.31 word_on=-0.02 word_only=0.21 word_or=-0.10
word_our=-0.04 word_please=0.29 word_run=0.28 word_she=-0.07 word_should=-0.25 word_so=-0.37
word_that=0.14 word_the=-0.43 word_then=-0.58 word_there=0.03 word_these=-0.08 word_they=0.18
word_this=-0.51 word_those=0.11 word_to=-0.16 word_under=0.58 word_use=-0.25 word_was=-0.22
word_we=0.02 word_were=0.59 word_what=0.18 word_when=-0.16 word_whenever=0.27 word_who=-0.39
word_why=-0.43 word_will=-0.78 word_with=0.16 word_would=-0.06 word_yes=0.06 word_you=0.21
word_your=-0.35 words_0=-0.45 words_1=-0.15 words_2=0.14 words_3=0.49 words_4=0.22 words_5=0.51
words_6=-0.76 you=0.59 you_do=0.97
"""
WEIGHTS = {name: float(weight) for name, weight in (pair.split("=") for pair in _TABLE.split())}
