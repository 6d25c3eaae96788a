"""Questions about a private table: public declarations first, then one aggregation, then everything else."""

from dpselect.problems.table.best_mean import BestMean
from dpselect.problems.table.best_model import BestModel
from dpselect.problems.table.best_split import BestSplit, Split
from dpselect.problems.table.best_threshold import BestThreshold
from dpselect.problems.table.cells import CellQuery, Cells, read_cells
from dpselect.problems.table.histogram import Histogram
from dpselect.problems.table.mode import Mode
from dpselect.problems.table.predictions import predictions
from dpselect.problems.table.quantile import Quantile
from dpselect.problems.table.quantile_by_rank import QuantileByRank

__all__ = [
    "BestMean",
    "BestModel",
    "BestSplit",
    "BestThreshold",
    "CellQuery",
    "Cells",
    "Histogram",
    "Mode",
    "Quantile",
    "QuantileByRank",
    "Split",
    "predictions",
    "read_cells",
]
