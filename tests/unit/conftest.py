"""What tests of several packages share."""

from copy import deepcopy

import pytest

from metadata_services import serving


@pytest.fixture(name="services")
def served(request, monkeypatch):
    """Serve copies of the WORKS of the module, as services that need no waiting."""
    monkeypatch.setattr("pincite.enrichment.service._FIRST_WAIT_SECONDS", 0.0)
    with serving(deepcopy(request.module.WORKS)) as services:
        monkeypatch.setenv("PINCITE_SERVICES", services.address)
        yield services
