"""Label only the disagreements, and stop as soon as they have decided.

Cases on which two models give the same label add nothing to the gap, so a comparison of N cases
needs labels on the disagreements only. Labelled in random order, each says that only A, only B or
neither is right; without a gap the first two are equally likely, and a bet against that may be
settled after every label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import betaincc, betaln, xlog1py, xlogy
from scipy.stats import binom

from evalcore.checks import (
    check_choice,
    check_fraction,
    check_positive,
    check_proportion,
    check_whole,
)
from evalcore.results import SampleSize, SequentialPlan
from evalcore.sizing.power import LEFT_OUT, check_gap, mcnemar_power
from evalcore.sizing.search import ALTERNATIVES, first_reaching, last_true, round_up

UNLIKELY = 1e-13
# From here on the Beta's density is logarithmically concave, and with it the e-value against "A's
# share is at most p" falls in p wherever it is above 1: the limit and the test then agree.
LEAST_ONE_SIDED = 1.0
BISECTIONS = 45


def label_only_disagreements(
    size: SampleSize, disagreement: float, *, label_disagreement: float | None = None
) -> SampleSize:
    """Return the same paired plan with labels on those cases only on which the models differ.

    Parameters
    ----------
    size : SampleSize
        From ``paired_sample_size``.
    disagreement : float
        Share of cases on which exactly one model is right.
    label_disagreement : float, optional
        Share of cases on which the two labels differ; larger than ``disagreement`` when there are
        more than two classes and both can be wrong. Equal to it by default.

    Returns
    -------
    SampleSize
        ``labels`` is the number of differing cases to be expected among the ``n``.
    """
    rate = _label_rate(disagreement, label_disagreement)
    lost = (
        f"Both models answer all {size.n:,} {size.unit}; about a share of {rate:g} get a label. "
        "That gives the gap and its test, but the accuracy of neither model."
    )
    labels = round_up(size.labels * rate)
    return replace(size, labels=labels, assumptions=(*size.assumptions, lost))


def log_e_value(
    only_a: Any, only_b: Any, *, concentration: float = 1.0, alternative: str = "two-sided"
) -> np.ndarray:
    """Return the logarithm of the e-value against "the discordant cases split evenly".

    The likelihood of the split averaged over a Beta(c, c) of its probability, divided by the
    likelihood at 1/2: 2^(a + b) B(a + c, b + c) / B(c, c), from the cases a and b so far on which
    only A and only B was right. It is the wealth of one who bets on an uneven split. When the split
    is even it is a martingale that starts at 1 and stays positive, so by Ville's inequality the
    chance that it ever reaches 1 / alpha is at most alpha: one may look after every label and stop
    at will. A label that finds neither model right leaves it as it is. Fix c before the first
    label; a large one bets on splits near 1/2.

    "one-sided" averages over the half of the Beta above 1/2 and tests "A is not the better one",
    under which it is a supermartingale.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif; Robbins (1970), Annals of Mathematical
    Statistics 41, 1397-1409 (mixtures); Waudby-Smith, Ramdas (2023), JRSS B 86, 1-27 (betting).
    """
    return _log_e_at(0.5, only_a, only_b, concentration, alternative)


def split_limits(
    only_a: Any,
    only_b: Any,
    *,
    confidence_level: float = 0.95,
    concentration: float = 1.0,
    alternative: str = "two-sided",
) -> tuple[np.ndarray, np.ndarray]:
    """Return limits of A's share of the discordant cases that hold at all times at once.

    The confidence sequence: all shares p whose e-value, the averaged likelihood divided by that at
    p, is below 1 / alpha. With a chance of at least the confidence level the true share lies in
    every one of the intervals after 0, 1, 2 ... labels, so that one may stop at will. The e-value
    at 1/2 is that of ``log_e_value``: the interval excludes 1/2 exactly when the test stops.
    One-sided it is a lower limit, from the e-value against "A's share is at most p", averaged over
    the Beta above p.

    Parameters
    ----------
    only_a, only_b : array-like of int
        Cases so far on which only A and only B was right.
    confidence_level : float
    concentration : float
        As for ``log_e_value``.
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    (ndarray, ndarray)

    References
    ----------
    Darling, Robbins (1967), PNAS 58, 66-68; Howard, Ramdas, McAuliffe, Sekhon (2021), Annals of
    Statistics 49, 1055-1080.
    """
    a, b = np.broadcast_arrays(np.asarray(only_a, float), np.asarray(only_b, float))
    limit = -np.log(1.0 - check_fraction(confidence_level, "confidence_level"))
    seen = np.divide(a, a + b, out=np.full(a.shape, 0.5), where=a + b > 0)

    def excluded(p: np.ndarray) -> np.ndarray:
        return _log_e_at(p, a, b, concentration, alternative) >= limit

    low = _edge(excluded, np.zeros(a.shape), seen)
    if check_choice(alternative, ALTERNATIVES, "alternative") == "one-sided":
        return low, np.ones(a.shape)
    return low, _edge(excluded, np.ones(a.shape), seen)


def _log_e_at(
    p: Any, only_a: Any, only_b: Any, concentration: float, alternative: str
) -> np.ndarray:
    """Return the logarithm of the e-value against a split with probability p for A."""
    c = check_positive(concentration, "concentration")
    a, b = np.asarray(only_a, float), np.asarray(only_b, float)
    value = betaln(a + c, b + c) - betaln(c, c) - xlogy(a, p) - xlog1py(b, -np.asarray(p))
    if check_choice(alternative, ALTERNATIVES, "alternative") == "two-sided":
        return value
    if c < LEAST_ONE_SIDED:
        raise ValueError(
            "concentration must be at least 1 for a one-sided test, or its limit could contradict "
            f"it; got {concentration!r}"
        )
    with np.errstate(divide="ignore"):
        return value + np.log(betaincc(a + c, b + c, p)) - np.log(betaincc(c, c, p))


def _edge(
    excluded: Callable[[np.ndarray], np.ndarray], out: np.ndarray, seen: np.ndarray
) -> np.ndarray:
    """Return the last share not excluded on the way from the share seen out to an end."""
    inside, outside = seen.copy(), out.copy()
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2.0
        gone = excluded(middle)
        inside, outside = np.where(gone, inside, middle), np.where(gone, middle, outside)
    return np.where(excluded(out), inside, out)


def stopping_leads(
    most: int,
    *,
    significance: float = 0.05,
    concentration: float = 1.0,
    alternative: str = "two-sided",
) -> np.ndarray:
    """Return the smallest lead that stops after m = 0, 1 ... ``most`` discordant cases.

    The lead is |only A - only B|, one-sided only A - only B; it stops when the e-value is at least
    1 / significance. Where even m of m do not stop it is above m.
    """
    m = np.arange(check_whole(most, "most") + 1.0)
    threshold = -np.log(check_fraction(significance, "significance"))
    fewer = last_true(
        lambda k: (
            log_e_value(
                m - k, np.maximum(k, 0), concentration=concentration, alternative=alternative
            )
            >= threshold
        ),
        np.full_like(m, -1.0),
        np.floor(m / 2.0) + 1.0,
    )
    return (m - 2.0 * fewer).astype(np.int64)


def sequential_plan(
    n: int,
    disagreement: float,
    difference: float,
    *,
    label_disagreement: float | None = None,
    significance: float = 0.05,
    concentration: float | None = None,
    alternative: str = "two-sided",
) -> SequentialPlan:
    """Return what labelling the disagreements of n cases one by one is expected to take, exactly.

    Stops when the e-value reaches 1 / significance, or when all are labelled. The
    stopping time's distribution comes from dynamic programming over the splits that have not
    stopped; the mean number of labels from Wald's identity: discordant cases looked at, divided by
    the share of labels that find one.

    Parameters
    ----------
    n : int
        Cases that both models answer.
    disagreement, difference : float
        As for ``paired_sample_size``.
    label_disagreement : float, optional
        As for ``label_only_disagreements``.
    significance : float
    concentration : float, optional
        Of ``log_e_value``. By default ((d / gap)^2 - 1) / 2, at least 1/2 (one-sided 1): the
        mixture's standard deviation is then the planned distance of the split from 1/2. At d =
        0.08412 and a gap of 0.00924, values four times as large or small need 7 percent more cases.
    alternative : {"two-sided", "one-sided"}
        One-sided it looks in the direction of the gap only.

    Raises
    ------
    ValueError
        If an argument is not allowed, such as a gap of 0 or above the disagreement.
    """
    cases, rate = check_whole(n, "n", least=1), _label_rate(disagreement, label_disagreement)
    d, gap, c = _bet(disagreement, difference, concentration, alternative)
    options: dict[str, Any] = {"significance": significance, "alternative": alternative}
    most = int(binom.ppf(1.0 - UNLIKELY, cases, d))
    lead = stopping_leads(most, concentration=c, **options)
    discordant = binom.pmf(np.arange(most + 1), cases, d)
    more = 1.0 - np.cumsum(discordant)
    stops, labels = [], []
    for split in (0.5 + gap / (2.0 * d), 0.5):
        stopped = _stopped(split, lead, alternative)
        stops.append(float(discordant @ stopped))
        labels.append(float(more @ (1.0 - stopped)) * rate / d)
    return SequentialPlan(
        n=cases,
        labels=cases * rate,
        power=stops[0],
        size=stops[1],
        expected_labels=labels[0],
        expected_labels_without_gap=labels[1],
        fixed_power=mcnemar_power(cases, d, gap, **options),
        alternative=alternative,
        concentration=c,
        stopping_lead=lead,
    )


def sequential_sample_size(
    disagreement: float,
    difference: float,
    *,
    label_disagreement: float | None = None,
    power: float = 0.8,
    significance: float = 0.05,
    concentration: float | None = None,
    alternative: str = "two-sided",
) -> SequentialPlan:
    """Return the ``sequential_plan`` with the fewest cases that has the power.

    The power grows with every case, because more cases only let the test stop later. Freedom to
    stop has its price: at d = 0.08412 and a gap of 0.00924 the fixed exact test takes 7,926 cases
    and 667 labels, this one 12,512 cases and 628 labels on average, but 1,038 when there is no gap.
    The larger the true gap is beside the planned one, the more it saves.
    """
    d, gap, c = _bet(disagreement, difference, concentration, alternative)
    options: dict[str, Any] = {
        "significance": significance, "alternative": alternative, "concentration": c
    }  # fmt: skip
    wanted = check_fraction(power, "power")

    @lru_cache
    def stopped(most: int) -> np.ndarray:
        return _stopped(0.5 + gap / (2.0 * d), stopping_leads(most, **options), alternative)

    def reaches(n: int) -> bool:
        m = np.arange(int(binom.ppf(1.0 - UNLIKELY, n, d)) + 1)
        return float(binom.pmf(m, n, d) @ stopped(1 << m.size.bit_length())[: m.size]) >= wanted

    return sequential_plan(
        first_reaching(reaches, 8.0 * d / gap**2),
        d,
        gap,
        label_disagreement=label_disagreement,
        **options,
    )


def _stopped(split: float, lead: np.ndarray, alternative: str) -> np.ndarray:
    """Return the probability that the test has stopped after m = 0, 1 ... discordant cases."""
    mass, first, alive = np.zeros(lead.size), 0, np.array([1.0])
    two_sided = alternative == "two-sided"
    for m in range(1, lead.size):
        grown = np.zeros(alive.size + 1)
        grown[:-1] = alive * (1.0 - split)
        grown[1:] += alive * split
        fewer = (m - int(lead[m])) // 2
        # One-sided no split stops below; those that Hoeffding's bound rules out are left away.
        least = fewer + 1 if two_sided else int(m * split - np.sqrt(LEFT_OUT * m / 2.0))
        start, end = max(least - first, 0), min(m - fewer - first, grown.size)
        mass[m] = grown[end:].sum() + (grown[:start].sum() if two_sided else 0.0)
        alive, first = grown[start:end], first + start
    return np.cumsum(mass)


def _bet(
    disagreement: float, difference: float, given: float | None, alternative: str
) -> tuple[float, float, float]:
    d, gap = check_gap(disagreement, difference)
    if gap == 0.0:
        raise ValueError("difference must not be 0: a plan needs a gap to look for")
    two_sided = check_choice(alternative, ALTERNATIVES, "alternative") == "two-sided"
    planned = max(((d / gap) ** 2 - 1.0) / 2.0, 0.5 if two_sided else LEAST_ONE_SIDED)
    return d, gap, planned if given is None else check_positive(given, "concentration")


def _label_rate(disagreement: float, label_disagreement: float | None) -> float:
    d = check_proportion(disagreement, "disagreement")
    rate = d if label_disagreement is None else label_disagreement
    if not d <= check_proportion(rate, "label_disagreement"):
        raise ValueError(
            f"label_disagreement must be at least the disagreement in correctness ({d:g}), because "
            f"models that differ in correctness differ in label; got {label_disagreement!r}"
        )
    return float(rate)
