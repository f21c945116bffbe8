"""Does it help: experiments, rates, e-values, intervals, power, verdict."""
