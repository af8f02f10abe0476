"""Where Zotero's data is on the systems that it runs on."""

import json
from pathlib import Path

import pytest

from pincite.zotero.profiles import DataFolder, data_folders

PLACES = {
    "linux": ".zotero/zotero",
    "darwin": "Library/Application Support/Zotero",
    "win32": "AppData/Roaming/Zotero/Zotero",
}


def found(home, platform="linux", **environment):
    return data_folders(home, platform, environment)


def data(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zotero.sqlite").touch()
    return folder


def profiles(home, platform="linux", **preferences):
    """Write profiles with preferences by their names; the last is the default one."""
    place = home / PLACES[platform]
    lines = ["[General]", "StartWithLastProfile=1"]
    for number, (name, values) in enumerate(preferences.items()):
        lines += [f"[Profile{number}]", f"Name={name}", "IsRelative=1", f"Path=Profiles/{name}"]
        lines += ["Default=1"] if number + 1 == len(preferences) else []
        (place / "Profiles" / name).mkdir(parents=True)
        written = "".join(
            f'user_pref("extensions.zotero.{key}", {json.dumps(value)});\n'
            for key, value in values.items()
        )
        (place / "Profiles" / name / "prefs.js").write_text(f"// Mozilla\n{written}")
    (place / "profiles.ini").write_text("\n".join(lines))


@pytest.mark.parametrize("platform", PLACES)
def test_the_default_folder_serves_without_a_profile(tmp_path, platform):
    data(tmp_path / "Zotero")
    assert found(tmp_path, platform) == (DataFolder(tmp_path / "Zotero"),)


@pytest.mark.parametrize("platform", PLACES)
def test_a_profile_names_its_data_and_the_base_of_linked_files(tmp_path, platform):
    elsewhere = data(tmp_path / 'my "data" ü')
    base = str(tmp_path / "pdfs")
    values = {"useDataDir": True, "dataDir": str(elsewhere), "baseAttachmentPath": base}
    profiles(tmp_path, platform, a=values)
    data(tmp_path / "Zotero")
    assert found(tmp_path, platform) == (
        DataFolder(elsewhere, Path(base)),
        DataFolder(tmp_path / "Zotero"),
    )


def test_a_folder_that_is_not_in_use_is_no_folder(tmp_path):
    data(tmp_path / "old")
    data(tmp_path / "Zotero")
    values = {"useDataDir": False, "dataDir": str(tmp_path / "old"), "baseAttachmentPath": "/b"}
    profiles(tmp_path, a=values)
    assert found(tmp_path) == (DataFolder(tmp_path / "Zotero", Path("/b")),)


def test_several_profiles_begin_with_the_default_one(tmp_path):
    folders = [data(tmp_path / name) for name in ("one", "two")]
    one, two = ({"useDataDir": True, "dataDir": str(folder)} for folder in folders)
    profiles(tmp_path, a=one, b=one, c=two)
    assert [folder.path.name for folder in found(tmp_path)] == ["two", "one"]


def test_data_of_zotero_4_in_the_profile(tmp_path):
    profiles(tmp_path, a={})
    folder = data(tmp_path / PLACES["linux"] / "Profiles" / "a" / "zotero")
    assert found(tmp_path) == (DataFolder(folder),)


@pytest.mark.parametrize("packaged", [".var/app/org.zotero.Zotero", "snap/zotero-snap/common"])
def test_flatpak_and_snap(tmp_path, packaged):
    profiles(tmp_path / packaged, a={})
    folder = data(tmp_path / packaged / "Zotero")
    assert found(tmp_path) == (DataFolder(folder),)


@pytest.mark.parametrize("platform", PLACES)
def test_a_computer_without_zotero(tmp_path, platform):
    assert found(tmp_path, platform) == ()
    profiles(tmp_path, platform, a={"useDataDir": True, "dataDir": str(tmp_path / "gone")})
    assert found(tmp_path, platform) == ()


def test_a_folder_named_in_the_environment_is_the_only_one(tmp_path):
    data(tmp_path / "Zotero")
    mine = data(tmp_path / "mine")
    assert found(tmp_path, PINCITE_ZOTERO=str(mine)) == (DataFolder(mine),)
    assert found(tmp_path, PINCITE_ZOTERO=str(tmp_path / "gone")) == ()


@pytest.mark.parametrize(
    "broken",
    [
        "[Profile0\nPath",
        "Path=x\n",
        "[Profile0]\n",
        "[Profile0]\nPath=\0",
        "[Profile0]\nPath=%(x)s",
    ],
)
def test_a_broken_list_of_profiles_is_as_none(tmp_path, broken):
    place = tmp_path / PLACES["linux"]
    place.mkdir(parents=True)
    (place / "profiles.ini").write_text(broken)
    data(tmp_path / "Zotero")
    assert found(tmp_path) == (DataFolder(tmp_path / "Zotero"),)


@pytest.mark.parametrize(
    "preferences",
    [
        'user_pref("extensions.zotero.dataDir", "/x);\nuser_pref("extensions.zotero.useDataDir", true);',
        'user_pref("extensions.zotero.dataDir", 7);\nuser_pref("extensions.zotero.useDataDir", true);',
        'user_pref("extensions.zotero.baseAttachmentPath", alert(1));',
        "\0\0",
    ],
)
def test_broken_preferences_are_as_none_and_are_not_run(tmp_path, preferences):
    profiles(tmp_path, a={})
    (tmp_path / PLACES["linux"] / "Profiles" / "a" / "prefs.js").write_text(preferences)
    data(tmp_path / "Zotero")
    assert found(tmp_path) == (DataFolder(tmp_path / "Zotero"),)
