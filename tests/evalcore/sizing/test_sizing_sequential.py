"""Labelling only the disagreements, stopping early, and what it costs."""

import numpy as np
import pytest
from scipy.stats import binom

from evalcore.clusters import summarise_clusters
from evalcore.sizing import (
    affordable_cases,
    budget_curve,
    cost,
    design_effect,
    detectable_difference,
    expected_half_width,
    label_only_disagreements,
    log_e_value,
    mcnemar_power,
    paired_sample_size,
    paired_size_table,
    sequential_plan,
    sequential_sample_size,
    split_limits,
    stopping_leads,
    with_design_effect,
)


def test_only_the_disagreements_need_labels():
    size = paired_sample_size(0.08412, 0.00924, method="normal")
    fewer = label_only_disagreements(size, 0.08412)
    assert (fewer.n, fewer.labels, fewer.achieved) == (7734, 651, size.achieved)
    assert "accuracy of neither" in fewer.assumptions[-1]
    # With more than two classes the labels differ more often than the correctness.
    assert label_only_disagreements(size, 0.08412, label_disagreement=0.12).labels == 929
    with pytest.raises(ValueError, match=r"label_disagreement must be at least .*\(0\.08412\)"):
        label_only_disagreements(size, 0.08412, label_disagreement=0.08)


@pytest.mark.parametrize("concentration", [0.5, 1.0, 41.0])
def test_e_value_is_a_martingale_when_the_split_is_even(concentration):
    a, b = np.meshgrid(np.arange(40), np.arange(40))
    now = np.exp(log_e_value(a, b, concentration=concentration))
    won = np.exp(log_e_value(a + 1, b, concentration=concentration))
    lost = np.exp(log_e_value(a, b + 1, concentration=concentration))
    np.testing.assert_allclose((won + lost) / 2, now, rtol=1e-10)
    assert log_e_value(0, 0, concentration=concentration) == 0.0


def test_e_value_of_a_uniform_mixture_by_hand():
    # 2^5 times the integral of x^4 (1 - x) from 0 to 1, which is 1 / 30.
    assert np.exp(log_e_value(4, 1, concentration=1.0)) == pytest.approx(32 / 30, rel=1e-12)


def test_stopping_leads_are_where_the_e_value_reaches_one_over_alpha():
    leads = stopping_leads(120, significance=0.05, concentration=3.0)
    for m, lead in enumerate(leads):
        values = [
            log_e_value((m + x) / 2, (m - x) / 2, concentration=3.0) for x in (lead, lead - 2)
        ]
        assert lead > m or values[0] >= np.log(20)
        assert lead < 2 or values[1] < np.log(20)
    assert leads[0] > 0


def simulated(plan, d, split, rate, n, sets, rng):
    """Label the disagreements one at a time; return who stopped and after how many labels."""
    discordant, right = d / rate, 0.0
    stopped, used = 0, []
    for pool in rng.binomial(n, rate, sets):
        kinds = rng.random(pool)
        step = np.where(kinds < discordant * split, 1, np.where(kinds < discordant, -1, 0))
        lead, m = np.abs(np.cumsum(step)), np.cumsum(step != 0)
        hits = np.flatnonzero(
            lead >= plan.stopping_lead[np.minimum(m, plan.stopping_lead.size - 1)]
        )
        stopped += hits.size > 0
        used.append(hits[0] + 1 if hits.size else pool)
        right += hits.size > 0 and step[: used[-1]].sum() > 0
    return stopped / sets, float(np.mean(used)), float(np.std(used)) / sets**0.5, right / sets


def test_plan_agrees_with_simulation_and_keeps_the_significance():
    d, gap, rate, n, sets = 0.10, 0.03, 0.14, 1_500, 3_000
    plan = sequential_plan(n, d, gap, label_disagreement=rate)
    rng = np.random.default_rng(7)
    power, used, error, right = simulated(plan, d, 0.5 + gap / (2 * d), rate, n, sets, rng)
    # Monte Carlo errors at 3,000 sets: 0.9 points of power, 0.25 points near a size of 2 percent.
    assert abs(power - plan.power) < 3.5 * np.sqrt(plan.power * (1 - plan.power) / sets)
    assert abs(used - plan.expected_labels) < 3.5 * error
    assert right > 0.999 * power
    size, used, error, _ = simulated(plan, d, 0.5, rate, n, sets, rng)
    assert abs(size - plan.size) < 3.5 * np.sqrt(plan.size * (1 - plan.size) / sets)
    assert abs(used - plan.expected_labels_without_gap) < 3.5 * error
    assert plan.labels == pytest.approx(n * rate)
    assert plan.fixed_power == mcnemar_power(n, d, gap)


