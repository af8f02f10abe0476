"""Words, sentences and citation markers of a text; every function preserves offsets.

`tokens` finds words in any script, `sentences` sentence spans, `markers` citation markers;
`languages` identifies the language, `stop_words` has its function words (`stop_word_lists/` names
their sources), `stemming` reduces words to stems, `folding` removes case and accents, `escaping`
makes text fit for files.
"""
