"""From a citance and a reference paper to supporting sentences.

`base` is the protocol: a matcher is a frozen dataclass whose fields are the parameters of its
paper; `fit` prepares a paper, `match` is pure. `fused` is the default: a small trained model
(`sentence_model`) over several kinds of evidence (`sentence_features`, from `asymmetric`,
`sentence_terms` and `sentence_kinds`). `strength` labels probabilities and selects the sentences
shown. `asymmetric` is the method of Ricci et al. (2022): every word of the citance counts with its
best match among the words of a sentence, to the power of 4, weighted by α/(α + p(word)). A paper's
vocabulary is multiplied with the query once; the maxima of all sentences are one segmented
reduction.

`vectors` reads word vectors (docs/word-vectors.md), `word_weights` computes weights from the
frequencies p(word). A setting may name another matcher, which the package `pincite_evaluation`
makes (`pincite.extensions`). `recommend` shows authors only sentences that have a marked word and a
strength; evaluations get all.
"""
