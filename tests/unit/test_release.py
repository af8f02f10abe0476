"""Versions agree, the lock has hashes, and NOTICE names what the packages carry."""

import json
import re
import runpy
import subprocess
import sys
import zipfile

import pytest

from pincite import __version__
from where import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOTICE = (ROOT / "NOTICE").read_text("utf-8")
SERVER, EXTENSION = re.split(r"^THE EXTENSION \(VSIX\)$", NOTICE, flags=re.MULTILINE)
CLIENT = ROOT / "client-vscode"
#: Files of the server that are our own work, beside its modules.
OURS = re.compile(
    r"pincite/(py\.typed|data/sentence-model(-encoder)?\.json|ranking/learned(-encoder)?\.npz)"
    r"|pincite_evaluation/(py\.typed|published\.json|baselines/synonyms\.txt|report/templates/.*)"
    r"|.*/(SOURCES|ROUGE_WORDS)\.md"
)

needs_client = pytest.mark.skipif(not CLIENT.is_dir(), reason="client-vscode is not here")


def test_every_place_has_the_same_version():
    assert PROJECT["version"] == __version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version, date = re.search(
        r"^version: (.*)\ndate-released: (.*)$", citation, re.MULTILINE
    ).groups()
    assert version == __version__
    assert f"\n## [{version}] - {date}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@needs_client
def test_the_extension_has_the_version_of_the_server():
    lock = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))
    assert lock["version"] == lock["packages"][""]["version"] == __version__
    assert f"\n## [{__version__}] - " in (CLIENT / "CHANGELOG.md").read_text("utf-8")


def test_all_addresses_are_those_of_one_repository():
    places = [
        ROOT / "pyproject.toml",
        ROOT / "docs/how-to/ci.md",
        CLIENT / "package.json",
        *ROOT.glob("packaging/**/*.*"),
    ]
    texts = [place.read_text("utf-8") for place in places if place.is_file()]
    owners = re.findall(r"(?:github\.com/|uses: )([\w-]+)/pincite\b", "\n".join(texts))
    assert len(set(owners)) == 1


@pytest.mark.parametrize("markup", ["LaTeX", "Markdown", "Typst"])
def test_the_description_names_every_markup(markup):
    assert markup in PROJECT["description"]


@pytest.mark.parametrize(
    "place", [ROOT, pytest.param(CLIENT, marks=needs_client)], ids=["server", "extension"]
)
def test_versions_of_the_changelog_have_dates_newest_first(place):
    titles = re.findall(r"^## (.*)$", (place / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    cut = [
        re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)", title).groups()
        for title in titles[1:]
    ]
    order = [(*map(int, version), date) for *version, date in cut]
    assert order == sorted(order, reverse=True)


def test_the_lock_has_every_requirement_with_hashes_and_names_no_host():
    lock = (ROOT / "requirements-dev.lock").read_text("utf-8")
    assert "://" not in lock
    blocks = re.split(
        r"^(?=\w)", re.sub(r"^ *#.*\n", "", lock, flags=re.MULTILINE), flags=re.MULTILINE
    )
    locked = {}
    for block in filter(None, blocks):
        name, version = re.match(r"([\w.-]+)==(\S+)", block).groups()
        assert "--hash=sha256:" in block, name
        locked.setdefault(_normal(name), []).append(version)
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    names = {_normal(re.match(r"[\w.-]+", one)[0]) for one in wanted} - {"pincite"}
    assert names <= locked.keys()


def _normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_notice_goes_with_the_server():
    assert "NOTICE" in PROJECT["license-files"]


def test_notice_names_every_file_of_the_server_that_others_made():
    patterns = [
        re.escape(one).replace(r"\*", "[^/]*")
        for one in re.findall(r"^pincite\w*/\S+$", SERVER, re.MULTILINE)
    ]
    folder = ROOT / "server"
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}
    ]
    carried = {path.relative_to(folder).as_posix() for path in files}
    named = {one for one in carried if any(re.fullmatch(pattern, one) for pattern in patterns)}
    assert {one for one in carried - named if not OURS.fullmatch(one)} == set()
    for pattern in patterns:
        assert any(re.fullmatch(pattern, one) for one in named), f"nothing is {pattern}"


def test_notice_has_the_copyright_of_every_list_of_function_words():
    folder = ROOT / "server" / "pincite" / "text" / "stop_word_lists"
    for path in folder.glob("*.txt"):
        sources = path.read_text("utf-8").splitlines()[0]
        for name in ("scikit-learn", "Snowball", "stop-words", "spaCy"):
            assert name not in sources or re.search(
                rf"^{name} .*: (BSD|MIT)", SERVER, re.MULTILINE
            ), path.name


@needs_client
def test_notice_has_the_packages_of_the_extension_in_their_locked_versions():
    packages = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))["packages"]
    locked = {
        (path.rpartition("node_modules/")[2], package["version"])
        for path, package in packages.items()
        if path
    }
    named = set(re.findall(r"^(@?[\w./-]+) (\d+\.\d+\.\d+): \S+$", EXTENSION, re.MULTILINE))
    assert named <= locked
    # What is in a bundle is compared when it is built; here, what the sources import.
    text = "\n".join(path.read_text("utf-8") for path in (CLIENT / "src").rglob("*.ts"))
    imported = re.findall(r"""(?:from|import) '((?:@[^/']+/)?[^./'][^/']*)""", text)
    wanted = set(imported) & {name for name, _ in locked} - {"vscode"}
    assert {"pdfjs-dist", "vscode-languageclient"} <= wanted <= {name for name, _ in named}


@needs_client
def test_the_part_of_the_extension_has_what_is_bundled_and_no_more():
    """The build compares this with NOTICE, and ends where they differ."""
    if not (CLIENT / "node_modules" / "semver").is_dir():
        pytest.skip("the packages of the extension are not installed")
    script = (
        "import { withNotices } from './notices.mjs'; import { readFileSync } from 'node:fs';"
        "const text = readFileSync('../NOTICE', 'utf8');"
        "const inputs = { 'node_modules/semver/index.js': {} };"
        "console.log(withNotices(text, [{ inputs }]).includes('vscode-jsonrpc'));"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        cwd=CLIENT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "false\n"


@needs_client
def test_a_gallery_gets_addresses_of_the_pictures_and_the_rest_unchanged(tmp_path):
    readme, vsix = ROOT / "client-vscode" / "README.md", tmp_path / "pincite.vsix"
    with zipfile.ZipFile(vsix, "w") as archive:
        archive.writestr("extension.vsixmanifest", "<a/>")
        archive.write(readme, "extension/readme.md")
    script = runpy.run_path(str(ROOT / ".ci" / "gallery_vsix.py"))
    assert script["with_addresses"](vsix, "https://example.org/v1") > 5
    with zipfile.ZipFile(vsix) as archive:
        assert archive.namelist() == ["extension.vsixmanifest", "extension/readme.md"]
        assert archive.read("extension.vsixmanifest") == b"<a/>"
        page = archive.read("extension/readme.md").decode()
    pictures = re.findall(r"!\[[^\]]*\]\((.*?)\)", page)
    assert pictures
    for picture in pictures:
        name = picture.removeprefix("https://example.org/v1/")
        assert name != picture
        assert (readme.parent / name).exists()
