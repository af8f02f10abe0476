"""What the README shows is what the command prints."""

import re
import shlex
import subprocess
import sys

from where import ROOT


def test_the_output_shown_is_printed_by_the_command_shown():
    readme = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"```\n\$ pincite (.*?)\n(.*?)```", readme, re.DOTALL)
    command = [sys.executable, "-m", "pincite", *shlex.split(block[1])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    printed = done.stdout.splitlines()
    shown = [line for line in block[2].splitlines() if line.strip() != "..."]
    assert shown == printed[: len(shown)]


def test_every_file_the_documentation_links_to_exists():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
