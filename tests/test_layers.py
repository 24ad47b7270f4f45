"""Imports run one way: the layers of the design, checked on the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up. A module may import from its own layer and from those below it; a folder
# counts as one module. A new module has to be given its place here.
LAYERS = (
    {"checks"},
    {"results"},
    {"predictions", "metrics", "clusters"},
    {"reading", "sufficient", "resampling", "binomial", "ranking"},
    {"intervals", "confusion"},
    {"slices", "comparison", "sizing", "simulation", "estimators"},
    {"wording", "charts"},
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
PACKAGE, SHARED, PAGE = len(LAYERS), len(LAYERS) + 1, len(LAYERS) + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import: the file and line, the name imported, and whether it runs on import."""

    path: Path
    line: int
    name: str
    at_module_level: bool

    def __str__(self) -> str:
        """Show where it is and what it imports."""
        return f"{self.path.as_posix()}:{self.line} imports {self.name}"


def source_files(root: Path) -> list[Path]:
    """Return the files of the product, relative to ``root``."""
    files = [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "evalcore").rglob("*.py")]
    return sorted(file.relative_to(root) for file in files if file.exists())


def imports_of(root: Path, path: Path) -> Iterator[Import]:
    """Yield every import of a file as a full dotted name, ``from a import b`` as ``a.b``."""
    tree = ast.parse((root / path).read_text(encoding="utf-8"))
    postponed = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(path.parts[: len(path.parts) - node.level]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            yield Import(
                path=path, line=node.lineno, name=name, at_module_level=id(node) not in postponed
            )


def room_of(root: Path, parts: tuple[str, ...]) -> tuple[int, str] | None:
    """Return the rank and the name of the room that a path or a dotted name belongs to."""
    if parts[0] == "app":
        return PAGE, "app"
    if parts[0] == "pages":
        if parts[1:2] == ("shared",):
            return SHARED, "pages.shared"
        return PAGE, ".".join(parts[:2])
    if parts[0] != "evalcore":
        return None
    package = root / "evalcore"
    known = len(parts) > 1 and (
        (package / f"{parts[1]}.py").exists() or (package / parts[1]).is_dir()
    )
    if not known or parts[1] == "__init__":
        return PACKAGE, "evalcore"
    return RANKS.get(parts[1], PACKAGE), f"evalcore.{parts[1]}"


def violations(root: Path) -> list[str]:
    """Return a sentence for every import that breaks a rule."""
    found = []
    for path in source_files(root):
        rank, room = room_of(root, path.with_suffix("").parts)
        inside = room.startswith("evalcore")
        for one in imports_of(root, path):
            top, *_ = one.name.split(".")
            if inside and top == "streamlit":
                found.append(f"{one}: evalcore knows nothing of Streamlit")
            if top == "plotly" and room != "evalcore.charts":
                found.append(f"{one}: only charts draws")
            if top == "sklearn" and room != "evalcore.estimators" and one.at_module_level:
                found.append(f"{one}: only estimators loads scikit-learn")
            target = room_of(root, tuple(one.name.split(".")))
            if target is None or target[1] == room:
                continue
            if target[0] > rank:
                found.append(f"{one}: imports run from {target[1]} to {room}, not back")
            elif target[0] == PAGE:
                found.append(f"{one}: pages do not import each other")
    return found


def module_graph(root: Path) -> dict[str, set[str]]:
    """Return which modules of evalcore import which."""
    graph: dict[str, set[str]] = {}
    for path in source_files(root):
        _, room = room_of(root, path.with_suffix("").parts)
        targets = (room_of(root, tuple(one.name.split("."))) for one in imports_of(root, path))
        graph.setdefault(room, set()).update(
            name for _, name in filter(None, targets) if name != room
        )
    return graph


def cycles(graph: dict[str, set[str]]) -> set[str]:
    """Return the modules that import themselves by way of others."""
    reached = {name: set(targets) for name, targets in graph.items()}
    for _ in graph:
        for targets in reached.values():
            targets.update(*(reached.get(name, set()) for name in tuple(targets)))
    return {name for name, targets in reached.items() if name in targets}


def test_imports_run_one_way():
    assert source_files(ROOT)
    assert violations(ROOT) == []


def test_modules_of_a_layer_do_not_import_in_circles():
    assert cycles(module_graph(ROOT)) == set()


def test_every_module_has_a_layer():
    package = ROOT / "evalcore"
    modules = {path.stem for path in package.glob("*.py")} | {
        path.name for path in package.iterdir() if any(path.glob("*.py"))
    }
    assert modules - {"__init__", "__main__"} <= set(RANKS)


def test_evalcore_loads_fast():
    code = (
        "import sys, evalcore; slow = {'streamlit', 'plotly', 'sklearn.metrics'};"
        "print(sorted(slow & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


CLEAN = {
    "app.py": "import streamlit as st\nfrom pages.shared.frame import frame\n",
    "pages/metric.py": "from evalcore.charts import intervals\nfrom pages.shared import frame\n",
    "pages/shared/frame.py": "import streamlit as st\nfrom evalcore import wording\n",
    "evalcore/__init__.py": "from evalcore.checks import check\nfrom .metrics import METRICS\n",
    "evalcore/checks.py": "import numpy as np\n",
    "evalcore/metrics.py": "def f():\n    from sklearn.metrics import roc_auc_score\n",
    "evalcore/binomial/limits.py": "from evalcore.binomial.blaker import f\n",
    "evalcore/binomial/blaker.py": "from ..checks import check\n",
    "evalcore/estimators.py": "import sklearn.model_selection\nfrom evalcore import binomial\n",
    "evalcore/wording.py": "from evalcore.binomial import limits\n",
    "evalcore/charts/forest.py": "import plotly.graph_objects as go\n",
}


def write_tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_a_tree_that_keeps_the_rules_passes(tmp_path):
    write_tree(tmp_path, CLEAN)
    assert violations(tmp_path) == []
    assert cycles(module_graph(tmp_path)) == set()


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("evalcore/checks.py", "from evalcore.metrics import METRICS\n", "not back"),
        ("evalcore/checks.py", "from . import metrics\n", "not back"),
        ("evalcore/checks.py", "from evalcore import METRICS\n", "not back"),
        ("evalcore/checks.py", "def f():\n    import evalcore.wording\n", "not back"),
        ("evalcore/binomial/limits.py", "from ..wording import say\n", "not back"),
        ("evalcore/wording.py", "from pages.shared import frame\n", "not back"),
        ("evalcore/wording.py", "def f():\n    import streamlit\n", "nothing of Streamlit"),
        ("evalcore/wording.py", "from plotly.graph_objects import Figure\n", "only charts"),
        ("pages/metric.py", "import plotly.express\n", "only charts"),
        ("evalcore/binomial/limits.py", "from sklearn import metrics\n", "only estimators"),
        ("pages/shared/frame.py", "import pages.metric\n", "not back"),
        ("pages/metric.py", "import app\n", "each other"),
        ("app.py", "from pages import metric\n", "each other"),
    ],
)
def test_a_broken_rule_is_seen(tmp_path, name, text, complaint):
    write_tree(tmp_path, CLEAN | {name: text})
    (found,) = violations(tmp_path)
    assert found.startswith(f"{name}:")
    assert complaint in found


def test_a_circle_within_a_layer_is_seen(tmp_path):
    circle = {
        "evalcore/estimators.py": "from evalcore.sizing import n\n",
        "evalcore/sizing.py": "from evalcore.estimators import k\n",
    }
    write_tree(tmp_path, CLEAN | circle)
    assert violations(tmp_path) == []
    assert cycles(module_graph(tmp_path)) == {"evalcore.estimators", "evalcore.sizing"}
