"""Find the data folders of Zotero on this computer.

Zotero is a Mozilla program: ``profiles.ini`` lists profiles, and ``prefs.js`` of a profile names
its data folder. That is ``~/Zotero`` by default; until Zotero 5 it was ``zotero`` in the profile.
``PINCITE_ZOTERO`` names a data folder to use instead of those that are found.

https://www.zotero.org/support/zotero_data, https://www.zotero.org/support/kb/profile_directory
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from configparser import ConfigParser, Error
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from ..model.problems import InputError
from ..parsing.encoding import read_text
from ..parsing.paths import expanded, is_file

_PREFERENCE: Final = re.compile(
    r'^user_pref\("extensions\.zotero\.(\w+)",[ \t]*([^\r\n]*)\);[ \t]*$', re.MULTILINE
)
#: Homes of the Zotero that Flatpak and Snap install, below the user's.
_PACKAGED: Final = (".var/app/org.zotero.Zotero", "snap/zotero-snap/common")


class DataFolder(NamedTuple):
    """A data folder, and the folder in which linked attachments with relative paths are."""

    path: Path
    attachments: Path | None = None

    @property
    def database(self) -> Path:
        """Zotero's database."""
        return self.path / "zotero.sqlite"


def data_folders(
    home: Path | None = None,
    platform: str = sys.platform,
    environment: Mapping[str, str] = os.environ,
) -> tuple[DataFolder, ...]:
    """Return the data folders that have a database, that of the default profile first."""
    if named := environment.get("PINCITE_ZOTERO"):
        found: Iterator[DataFolder] = iter((DataFolder(Path(expanded(named)).absolute()),))
    else:
        try:
            home = home or Path.home()
        except RuntimeError:  # there is no home
            return ()
        found = _of_profiles(home, platform, environment)
    folders: dict[Path, DataFolder] = {}
    for folder in found:
        if is_file(folder.database):
            folders.setdefault(folder.path, folder)
    return tuple(folders.values())


def _of_profiles(home: Path, platform: str, environment: Mapping[str, str]) -> Iterator[DataFolder]:
    """Yield the data folders that profiles have or may have."""
    if platform == "win32":
        roaming = environment.get("APPDATA") or str(home / "AppData" / "Roaming")
        places = [(home, Path(roaming) / "Zotero" / "Zotero")]
    elif platform == "darwin":
        places = [(home, home / "Library" / "Application Support" / "Zotero")]
    else:
        homes = (home, *(home / name for name in _PACKAGED))
        places = [(each, each / ".zotero" / "zotero") for each in homes]
    for own_home, place in places:
        for profile in _profiles(place):
            preferences = _preferences(profile)
            base, named = preferences.get("baseAttachmentPath"), preferences.get("dataDir")
            attachments = Path(base) if isinstance(base, str) and base else None
            if preferences.get("useDataDir") is True and isinstance(named, str) and named:
                yield DataFolder(Path(named), attachments)
            else:
                yield DataFolder(own_home / "Zotero", attachments)
                yield DataFolder(profile / "zotero", attachments)
        # A copy of a data folder may be there without a profile.
        yield DataFolder(own_home / "Zotero")


def _profiles(place: Path) -> list[Path]:
    """Return the profiles that ``profiles.ini`` lists, the default one first."""
    listed = ConfigParser(interpolation=None, strict=False)
    try:
        listed.read_string(read_text(place / "profiles.ini"))
    except (InputError, Error):
        return []
    profiles = [listed[name] for name in listed.sections() if name.startswith("Profile")]
    profiles.sort(key=lambda each: each.get("Default") != "1")
    # A relative path starts at profiles.ini; an absolute one replaces all of it.
    return [place / each.get("Path", ".") for each in profiles]


def _preferences(profile: Path) -> dict[str, object]:
    """Return Zotero's own preferences in a profile, by their last names."""
    try:
        text = read_text(profile / "prefs.js")
    except InputError:
        return {}
    found: dict[str, object] = {}
    for name, value in _PREFERENCE.findall(text):
        with suppress(ValueError):
            found[name] = json.loads(value)
    return found
