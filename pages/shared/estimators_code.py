"""The Python that reproduces what the page of estimators shows."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.estimators import Design, Rule
from pages.shared.estimators_data import OWN, Source


def study_code(
    source: Source,
    rule: Rule,
    methods: Sequence[str],
    design: Design,
    repetitions: int,
    seed: int,
) -> str:
    """Return a script that prints every estimate of every repetition."""
    return (
        f"{_start(source, ['Design', 'Rule', 'repeat_estimators'])}\n"
        f"for repetition in range({repetitions}):\n"
        "    found = repeat_estimators(\n"
        f"        source, {rule!r},\n"
        f"        n={source.table.n}, repetition=repetition, seed={seed}, fresh=10_000,\n"
        f"        methods={list(methods)!r},\n"
        f"        design={design!r},\n"
        "    )\n"
        "    print(found.truth, {key: one.estimate for key, one in found.estimates.items()})\n"
    )


def curve_code(source: Source, ks: Sequence[int], folds: int, seed: int) -> str:
    """Return a script that prints the errors against the number of neighbours."""
    options = f"{tuple(ks)!r}, folds={folds}, rng={seed}"
    if source.population is None:
        return f"{_start(source, ['neighbour_curve'])}\nprint(neighbour_curve(source, {options}))\n"
    n = source.table.n
    return (
        f"import numpy as np\n\n{_start(source, ['neighbour_curve'])}\n"
        f"cases = source.draw({n}, np.random.default_rng([{n}, {seed}, 0]))\n"
        f"print(neighbour_curve(cases, {options}, population=source))\n"
    )


def folds_code(source: Source, call: str, seed: int) -> str:
    """Return a script that prints one cross-validated estimate, given its call on ``cases``."""
    name = call.split("(")[0]
    n = source.table.n
    draw = f"source.draw({n}, np.random.default_rng([{n}, {seed}, 0]))"
    numpy = "" if source.population is None else "import numpy as np\n\n"
    cases = "source" if source.population is None else draw
    return f"{numpy}{_start(source, [name, 'Rule'])}\ncases = {cases}\nprint({call})\n"


def jackknife_code(source: Source, column: int, statistic: str, seed: int) -> str:
    """Return a script that prints the jackknife of one column and the inclusion probability."""
    names = ["STATISTICS", "inclusion_probability", "jackknife"]
    n = source.table.n
    draw = f"source.draw({n}, np.random.default_rng([{n}, {seed}, 0]))"
    cases = "source" if source.population is None else draw
    return (
        f"import numpy as np\n\n{_start(source, names)}\ncases = {cases}\n"
        f"values = cases.features[:, {column}]\nvalues = values[~np.isnan(values)]\n"
        f"print(jackknife(values, STATISTICS[{statistic!r}].value))\n"
        "print(inclusion_probability(cases.n))\n"
    )


def tuning_code(source: Source, split: int, share: float, rules: str, folds: int, seed: int) -> str:
    """Return a script that splits, tunes inside the training cases and reads the test set."""
    names = ["Rule", "held_errors", "holdout_round", "tune"]
    start = _start(source, names)
    draw = ""
    if source.population is not None:
        n = source.table.n
        start = f"import numpy as np\n\n{start}"
        draw = f"source = source.draw({n}, np.random.default_rng([{n}, {seed}, 0]))\n"
    return (
        f"{start}\n{draw}"
        f"split = holdout_round(source, test_share={share}, rng={split})\n"
        "train, test = source.take(split.fit), source.take(split.held)\n"
        f"tuning = tune(train, {rules}, folds={folds}, rng={seed})\n"
        "print(tuning.errors, tuning.chosen)\n"
        "print(held_errors(train, test, [tuning.chosen]))  # once\n"
    )


def _start(source: Source, names: Sequence[str]) -> str:
    made = {"load_cases"} if source.population is None else {"POPULATIONS"}
    made = {"cases_of", "read_features"} if source.key == OWN else made
    path = "from pathlib import Path\n\n" if source.key == OWN else ""
    imports = ", ".join(sorted({*names, *made}))
    return f"{path}from evalcore.estimators import {imports}\n\nsource = {source.code}"
