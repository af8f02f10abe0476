"""SciPy's sparse matrices, for training and evaluations: an author goes without them.

Raises `InputError` when it is imported where SciPy is missing.
"""

from __future__ import annotations

from ..model.problems import InputError

try:
    from scipy.sparse import csc_matrix, csr_array, csr_matrix, vstack
except ImportError:
    raise InputError('this needs SciPy: pip install "pincite[evaluation]"') from None

__all__ = ["csc_matrix", "csr_array", "csr_matrix", "vstack"]
