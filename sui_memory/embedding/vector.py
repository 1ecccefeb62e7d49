"""The form in which vectors leave this package: `array('f')`, a buffer of float32 of length one."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sui_memory.types import Vector


def unit_vectors(rows: NDArray[Any]) -> list[Vector]:
    """Return the rows of a matrix (n, dim) as float32 vectors of length 1.

    A row of zeros or of no numbers becomes the first axis: far from everything, never an error.
    """
    import numpy as np

    matrix = np.array(rows, dtype=np.float32, ndmin=2)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    sound = (np.isfinite(lengths) & (lengths > 0)).ravel()
    matrix[~sound] = np.eye(1, matrix.shape[1], dtype=np.float32)
    matrix[sound] /= lengths[sound]
    return [array("f", row.tobytes()) for row in matrix]
