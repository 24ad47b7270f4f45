"""The Python that reproduces what a page shows."""

from __future__ import annotations

from typing import Any

from pages.shared.state import Loaded


def interval_code(loaded: Loaded, metric: str, model: str, **options: Any) -> str:
    """Return a script that prints one interval from the loaded files."""
    given = "".join(f", {key}={value!r}" for key, value in options.items() if value is not None)
    call = f"metric_interval(predictions, {metric!r}, {model!r}{given})"
    return f"{reading_code(loaded, ['metric_interval'])}\nprint({call})\n"


def comparison_code(loaded: Loaded, metric: str, a: str, b: str, **options: Any) -> str:
    """Return a script that prints one comparison of the loaded files."""
    given = "".join(f", {key}={value!r}" for key, value in options.items() if value is not None)
    call = f"compare_models(predictions, {metric!r}, {a!r}, {b!r}{given})"
    return f"{reading_code(loaded, ['compare_models'])}\nprint({call})\n"


def matrix_code(loaded: Loaded, model: str, threshold: float | None) -> str:
    """Return a script that prints a confusion matrix from the loaded files."""
    given = "" if threshold is None else f", threshold={threshold!r}"
    call = f"confusion_matrix(predictions, {model!r}{given})"
    return f"{reading_code(loaded, ['confusion_matrix'])}\nprint({call}.counts)\n"


def sizing_code(name: str, *arguments: Any, loaded: Loaded | None = None, **options: Any) -> str:
    """Return a script that prints a plan; with ``loaded`` its first argument is the predictions."""
    given = [repr(value) for value in arguments]
    given += [f"{key}={value!r}" for key, value in options.items() if value is not None]
    if loaded is None:
        return f"from evalcore.sizing import {name}\n\nprint({name}({', '.join(given)}))\n"
    call = f"{name}({', '.join(['predictions', *given])})"
    reading = reading_code(loaded, [])
    return f"from evalcore.sizing import {name}\n{reading}\nprint({call})\n"


def reading_code(loaded: Loaded, names: list[str]) -> str:
    """Return the lines that read the loaded files again, with the roles chosen on the page."""
    reader = "read_predictions" if len(loaded.files) == 1 else "join_predictions"
    files = [f"Path({name!r}).read_bytes(), {name!r}" for _, name in loaded.files]
    sources = files[0] if len(files) == 1 else "[" + ", ".join(f"({f})" for f in files) + "]"
    roles = "" if loaded.roles is None else f", roles={dict(loaded.roles)!r}"
    imports = ", ".join(sorted([*names, reader]))
    return (
        "from pathlib import Path\n\n"
        f"from evalcore import {imports}\n\n"
        f"predictions = {reader}({sources}{roles})"
    )
