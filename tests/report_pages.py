"""What pages of reports have, as the programs of their readers read them."""

from __future__ import annotations


def texts(nodes):
    """Return the text of each node, one space between words."""
    return [" ".join(node.text_content().split()) for node in nodes]


def table(root, heading):
    """Return the first table below a heading."""
    return root.xpath("//h2[.=$heading]/following::table[1]", heading=heading)[0]


def cells(root, heading):
    """Return the texts of that table's rows, without those of its head."""
    return [texts(line.xpath("./th|./td")) for line in table(root, heading).xpath("./tbody/tr")]


def listed(root, path="//dl"):
    """Return what a list of definitions has."""
    return dict(zip(texts(root.xpath(f"{path}/dt")), texts(root.xpath(f"{path}/dd")), strict=True))
