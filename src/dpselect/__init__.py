"""Differentially private selection, calibrated to the dataset at hand.

    import dpselect as ds
    ds.select({"a": 3, "b": 5}, epsilon=1, sensitivity=1).candidate

Everything is loaded when it is first used, so that `import dpselect` stays quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

from dpselect._version import __version__

_CONTENTS = {
    # ask and read
    "select": "dpselect.selection",
    "select_each": "dpselect.several",
    "law": "dpselect.selection",
    "diagnose": "dpselect.selection",
    "compare": "dpselect.comparison",
    "Comparison": "dpselect.comparison",
    "expected_regret": "dpselect.regret",
    "broken_promises": "dpselect.promises",
    "verify": "dpselect.verification",
    "Verification": "dpselect.verification",
    "Release": "dpselect.release",
    "Guarantee": "dpselect.guarantee",
    "Ledger": "dpselect.ledger.account",
    # methods
    "GlobalScale": "dpselect.methods.global_scale",
    "PrivateBound": "dpselect.methods.private_bound",
    "Ladder": "dpselect.methods.ladder",
    "InverseSensitivity": "dpselect.methods.inverse_sensitivity",
    "DirectSmooth": "dpselect.methods.direct_smooth",
    "GeneralizedExponential": "dpselect.methods.generalized",
    "FixedScaleTest": "dpselect.methods.fixed_scale_test",
    "CertificateSearch": "dpselect.methods.certificate_search",
    "LogTransform": "dpselect.methods.log_transform",
    "PrivateSmooth": "dpselect.methods.private_smooth",
    "CommonFactor": "dpselect.methods.common_factor",
    "ReleasedCounts": "dpselect.methods.released_counts",
    "SupportedFlips": "dpselect.methods.supported_flips",
    # problems, and what your own is made of
    "World": "dpselect.problems.explicit",
    "Profile": "dpselect.profile",
    "LevelConstants": "dpselect.question",
    "SupportConstants": "dpselect.question",
    "NEVER": "dpselect.question",
    # privacy units
    "Edges": "dpselect.problems.units",
    "AddOrRemove": "dpselect.problems.units",
    "ReplaceOne": "dpselect.problems.units",
    # errors
    "DPSelectError": "dpselect.errors",
    "InvalidParameter": "dpselect.errors",
    "InvalidData": "dpselect.errors",
    "UnsupportedProblem": "dpselect.errors",
    "BudgetExceeded": "dpselect.errors",
    "MissingExtra": "dpselect.errors",
}
_MODULES = {
    "graph": "dpselect.problems.graph",
    "table": "dpselect.problems.table",
    "engines": "dpselect.engines",
    "worlds": "dpselect.worlds",
    "bounds": "dpselect.bounds",
    "failures": "dpselect.failures",
    "plots": "dpselect.plots",
}

__all__ = ["__version__", *_CONTENTS, *_MODULES]

if TYPE_CHECKING:
    # `as` makes the names public for strict type checkers.
    from dpselect import bounds as bounds
    from dpselect import engines as engines
    from dpselect import failures as failures
    from dpselect import plots as plots
    from dpselect import worlds as worlds
    from dpselect.comparison import Comparison as Comparison
    from dpselect.comparison import compare as compare
    from dpselect.errors import BudgetExceeded as BudgetExceeded
    from dpselect.errors import DPSelectError as DPSelectError
    from dpselect.errors import InvalidData as InvalidData
    from dpselect.errors import InvalidParameter as InvalidParameter
    from dpselect.errors import MissingExtra as MissingExtra
    from dpselect.errors import UnsupportedProblem as UnsupportedProblem
    from dpselect.guarantee import Guarantee as Guarantee
    from dpselect.ledger.account import Ledger as Ledger
    from dpselect.methods.certificate_search import CertificateSearch as CertificateSearch
    from dpselect.methods.common_factor import CommonFactor as CommonFactor
    from dpselect.methods.direct_smooth import DirectSmooth as DirectSmooth
    from dpselect.methods.fixed_scale_test import FixedScaleTest as FixedScaleTest
    from dpselect.methods.generalized import GeneralizedExponential as GeneralizedExponential
    from dpselect.methods.global_scale import GlobalScale as GlobalScale
    from dpselect.methods.inverse_sensitivity import InverseSensitivity as InverseSensitivity
    from dpselect.methods.ladder import Ladder as Ladder
    from dpselect.methods.log_transform import LogTransform as LogTransform
    from dpselect.methods.private_bound import PrivateBound as PrivateBound
    from dpselect.methods.private_smooth import PrivateSmooth as PrivateSmooth
    from dpselect.methods.released_counts import ReleasedCounts as ReleasedCounts
    from dpselect.methods.supported_flips import SupportedFlips as SupportedFlips
    from dpselect.problems import graph as graph
    from dpselect.problems import table as table
    from dpselect.problems.explicit import World as World
    from dpselect.problems.units import AddOrRemove as AddOrRemove
    from dpselect.problems.units import Edges as Edges
    from dpselect.problems.units import ReplaceOne as ReplaceOne
    from dpselect.profile import Profile as Profile
    from dpselect.promises import broken_promises as broken_promises
    from dpselect.question import NEVER as NEVER
    from dpselect.question import LevelConstants as LevelConstants
    from dpselect.question import SupportConstants as SupportConstants
    from dpselect.regret import expected_regret as expected_regret
    from dpselect.release import Release as Release
    from dpselect.selection import diagnose as diagnose
    from dpselect.selection import law as law
    from dpselect.selection import select as select
    from dpselect.several import select_each as select_each
    from dpselect.verification import Verification as Verification
    from dpselect.verification import verify as verify


def __getattr__(name: str) -> Any:
    if name in _CONTENTS:
        return getattr(importlib.import_module(_CONTENTS[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    # Without `obj` the interpreter adds no suggestion of its own to this one.
    raise AttributeError(f"module 'dpselect' has no attribute {name!r}{_hint(name)}", name=name)


def _hint(name: str) -> str:
    """Where the name is, or what it may have been meant to be."""
    if name.startswith("_"):
        return ""  # asked for by machinery, not by a reader
    import difflib

    lower = {known.lower(): known for known in (*_CONTENTS, *_MODULES)}
    for package in ("graph", "table"):
        inside = getattr(importlib.import_module(_MODULES[package]), "__all__", ())
        if name in inside:
            return f"; it is ds.{package}.{name}"
        lower |= {known.lower(): f"{package}.{known}" for known in inside if known.lower() not in lower}
    for asked in (name.lower().replace("_", ""), name.lower()):
        longer = [known for known in lower if len(asked) > 2 and known.startswith(asked)]
        near = difflib.get_close_matches(asked, lower, n=1, cutoff=0.7) if len(longer) != 1 else longer
        if near:
            return f"; did you mean {lower[near[0]]!r}?"
    return ""


def __dir__() -> list[str]:
    return sorted(__all__)
