"""SciPy's sparse matrices, for training and evaluations; authors do not need SciPy.

Importing this module raises `InputError` if SciPy is missing.
"""

from __future__ import annotations

from pincite.model.problems import InputError

try:
    from scipy.sparse import csc_matrix, csr_array, csr_matrix
except ImportError:
    raise InputError('this needs SciPy: pip install "pincite[evaluation]"') from None

__all__ = ["csc_matrix", "csr_array", "csr_matrix"]
