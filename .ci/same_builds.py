"""python same_builds.py DIST DIST: whether two builds made the same packages, with NOTICE."""

import sys
import tarfile
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

NOTICES = {".whl": "/licenses/NOTICE", ".gz": "/NOTICE", ".vsix": "/dist/NOTICE.txt"}


def main(*folders: str) -> str | None:
    """Print the hash of each package; return what is wrong, if anything is."""
    one, other = (_packages(Path(folder)) for folder in folders)
    if one.keys() != other.keys() or {Path(name).suffix for name in one} != set(NOTICES):
        return f"not a wheel, an sdist and a VSIX of one version: {sorted(one)}, {sorted(other)}"
    for name, path in one.items():
        print(_hash(path), name)
        if _hash(path) != _hash(other[name]):
            return f"{name} differs: {_hash(other[name])}"
        if not any(part.endswith(NOTICES[path.suffix]) for part in _parts(path)):
            return f"{name} carries no NOTICE"
    return None


def _packages(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(folder.iterdir()) if path.suffix in NOTICES}


def _parts(package: Path) -> list[str]:
    if package.suffix == ".gz":
        with tarfile.open(package) as archive:
            return archive.getnames()
    return ZipFile(package).namelist()


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
