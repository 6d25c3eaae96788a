"""One OpenDP context, one budget: two of our selections, one of OpenDP's own counts, and a refusal.

python scripts/opendp_context.py
"""

import random

import opendp.prelude as dp

import dpselect as ds
from dpselect.integrations.opendp import make_selection

dp.enable_features("contrib", "honest-but-curious")
dp.register(make_selection)  # context.query().selection(problem, epsilon)

# Stands for a private column.
pick = random.Random(7)
ages = [round(pick.triangular(18, 90, 40)) for _ in range(20_000)]

context = dp.Context.compositor(
    data=ages,
    domain=dp.vector_domain(dp.atom_domain(T=int)),
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=2.0),
)

# Ours: a quantile, and the most frequent value.
median = ds.table.Quantile("1/2", bounds=(0, 120))
mode = ds.table.Mode(list(range(18, 91)))
print("median:", context.query().selection(median, "1/2").release().candidate)
print("most frequent age:", context.query().selection(mode, "1/2").release().candidate)

# Theirs: how many there are.
print("records:", context.query(epsilon=0.5).count().laplace().release())
print("spent:", context.current_privacy_loss(), "left:", context.remaining_privacy_loss())

# ε = 3/4 is more than what is left: refused before anything is drawn. OpenDP then closes the context.
try:
    context.query().selection(median, "3/4").release()
except dp.OpenDPException as refusal:
    print("refused:", refusal.message)
