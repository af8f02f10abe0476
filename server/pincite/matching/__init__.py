"""From a citance and a reference paper to supporting sentences.

`base` is the protocol: a matcher is a frozen dataclass whose fields are the parameters of its
paper; `fit` prepares a paper, `match` is pure. `fused` is the default: a small trained model
(`sentence_model`) over several kinds of evidence (`sentence_features`, from `asymmetric`, the
method of Ricci et al. (2022), `sentence_terms`, `sentence_content` and `sentence_kinds`).
`strength` labels probabilities and selects the sentences shown; `vectors` reads word vectors
(docs/explanation/word-vectors.md).

A setting may name another matcher, which the package `pincite_evaluation` makes
(`pincite.extensions`). `recommend` shows authors only sentences that have a marked word and a
strength; evaluations get all.
"""
