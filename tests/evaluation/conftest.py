import pytest

from pincite_evaluation import ranker_training


@pytest.fixture(name="trainer")
def _trainer(monkeypatch):
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"needs LightGBM to train ({error})")
    # As few lists as there are here still have something to split.
    monkeypatch.setitem(ranker_training.PARAMETERS, "min_data_in_leaf", 3)
