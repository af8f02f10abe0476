"""The recipes in `packaging/` have the version and the requirements of `pyproject.toml`."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from pincite.cli.app import app
from pincite.extensions import COMMANDS
from where import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def requirement(line):
    """Return the name of a requirement, and its versions."""
    name, versions = re.match(r"([\w.-]+)\s*([^;#]*)", line).groups()
    return name.lower(), versions.strip()


REQUIRED = dict(map(requirement, PROJECT["dependencies"]))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("mason/package.yaml", "id: pkg:pypi/pincite@{}\n"),
        ("conda-forge/recipe.yaml", 'version: "{}"\n'),
        ("homebrew/pincite.rb", "/pincite-{}.tar.gz"),
        ("nix/package.nix", 'version = "{}";'),
        ("emacs/pincite.el", ";; Version: {}\n"),
        ("pincite.1", '"pincite {}"'),
        ("zed/extension.toml", 'version = "{}"\n'),
        ("zed/Cargo.toml", 'version = "{}"\n'),
    ],
)
def test_a_package_is_of_this_version(name, written):
    assert written.format(PROJECT["version"]) in (PACKAGING / name).read_text("utf-8")


def test_the_man_page_names_every_command():
    page = (PACKAGING / "pincite.1").read_text("utf-8")
    names = {command.callback.__name__ for command in app.registered_commands}
    assert names
    assert {name for name in (*names, *COMMANDS) if not re.search(rf"\b{name}\b", page)} == set()


def test_the_man_page_is_right_for_man():
    if (man := shutil.which("man")) is None:
        pytest.skip("man is not installed")
    page = PACKAGING / "pincite.1"
    done = subprocess.run(
        [man, "--warnings", "-l", page], capture_output=True, text=True, check=False
    )
    if not done.stdout:
        pytest.skip("man has no formatter here")
    assert done.stderr == ""


def test_conda_forge_gets_all_requirements():
    recipe = yaml.safe_load((PACKAGING / "conda-forge/recipe.yaml").read_text("utf-8"))
    python, *others = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert ">=" + recipe["context"]["python_min"] == PROJECT["requires-python"]
    assert dict(map(requirement, others)) == REQUIRED


def test_nix_gets_all_requirements():
    text = (PACKAGING / "nix/package.nix").read_text("utf-8")
    named = re.search(r"dependencies = .*?\[(.*?)\]", text, re.DOTALL)[1].split()
    # Its Python is newer than the ones that need tomli.
    assert {*named, "tomli"} == REQUIRED.keys()


def test_mason_gets_all_that_its_schema_requires():
    package = yaml.safe_load((PACKAGING / "mason/package.yaml").read_text("utf-8"))
    required = {"name", "description", "homepage", "licenses", "languages", "categories", "source"}
    assert required <= package.keys() <= required | {"bin", "neovim"}
    assert package["bin"] == {"pincite": "pypi:pincite"}
