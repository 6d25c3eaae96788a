"""An independent oracle: what a mechanism really does on a dataset graph, against what is claimed."""

from dpselect.verification.report import Verification
from dpselect.verification.verdict import verify

__all__ = ["Verification", "verify"]
