"""Counts on disk, so that a long enumeration can go on where it was stopped.

**The file is private**: it holds exact counts of the private graph, and a fingerprint of its edges. It is written with
permissions 0600 and belongs to the curator alone, like the graph itself; delete it when it is no longer needed.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, final

import numpy as np
import numpy.typing as npt

from dpselect.errors import InvalidData, InvalidParameter
from dpselect.problems.graph.graph import Graph

Int64 = npt.NDArray[np.int64]

EVERY = 10.0
"""Seconds between two writes."""


@final
@dataclass(eq=False, repr=False)
class Checkpoint:
    """Rows of counts in a file, −1 in rows that are not known yet.

    Arguments: path; fingerprint of everything the counts depend on (`fingerprint`).
    A file is replaced as a whole, so that a kill leaves the old one or the new one.
    """

    path: Path
    fingerprint: str
    written: float = field(default_factory=time.monotonic)

    def __repr__(self) -> str:
        return "Checkpoint(<private>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a checkpoint is private and cannot be pickled")

    def restore(self, rows: Int64) -> None:
        """Fills in what the file knows; no file, nothing known. Raises `InvalidData` for a file about other data."""
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                known, fingerprint = stored["rows"], str(stored["fingerprint"])
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise InvalidParameter(f"checkpoint: {self.path} is not a checkpoint ({type(error).__name__})") from None
        if fingerprint != self.fingerprint or known.shape != rows.shape or known.dtype != np.int64:
            raise InvalidData(f"checkpoint: {self.path} belongs to another graph or another question")
        rows[:] = known

    def save(self, rows: Int64, *, now: bool = False) -> None:
        """Writes the rows, at most every ten seconds unless `now`."""
        if not now and time.monotonic() - self.written < EVERY:
            return
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        try:
            # Nobody else may read it, not even for a moment, and it is nobody else's file.
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                np.savez_compressed(file, rows=rows, fingerprint=np.array(self.fingerprint))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)
        except OSError as error:
            raise InvalidParameter(f"checkpoint: cannot write {self.path} ({error.strerror})") from None
        self.written = time.monotonic()


def fingerprint(size: int, *graphs: Graph) -> str:
    """SHA-256 of k and the edges: equal for the same question to the same graph."""
    digest = hashlib.sha256(f"subsets of {size}".encode())
    for graph in graphs:
        digest.update(f"|{graph.n}|".encode())
        digest.update(graph.tails.astype("<i4").tobytes())
        digest.update(graph.heads.astype("<i4").tobytes())
    return digest.hexdigest()
