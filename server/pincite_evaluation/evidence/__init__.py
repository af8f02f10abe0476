"""Supporting sentences that readers judged: `corpus` has the citances, `judgements` the labels."""
