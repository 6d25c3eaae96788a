"""Every error that dpselect raises on purpose.

An error names the argument, what was given (never a private value) and what is allowed.
"""


class DPSelectError(Exception):
    """The root of all errors of this package."""


class InvalidParameter(DPSelectError, ValueError):
    """A public argument is out of range, of a wrong type, or missing; raised before private data is read."""


class InvalidData(DPSelectError, ValueError):
    """The private data breaks a declared rule of its domain.

    For the curator's eyes only: whether it is raised depends on the data. It never holds a value or a count.
    """


class UnsupportedProblem(DPSelectError):
    """The method needs something that this problem does not offer; the text says which methods it can use."""


class BudgetExceeded(DPSelectError):
    """A ledger refuses a release that would cost more than what is left."""


class MissingExtra(DPSelectError, ImportError):
    """An optional dependency is not installed; the text says which extra brings it."""
