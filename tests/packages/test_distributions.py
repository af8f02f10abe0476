"""The sdist and the wheel: two builds are the same, and run the README's commands elsewhere."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from where import EXAMPLES, ROOT

pytestmark = pytest.mark.slow

DATE = "1580601600"
#: What two builds may differ in, and their packages not.
SURROUNDINGS = [{"TZ": "America/Lima", "umask": 0o022}, {"TZ": "Asia/Tokyo", "umask": 0o077}]


@pytest.fixture(scope="module", name="builds")
def two_builds(tmp_path_factory):
    folders = []
    for surroundings in SURROUNDINGS:
        folder = tmp_path_factory.mktemp("dist")
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)],
            cwd=ROOT,
            env={**os.environ, "SOURCE_DATE_EPOCH": DATE, "TZ": surroundings["TZ"]},
            umask=surroundings["umask"],
            capture_output=True,
            check=True,
        )
        folders.append({path.suffix: path for path in folder.iterdir()})
    return folders


@pytest.mark.parametrize("suffix", [".whl", ".gz"])
def test_two_builds_are_the_same_byte_by_byte(builds, suffix):
    one, other = builds
    assert one[suffix].read_bytes() == other[suffix].read_bytes()


def test_the_sdist_has_what_users_and_packagers_need(builds):
    with tarfile.open(builds[0][".gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "NOTICE", "README.md", "packaging/README.md", "examples/survey.tex"} <= names
    assert not [name for name in names if "node_modules" in name or name.endswith(".pyc")]


def test_what_pip_builds_from_the_sdist_is_the_wheel(builds, tmp_path):
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", tmp_path, builds[0][".gz"])
    (built,) = tmp_path.iterdir()
    assert built.read_bytes() == builds[0][".whl"].read_bytes()


def test_a_fresh_environment_runs_the_commands_of_the_readme(builds, tmp_path):
    pincite = installed(tmp_path / "environment", builds[0][".whl"]) / "pincite"

    def run(*arguments):
        return subprocess.run(
            [pincite, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": "", "PINCITE_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    assert run("--version").stdout.startswith("pincite ")
    draft = str(EXAMPLES / "survey.tex")
    place = run("recommend", draft, "--at", "98:61", "--top", "1")
    assert "1. barzilay2008coherence" in place.stdout
    assert "supported" in run("evidence", draft, "--key", "reimers2019sbert").stdout
    assert run("library", draft).returncode == 0
    checked = run("check", draft)
    assert (checked.returncode, "title-only" in checked.stdout) == (1, True)


def test_uvx_runs_the_sdist_and_pipx_installs_the_wheel_with_its_man_page(builds, tmp_path):
    tools = installed(tmp_path / "tools", "uv", "pipx")
    folders = {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}
    places = {name: str(tmp_path / folder) for name, folder in folders.items()}
    environment = {**os.environ, **places, "PYTHONPATH": "", "PINCITE_CACHE": str(tmp_path / "c")}

    def run(*command):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    check = ("check", str(EXAMPLES / "survey.tex"), "--kind", "placeholder")
    code, printed = run(tools / "uvx", "--from", builds[0][".gz"], "pincite", *check)
    assert (code, "9 placeholder" in printed) == (1, True), printed
    code, printed = run(tools / "pipx", "install", builds[0][".whl"])
    assert code == 0, printed
    assert run(tmp_path / "bin" / "pincite", *check)[0] == 1
    assert (tmp_path / "man" / "man1" / "pincite.1").exists()


def installed(folder: Path, *packages: str | Path) -> Path:
    """Install packages into an environment of their own; return the folder of its commands."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(programs / "python", "install", *packages)
    return programs


def pip(python: str | Path, *arguments: str | Path) -> None:
    """Run pip with the date of the builds, or skip the test where there is no package index."""
    done = subprocess.run(
        [python, "-m", "pip", *arguments],
        env={**os.environ, "SOURCE_DATE_EPOCH": DATE},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
