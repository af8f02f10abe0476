"""From a place in a text to the words around it.

`windows` extracts the words around a place and its citance, from prose only: a key or an author's
name inside a citation is never part of a context. `citing_text` joins the files of a draft into one
text; its parts are the regions in which files are parsed, and an unedited part remains the same
object. `surroundings` describes the surroundings of a place in it. `inlinks` and `drafts` extract
the contexts of everything that a paper or a draft cites.
"""
