"""What a forked child has to make anew: the locks of cached properties.

Before Python 3.12 every `functools.cached_property` has one lock for all instances of its class. If another thread
holds it at the moment of a fork, that thread does not exist in the child and the lock would never be released.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import cached_property


def _remake_locks() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "dpselect":
            continue
        for thing in list(vars(module).values()):
            if isinstance(thing, type) and thing.__module__ == name:
                for held in vars(thing).values():
                    if isinstance(held, cached_property):
                        vars(held)["lock"] = threading.RLock()


if sys.version_info < (3, 12):
    os.register_at_fork(after_in_child=_remake_locks)
