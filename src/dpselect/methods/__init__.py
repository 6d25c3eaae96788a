"""Every calibration, one file per idea. Names on the left are used on the command line."""

from dpselect.methods.certificate_search import CertificateSearch
from dpselect.methods.common_factor import CommonFactor
from dpselect.methods.direct_smooth import DirectSmooth
from dpselect.methods.fixed_scale_test import FixedScaleTest
from dpselect.methods.generalized import GeneralizedExponential
from dpselect.methods.global_scale import GlobalScale
from dpselect.methods.inverse_sensitivity import InverseSensitivity
from dpselect.methods.ladder import Ladder
from dpselect.methods.law import FiniteLaw, Law
from dpselect.methods.log_transform import LogTransform
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.private_bound import PrivateBound
from dpselect.methods.private_smooth import PrivateSmooth
from dpselect.methods.released_counts import ReleasedCounts
from dpselect.methods.supported_flips import SupportedFlips

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        GlobalScale,
        GeneralizedExponential,
        PrivateBound,
        FixedScaleTest,
        CertificateSearch,
        Ladder,
        LogTransform,
        InverseSensitivity,
        DirectSmooth,
        PrivateSmooth,
        CommonFactor,
        ReleasedCounts,
        SupportedFlips,
    )
}
