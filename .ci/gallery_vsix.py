"""python .ci/gallery_vsix.py VSIX ADDRESS: write ADDRESS before the pictures of its README.

A gallery shows the README as a page of its own, where relative pictures are missing. A VSIX that
is installed from a file has none, so that opening its page fetches nothing.
"""

import sys
import zipfile
from pathlib import Path

README = "extension/readme.md"


def with_addresses(vsix: Path, address: str) -> int:
    """Rewrite the README of a VSIX; return how many pictures it has."""
    with zipfile.ZipFile(vsix) as archive:
        files = [(each, archive.read(each)) for each in archive.infolist()]
    found = 0
    with zipfile.ZipFile(vsix, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in files:
            if each.filename.lower() == README:
                found = content.count(b"](pictures/")
                content = content.replace(b"](pictures/", f"]({address}/pictures/".encode())
            archive.writestr(each, content)
    return found


if __name__ == "__main__":
    if not with_addresses(Path(sys.argv[1]), sys.argv[2]):
        sys.exit(f"{sys.argv[1]}: no pictures in {README}")
