"""The table of docs/composition.md: ε of 1, 10 and 100 releases at δ = 1e-6, added up and accounted.

python scripts/composition_table.py           says whether the page is up to date
python scripts/composition_table.py --write   rewrites it
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import dpselect as ds
from dpselect.integrations.dp_accounting import epsilons

PAGE = Path(__file__).parents[1] / "docs" / "composition.md"
BLOCK = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)
TARGET = "1e-6"

WORLD = ds.World(["x", "y", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [9, 0]])
RELEASES = [
    ("`ladder`, gibbs", "1/10", 0, ds.Ladder(sampler="gibbs")),
    ("`ladder`, permute-and-flip", "1/10", 0, ds.Ladder(sampler="permute-and-flip")),
    ("`private-bound`, gibbs", "1/10", "1e-9", ds.PrivateBound(sampler="gibbs")),
    ("`private-bound`, gibbs, Laplace noise", "1/10", "1e-9", ds.PrivateBound(sampler="gibbs", noise="laplace")),
    ("`private-bound`, permute-and-flip", "1/10", "1e-9", ds.PrivateBound(sampler="permute-and-flip")),
    ("`ladder`, gibbs", "1", 0, ds.Ladder(sampler="gibbs")),
    ("`ladder`, permute-and-flip", "1", 0, ds.Ladder(sampler="permute-and-flip")),
]


def shown(epsilon: float) -> str:
    """Rounded up, like every ε."""
    return "–" if math.isinf(epsilon) else f"{math.ceil(epsilon * 1000 - 1e-9) / 1000:.3f}"


def lines() -> Iterator[str]:
    yield "| release | ε, δ each | releases | added up | Rényi | loss distribution |"
    yield "|---|---|---|---|---|---|"
    for name, epsilon, delta, method in RELEASES:
        # What a release costs is public: any dataset will do.
        one = ds.select(WORLD, "x", epsilon=epsilon, delta=delta, method=method, seed=1).guarantee
        for times in (1, 10, 100):
            found = epsilons(sum([one] * times, ds.Guarantee.free()), TARGET, interval=1e-4)
            row = [name, f"{epsilon}, {delta}", str(times), shown(found.basic), shown(found.rdp), shown(found.pld)]
            yield f"| {' | '.join(row)} |"


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda found: found[1] + "".join(f"{line}\n" for line in lines()) + found[2], text)
    if "--write" in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        print(f"{PAGE.name}: stale")
        sys.exit(1)


if __name__ == "__main__":
    main()