@pytest.mark.parametrize("concentration", [0.5, 5.0, 60.0])
@pytest.mark.parametrize("significance", [0.01, 0.05, 0.2])
def test_significance_is_kept_however_long_one_looks(concentration, significance):
    # Exactly, by dynamic programming over up to 3,000 discordant cases; Ville says never above.
    plan = sequential_plan(3_000, 1.0, 0.1, significance=significance, concentration=concentration)
    assert significance / 20 < plan.size <= significance


def test_looking_after_every_case_without_the_e_value_breaks_the_significance():
    rng = np.random.default_rng(0)
    leads = np.abs(np.cumsum(rng.choice([-1, 1], (2_000, 600)), axis=1))
    m = np.arange(1, 601)
    naive = m - 2 * (binom.ppf(0.025, m, 0.5) - 1)
    valid = stopping_leads(600, concentration=5.0)[1:]
    # Monte Carlo error near 30 percent: 1.0 points.
    assert (leads >= naive).any(axis=1).mean() > 0.2
    assert (leads >= valid).any(axis=1).mean() < 0.05


@pytest.mark.parametrize("concentration", [1.0, 5.0, 60.0])
@pytest.mark.parametrize("significance", [0.01, 0.05, 0.2])
def test_one_sided_significance_is_kept_however_long_one_looks(concentration, significance):
    options = {"significance": significance, "concentration": concentration}
    plan = sequential_plan(3_000, 1.0, 0.1, alternative="one-sided", **options)
    assert significance / 20 < plan.size <= significance
    both = sequential_plan(3_000, 1.0, 0.1, **options)
    assert plan.power > both.power
    assert plan.fixed_power == mcnemar_power(
        3_000, 1.0, 0.1, significance=significance, alternative="one-sided"
    )


def test_one_sided_e_value_by_hand():
    # Uniform above 1/2: 2 * 2^2 times the integral of x (1 - x) from 1/2 to 1, which is 1 / 12.
    value = np.exp(log_e_value(1, 1, concentration=1.0, alternative="one-sided"))
    assert value == pytest.approx(8 / 12, rel=1e-12)


def test_one_sided_e_value_never_gains_when_the_other_model_is_better():
    a, b = np.meshgrid(np.arange(40), np.arange(40))
    options = {"concentration": 7.0, "alternative": "one-sided"}
    now = np.exp(log_e_value(a, b, **options))
    won, lost = (np.exp(log_e_value(a + x, b + 1 - x, **options)) for x in (1, 0))
    np.testing.assert_allclose((won + lost) / 2, now, rtol=1e-9)
    for share in (0.1, 0.4):
        assert np.all(share * won + (1 - share) * lost <= now * (1 + 1e-9))


@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
@pytest.mark.parametrize("concentration", [1.0, 12.0, 90.0])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_and_test_never_contradict(alternative, concentration, level):
    a, b = np.meshgrid(np.arange(0, 120, 5), np.arange(0, 120, 5))
    options = {"concentration": concentration, "alternative": alternative}
    low, high = split_limits(a, b, confidence_level=level, **options)
    stops = log_e_value(a, b, **options) >= -np.log(1 - level)
    np.testing.assert_array_equal(stops, (low > 0.5) | (high < 0.5))
    shares = np.divide(a, a + b, out=np.full(a.shape, 0.5), where=a + b > 0)
    assert np.all((low >= 0) & (low <= shares) & (shares <= high) & (high <= 1))
    assert (low[0, 0], high[0, 0]) == (0.0, 1.0)


@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.72])
def test_limits_hold_at_all_times_at_once(alternative, share):
    """1,500 runs of 150 labels: how often the share lies in every interval of a run."""
    rng = np.random.default_rng(11)
    a = np.cumsum(rng.random((1_500, 150)) < share, axis=1)
    m = np.broadcast_to(np.arange(1, 151), a.shape)
    # The limits depend on the two counts alone: worked out once for each that occurs.
    counts, which = np.unique(np.stack([a.ravel(), m.ravel()]), axis=1, return_inverse=True)
    low, high = split_limits(
        counts[0],
        counts[1] - counts[0],
        confidence_level=0.9,
        concentration=4.0,
        alternative=alternative,
    )
    inside = (low <= share) & (share <= high)
    held = inside[which].reshape(a.shape).all(axis=1).mean()
    # Monte Carlo error at 90 percent: 0.77 points.
    assert held > 0.9 - 3 * 0.0077
    assert held < 0.999


def test_one_sided_plan_agrees_with_simulation():
    d, gap, n, sets = 0.1, 0.03, 1_200, 2_000
    plan = sequential_plan(n, d, gap, alternative="one-sided", significance=0.1)
    rng = np.random.default_rng(3)
    for split, power, labels in (
        (0.65, plan.power, plan.expected_labels),
        (0.5, plan.size, plan.expected_labels_without_gap),
    ):
        pool = rng.binomial(n, d, sets)
        step = np.where(rng.random((sets, pool.max())) < split, 1, -1)
        m = np.arange(1, pool.max() + 1)
        stops = (np.cumsum(step, axis=1) >= plan.stopping_lead[m]) & (m <= pool[:, None])
        stopped = stops.any(axis=1)
        used = np.where(stopped, stops.argmax(axis=1) + 1, pool)
        assert abs(stopped.mean() - power) < 3.5 * np.sqrt(power * (1 - power) / sets)
        assert abs(used.mean() - labels) < 3.5 * used.std() / sets**0.5


