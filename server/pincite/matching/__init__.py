"""From a citance and a reference paper to supporting sentences.

`base` is the protocol: a matcher is a frozen dataclass whose fields are the choices of its paper;
`fit` reads a paper's words, `match` is pure. `asymmetric` is the method that authors get (Ricci et
al. 2022): every word of the citance counts with its best match among the words of a sentence, to
the power of 4, weighted by α/(α + p(word)). A paper's vocabulary is multiplied with the query once;
the maximum of each sentence is one segmented reduction.

`vectors` are the word vectors (docs/word-vectors.md; `training` and `vector_recipe` make them),
`word_weights` the frequencies p(word), `facets` the discourse facet of a citance. A setting may
name another matcher of `pincite.baselines`; the program on top passes in what makes it, so that the
editor path never imports a baseline by itself. `recommend` shows authors only sentences in which a
word can be marked; evaluations get all.
"""
