"""A small bibliography, and the works around it, for tests of what services are asked."""

from metadata_services import Work

BIB = """@article{dams, title = {Dams that beavers build}, author = {Okafor, Ann}, year = 1999, doi = {10.1/dams}}
@article{rivers, title = {Sediment in rivers}, author = {Writer, Bo}, year = 2001, doi = {10.1/rivers}}
@article{wrong, title = {Frogs in ponds at night}, author = {Zhou, Li}, year = 2003, doi = {10.1/bread}}
@article{lost, title = {A lost work of some length}, author = {Nobody, No}, year = 1970, doi = {10.1/lost}}
@misc{arxiv, title = {Ponds and their ice}, author = {Ice, Ida}, year = 2020, eprint = {2001.00001}}
"""
#: Its works, but for the preprint, and what cites two of them or is cited by the wrong one.
WORKS = [
    Work("10.1/dams", "Dams that beavers build", [("Okafor", "Ann")], 1999, cites=["10.2/old"]),
    Work(
        "10.1/rivers", "Sediment in rivers", [("Writer", "Bo")], 2001,
        cites=["10.2/old", "10.2/older", "10.1/dams"],
    ),
    Work("10.1/bread", "Prices of bread", [("Baker", "Cy")], 1990, cites=["10.2/flour"]),
    Work("10.2/flour", "Flour in winter", [("Miller", "Flo")], 1980),
    Work(
        "10.3/review", "A review of dams and rivers", [("New", "Fay")], 2015,
        cites=["10.1/dams", "10.1/rivers"],
    ),
]  # fmt: skip
