"""What the README shows is what the command prints."""

import re
import shlex
import subprocess
import sys

import pytest

from where import ROOT


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial/first-citation.md"])
def test_the_output_shown_is_printed_by_the_command_shown(name):
    blocks = re.findall(
        r"```\n\$ pincite (.*?)\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL
    )
    assert blocks
    for arguments, output in blocks:
        command = [sys.executable, "-m", "pincite", *shlex.split(arguments)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
        printed = done.stdout.splitlines()
        shown = [line for line in output.splitlines() if line.strip() != "..."]
        assert shown == printed[: len(shown)]


def test_every_file_the_documentation_links_to_exists():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
