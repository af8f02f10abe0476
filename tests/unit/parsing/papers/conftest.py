from pathlib import Path

import pytest

from pdf_pages import Page


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path / "a.pdf")
