"""Words, sentences and citation markers of a text; every function keeps offsets.

`tokens` are the words of any script, `sentences` their spans, `markers` the grammar of citation
markers; `languages` identifies a language, `stop_words` has its function words (`stop_word_lists/`
names their sources), `stemming` the stems of words, `folding` what letters are typed as.
"""
