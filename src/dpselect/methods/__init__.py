"""Every calibration, one file per idea. Names on the left are used on the command line."""

from dpselect.methods.direct_smooth import DirectSmooth
from dpselect.methods.global_scale import GlobalScale
from dpselect.methods.inverse_sensitivity import InverseSensitivity
from dpselect.methods.ladder import Ladder
from dpselect.methods.law import FiniteLaw, Law
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.private_bound import PrivateBound

METHODS: dict[str, type[Method]] = {
    method.name: method for method in (GlobalScale, PrivateBound, Ladder, InverseSensitivity, DirectSmooth)
}
