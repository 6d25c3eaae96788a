"""Two columns of non-negative integers from bytes, without a Python loop over lines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

CHUNK = 1 << 22
MOST_DIGITS = 18
_DIGIT, _BLANK, _SEPARATOR, _END = 0, 1, 2, 3


def integer_columns(
    data: bytes, separator: str | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int] | None:
    """The first two columns and the number of columns; None for all but a regular table of non-negative integers.

    Regular: every line that is not blank has the same number, two or more, of integers; between two of them stand
    blanks, and exactly one `separator` where that is not None. Comments are not known here. None does not mean that
    the file is wrong: the line by line reader decides that, and says where.

    Cost: about 60 ns an edge, some 100 MB beside the result at most: the bytes are worked on in chunks of whole lines.
    """
    kinds = np.full(256, 255, np.uint8)
    kinds[list(b"0123456789")] = _DIGIT
    kinds[list(b" \t\r")] = _BLANK
    if separator is not None:
        if len(separator.encode()) != 1:
            return None
        kinds[ord(separator)] = _SEPARATOR
    kinds[ord("\n")] = _END
    left, right = [], []
    width = 0
    begin = 0
    while begin < len(data):
        stop = len(data) if begin + CHUNK >= len(data) else data.rfind(b"\n", begin, begin + CHUNK) + 1
        if stop <= begin:  # one line longer than a chunk
            return None
        table = _table(np.frombuffer(data, np.uint8, stop - begin, begin), kinds)
        begin = stop
        if table is None:
            return None
        if table.size == 0:
            continue
        width = width or table.shape[1]
        if table.shape[1] != width:
            return None
        left.append(table[:, 0].copy())
        right.append(table[:, 1].copy())
    if not left:
        return None
    first = np.concatenate(left)
    del left
    return first, np.concatenate(right), width


def _table(text: npt.NDArray[np.uint8], kinds: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64] | None:
    """The integers of whole lines as int64[lines, width], size 0 if there are none; None if they are not regular."""
    kind = kinds[text]
    if kind.max(initial=0) == 255:
        return None
    digit = np.zeros(text.size + 2, np.bool_)
    digit[1:-1] = kind == _DIGIT
    edges = np.flatnonzero(digit[1:] != digit[:-1])
    first, beyond = edges[::2], edges[1::2]
    separators = np.flatnonzero(kind == _SEPARATOR)
    if first.size == 0:
        return None if separators.size else np.empty((0, 0), np.int64)

    line_ends = np.append(np.flatnonzero(kind == _END), text.size)
    widths = np.diff(np.searchsorted(first, line_ends), prepend=0)
    width = int(widths.max())
    if width < 2 or not ((widths == width) | (widths == 0)).all():
        return None
    if separators.size:
        token = np.arange(first.size)
        before = np.searchsorted(separators, first)
        if separators.size != first.size // width * (width - 1):
            return None
        if not (before == token // width * (width - 1) + token % width).all():
            return None
    elif _SEPARATOR in kinds:
        return None

    length = beyond - first
    most = int(length.max())
    if most > MOST_DIGITS or bool(((text[first] == ord("0")) & (length > 1)).any()):
        return None
    values = (text[first] - ord("0")).astype(np.int64)
    for place in range(1, most):
        longer = np.flatnonzero(length > place)
        if longer.size == length.size:
            values *= 10
            values += text[first + place] - ord("0")
        else:
            values[longer] = values[longer] * 10 + (text[first[longer] + place] - ord("0"))
    return values.reshape(-1, width)
