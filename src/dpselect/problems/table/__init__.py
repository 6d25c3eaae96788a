"""Questions about a private table: public declarations first, then one aggregation, then everything else."""

from dpselect.problems.table.best_mean import BestMean as BestMean
from dpselect.problems.table.cells import CellQuery as CellQuery
from dpselect.problems.table.cells import Cells as Cells
from dpselect.problems.table.cells import read_cells as read_cells
from dpselect.problems.table.mode import Mode as Mode
from dpselect.problems.table.quantile import Quantile as Quantile
from dpselect.problems.table.quantile_by_rank import QuantileByRank as QuantileByRank
