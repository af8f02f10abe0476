"""Copy the server's wheel without the research package: `server_wheel.py WHEEL FOLDER`."""

import sys
import zipfile
from pathlib import Path

RESEARCH = "pincite_evaluation/"


def copy_for_editors(wheel: Path, folder: Path) -> Path:
    """Write the wheel, and its list of files, without research; all else stays as it is."""
    copied = folder / wheel.name
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(copied, "w") as target:
        for member in source.infolist():
            if member.filename.startswith(RESEARCH):
                continue
            content = source.read(member)
            if member.filename.endswith(".dist-info/RECORD"):
                lines = content.decode().splitlines(keepends=True)
                content = "".join(x for x in lines if not x.startswith(RESEARCH)).encode()
            target.writestr(member, content, zipfile.ZIP_DEFLATED)
    return copied


if __name__ == "__main__":
    copy_for_editors(Path(sys.argv[1]), Path(sys.argv[2]))
