"""What chance may have done: confidence intervals and tests, SciPy's."""

import math
import statistics

from scipy import stats

LEVEL = 0.05


def half_width(values):
    """Half of the 95 % confidence interval of the mean; infinite for a single value."""
    if len(values) < 2:
        return math.inf
    quantile = stats.t.ppf(1 - LEVEL / 2, len(values) - 1)
    return float(quantile) * statistics.stdev(values) / math.sqrt(len(values))


def chance_of_smaller(a, b):
    """The probability that the values of `a` are as much smaller than those of `b` by chance: Mann and Whitney's
    rank test, one-sided, exact."""
    return float(stats.mannwhitneyu(a, b, alternative="less", method="exact").pvalue)


def chance_of_trend(values):
    """The probability that the values rise or fall so steadily by chance: Mann and Kendall's test, two-sided."""
    found = float(stats.kendalltau(range(len(values)), values).pvalue)
    return 1.0 if math.isnan(found) else found  # all of them are equal