def test_one_sided_needs_fewer_cases_and_a_concentration_that_keeps_its_limit():
    one = sequential_sample_size(0.1, 0.03, alternative="one-sided")
    two = sequential_sample_size(0.1, 0.03)
    assert one.n < two.n
    assert one.power >= 0.8
    assert sequential_plan(50, 0.1, 0.09, alternative="one-sided").concentration == 1.0
    with pytest.raises(ValueError, match="concentration must be at least 1 for a one-sided test"):
        log_e_value(3, 1, concentration=0.5, alternative="one-sided")
    with pytest.raises(ValueError, match="alternative must be one of"):
        split_limits(3, 1, alternative="less")


def test_sequential_size_is_the_smallest_and_saves_labels():
    plan = sequential_sample_size(0.1, 0.03)
    assert plan.power >= 0.8 > sequential_plan(plan.n - 1, 0.1, 0.03).power
    fixed = paired_sample_size(0.1, 0.03)
    assert plan.n > fixed.n
    assert plan.expected_labels < 0.1 * fixed.n < plan.expected_labels_without_gap < plan.labels
    assert plan.size < 0.05


def test_a_sequential_plan_needs_a_gap():
    with pytest.raises(ValueError, match="difference must not be 0"):
        sequential_plan(100, 0.1, 0.0)
    with pytest.raises(ValueError, match="difference must be from"):
        sequential_sample_size(0.1, 0.2)


def test_cost_counts_annotators_and_labels_already_there():
    bill = cost(24_600, price=0.08, labels_per_case=3, share_labelled=0.1)
    assert (bill.cases, bill.new_cases, bill.labels) == (24_600, 22_140, 66_420)
    assert bill.total == pytest.approx(5_313.6)
    assert cost(10, price=1, share_labelled=1.0).labels == 0


@pytest.mark.parametrize("budget", [50.0, 1_000.0, 12_345.0])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_affordable_cases_is_the_inverse_of_cost(budget, share):
    options = {"price": 0.7, "labels_per_case": 2, "share_labelled": share}
    cases = affordable_cases(budget, **options)
    assert cost(cases, **options).total <= budget + 1e-9
    assert cost(cases + 2, **options).total > budget
    assert affordable_cases(budget, share_needed=0.1, **options) >= 10 * cases
    with pytest.raises(ValueError, match="1 - share_labelled must be a finite number above 0"):
        affordable_cases(budget, price=1, share_labelled=1.0)


def test_design_effect_multiplies_cases():
    assert design_effect(4, 0.25) == 1.75
    assert design_effect(1, 0.9) == 1.0
    size = with_design_effect(paired_sample_size(0.1, 0.03, method="connor"), 1.75)
    plain = paired_sample_size(0.1, 0.03, method="connor")
    assert size.n == np.ceil(plain.n * 1.75)
    assert size.achieved == plain.achieved
    with pytest.raises(ValueError, match=r"correlation must be from -0\.25 to 1; got -0\.3"):
        design_effect(5, -0.3)
    with pytest.raises(ValueError, match="size must be at least 1 case per group"):
        design_effect(0.5, 0.1)


def test_design_effect_from_a_pilot_is_that_of_its_clusters():
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(60), 5)
    values = (rng.normal(size=60)[group] + rng.normal(size=300) > 0).astype(float)
    pilot = summarise_clusters(values, group)
    effect = design_effect(pilot.mean_size, pilot.intraclass_correlation)
    assert effect == pytest.approx(pilot.design_effect_kish, rel=1e-12)


def test_table_by_gap_and_disagreement():
    table = paired_size_table([0.01, 0.1], [0.05, 0.2], method="normal")
    assert np.isnan(table[1, 0])
    assert table[0].tolist() == [3925, 15698]
    assert table[1, 1] == 157


def test_budget_curve_falls_and_agrees_with_the_single_answers():
    curves = budget_curve(
        [200, 2_000, 20_000], disagreement=0.1, proportions={"recall": (0.8, 0.05)}, comparisons=2
    )
    assert np.all(np.diff(curves["difference"]) < 0)
    assert np.all(np.diff(curves["recall"]) < 0)
    gap = detectable_difference(2_000, 0.1, method="connor", comparisons=2)
    assert curves["difference"][1] == gap
    assert curves["recall"][1] == expected_half_width(100, 0.8)
