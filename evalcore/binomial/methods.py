"""The table of interval methods for a proportion; widgets list it and tests run over all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evalcore.binomial import limits
from evalcore.binomial.blaker import blaker


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionMethod:
    """One way to make a confidence interval for a binomial proportion.

    Attributes
    ----------
    key, label : str
        The name in code and the name on the screen.
    limits : callable
        ``limits(k, n, level) -> (low, high)``: float arrays of one shape, 0 <= k <= n, n > 0.
    formula : str
        One line of LaTeX.
    reference : str
        Author, year and source.
    remark : str
        When to use it, or what is wrong with it.
    """

    key: str
    label: str
    limits: Callable[[np.ndarray, np.ndarray, float], limits.Limits]
    formula: str
    reference: str
    remark: str


_METHODS = (
    ProportionMethod(
        key="wilson",
        label="Wilson",
        limits=limits.wilson,
        formula=r"\frac{\hat p + z^2/2n \pm z\sqrt{\hat p(1-\hat p)/n + z^2/4n^2}}{1 + z^2/n}",
        reference="Wilson (1927), JASA 22, 209-212",
        remark=(
            "The default: it stays inside 0 to 1 and covers close to its level on average (at 95 % "
            "and n = 50: 95.2 %), though near 0 or 1 single proportions fall to 83.8 %."
        ),
    ),
    ProportionMethod(
        key="wald",
        label="Wald (normal)",
        limits=limits.wald,
        formula=r"\hat p \pm z\sqrt{\hat p(1-\hat p)/n}",
        reference="Laplace (1812); Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133",
        remark=(
            "The textbook formula: it covers less than it says, leaves 0 to 1, and has zero width "
            "when every case is right or every case is wrong."
        ),
    ),
    ProportionMethod(
        key="clopper_pearson",
        label="Clopper-Pearson (exact)",
        limits=limits.clopper_pearson,
        formula=r"P(X \ge k \mid p_{low}) = \alpha/2,\quad P(X \le k \mid p_{high}) = \alpha/2",
        reference="Clopper, Pearson (1934), Biometrika 26, 404-413",
        remark="Never covers less than it says, and pays for it by being wider than needed.",
    ),
    ProportionMethod(
        key="jeffreys",
        label="Jeffreys",
        limits=limits.jeffreys,
        formula=r"\mathrm{Beta}(k+\tfrac12,\ n-k+\tfrac12)\ \text{at}\ \alpha/2,\ 1-\alpha/2",
        reference="Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133",
        remark="A Bayesian interval with good average coverage, also read as the posterior itself.",
    ),
    ProportionMethod(
        key="agresti_coull",
        label="Agresti-Coull",
        limits=limits.agresti_coull,
        formula=(
            r"\tilde p \pm z\sqrt{\tilde p(1-\tilde p)/\tilde n},\ "
            r"\tilde n = n + z^2,\ \tilde p = (k + z^2/2)/\tilde n"
        ),
        reference="Agresti, Coull (1998), American Statistician 52, 119-126",
        remark="Wilson's centre in Wald's formula: easy by hand, a little wide, can leave 0 to 1.",
    ),
    ProportionMethod(
        key="wilson_cc",
        label="Wilson, corrected",
        limits=limits.wilson_cc,
        formula=r"\text{Wilson of}\ k - \tfrac12\ \text{(low) and}\ k + \tfrac12\ \text{(high)}",
        reference="Newcombe (1998), Statistics in Medicine 17, 857-872, method 4",
        remark=(
            "By a formula nearly as cautious as Clopper-Pearson: a hair wider on average, clearly "
            "so at the ends."
        ),
    ),
    ProportionMethod(
        key="midp",
        label="Mid-p (exact)",
        limits=limits.mid_p,
        formula=r"P(X > k \mid p_{low}) + \tfrac12 P(X = k \mid p_{low}) = \alpha/2",
        reference="Berry, Armitage (1995), The Statistician 44, 417-423",
        remark="Clopper-Pearson without its excess: close to its level on average, not guaranteed.",
    ),
    ProportionMethod(
        key="likelihood_ratio",
        label="Likelihood ratio",
        limits=limits.likelihood_ratio,
        formula=r"2\left[\ell(\hat p) - \ell(p)\right] \le z^2",
        reference="Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133",
        remark="Follows the likelihood's own shape; covers too little near a true rate of 0 or 1.",
    ),
    ProportionMethod(
        key="blaker",
        label="Blaker (exact)",
        limits=blaker,
        formula=r"P\left(\text{tail no larger than the observed one} \mid p\right) > \alpha",
        reference="Blaker (2000), Canadian Journal of Statistics 28, 783-798",
        remark="Never covers less than it says and is never wider than Clopper-Pearson.",
    ),
    ProportionMethod(
        key="arcsine",
        label="Arcsine (Anscombe)",
        limits=limits.arcsine,
        formula=r"\sin^2\left(\arcsin\sqrt{(k + 3/8)/(n + 3/4)} \pm z/(2\sqrt n)\right)",
        reference="Anscombe (1948), Biometrika 35, 246-254",
        remark="Makes the variance constant before the normal formula; short at k = 0 and k = n.",
    ),
    ProportionMethod(
        key="logit",
        label="Logit (Gart-Zweifel)",
        limits=limits.logit,
        formula=(
            r"\mathrm{logit}^{-1}\left(\ln\frac{k+1/2}{n-k+1/2} \pm "
            r"z\sqrt{\frac{(n+1)(n+2)}{n(k+1)(n-k+1)}}\right)"
        ),
        reference="Gart, Zweifel (1967), Biometrika 54, 181-187",
        remark="Normal on the log odds; at k = 0 and k = n it leaves the observed 0 or 1 outside.",
    ),
)

PROPORTION_METHODS: Mapping[str, ProportionMethod] = MappingProxyType(
    {method.key: method for method in _METHODS}
)
