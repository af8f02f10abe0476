"""The author's Zotero library on this computer, as a bibliography.

==============  ====================================================================================
`profiles`      where Zotero keeps its data on this computer
`database`      the works in ``zotero.sqlite``, with attachments, notes and annotations
`entries`       a work as an entry of BibTeX
`bibliography`  all works in a bibliography in the cache folder, written anew when they change
`libraries`     the bibliographies of this computer, brought up to date
==============  ====================================================================================

Zotero's own files are only read, and no connection is opened (decision 18).
"""
