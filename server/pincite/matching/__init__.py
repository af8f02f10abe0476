"""From a citance and a reference paper to supporting sentences.

`base` is the protocol: a matcher is a frozen dataclass whose fields are the choices of its paper;
`fit` reads a paper's words, `match` is pure. `fused` is what authors get: a small trained model
(`sentence_model`) over unlike evidence for each sentence (`sentence_features`, from `asymmetric`,
`sentence_terms` and `sentence_kinds`). `strength` says in a word how probable support is, and
which sentences are shown. `asymmetric` is the method
of Ricci et al. (2022): every word of the citance counts with its best match among the words of a
sentence, to the power of 4, weighted by α/(α + p(word)). A paper's vocabulary is multiplied with
the query once; the maximum of each sentence is one segmented reduction.

`vectors` are the word vectors (docs/word-vectors.md; `training` and `vector_recipe` make them),
`word_weights` the frequencies p(word). A setting may name another matcher of `pincite.baselines`;
the program on top passes in what makes it, so that the editor path never imports a baseline by
itself. `recommend` shows authors only sentences in which a word can be marked and that have a
strength; evaluations get all.
"""
