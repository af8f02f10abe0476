"""Published figures of Duma and Klein (2014), for comparison with ours.

Daniel Duma and Ewan Klein, "Citation Resolution: A method for evaluating context-based citation
recommendation systems", Proceedings of ACL 2014 (Short Papers), pages 358-363.
"""

from __future__ import annotations

from types import MappingProxyType

# Section 4, pages 360-361: the papers of the ACL Anthology they took ("approx. 9000"), those of
# them with at least 8 collection-internal references, and the resolvable citations of the latter.
PAPERS = 9000
TEST_PAPERS = 278
RESOLVABLE_CITATIONS = 5446

# Table 1, page 362: a selection of their results, top-1 accuracies, row for row and column for
# column. Section 4 names passages of 250, 300 and 350 words; the table and section 5 have 250,
# 350 and 400. Section 5 says that the best external score, 0.413, is that of inlink contexts
# (10,5) with the query (10,10); the table has it at inlink contexts 20 with the query (10,5).
_WINDOWS = ("5,5", "10,10", "10,5", "20,20", "30,30")
_TABLE_1 = {
    "full-text": (0.318, 0.340, 0.337, 0.369, 0.370),
    "title-abstract": (0.296, 0.312, 0.312, 0.322, 0.311),
    "passage-250": (0.343, 0.367, 0.359, 0.388, 0.382),
    "passage-350": (0.346, 0.371, 0.364, 0.388, 0.381),
    "passage-400": (0.348, 0.371, 0.362, 0.391, 0.380),
    "inlink-10": (0.391, 0.406, 0.405, 0.395, 0.387),
    "inlink-20": (0.386, 0.406, 0.413, 0.412, 0.402),
    "inlink-30": (0.380, 0.403, 0.400, 0.411, 0.404),
    "mixed-inlink-20-full-text": (0.367, 0.407, 0.399, 0.431, 0.425),
    "mixed-inlink-20-title-abstract": (0.419, 0.447, 0.441, 0.453, 0.437),
    "mixed-inlink-20-passage-250": (0.420, 0.458, 0.451, 0.469, 0.451),
    "mixed-inlink-10-passage-350": (0.435, 0.465, 0.459, 0.464, 0.450),
    "mixed-inlink-20-passage-350": (0.426, 0.464, 0.456, 0.469, 0.456),
}

#: Their accuracy (a fraction) by representation and window, as `Row` names them.
ACCURACY = MappingProxyType(
    {
        (representation, window): accuracy
        for representation, accuracies in _TABLE_1.items()
        for window, accuracy in zip(_WINDOWS, accuracies, strict=True)
    }
)
