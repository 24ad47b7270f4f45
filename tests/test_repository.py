"""The repository around the product: what lies at the top, the locks and the Makefile."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    *("app.py", "pages", "evalcore", "assets", "tests", "requirements.txt", "Dockerfile"),
    *("README.md", "LICENSE", "CHANGELOG.md", "Makefile", "pyproject.toml"),
    *(".streamlit", ".ci", ".gitignore", ".dockerignore"),
}
LOCKS = {
    ".ci/requirements.lock": ["requirements.txt"],
    ".ci/requirements-dev.lock": ["requirements.txt", "tests/requirements.txt"],
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_top_level_holds_what_the_design_names():
    ignored = [line.rstrip("/") for line in read(".gitignore").splitlines()]
    present = {
        path.name
        for path in ROOT.iterdir()
        if path.name != ".git"
        and not any(fnmatch.fnmatch(path.name, pattern) for pattern in ignored)
    }
    assert present == TOP_LEVEL


def test_ci_runs_make_test_and_nothing_else():
    commands = [line for line in read(".ci/run").splitlines() if not line.startswith("#")]
    assert commands == ["set -eu", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert os.access(ROOT / ".ci/run", os.X_OK)


def requirements(name: str) -> list[Requirement]:
    lines = [line.split("#")[0].strip() for line in read(name).splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def locked(name: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return each pin of a lock with its hashes."""
    text = re.sub(r"^\s*#.*\n", "", read(name), flags=re.MULTILINE).replace("\\\n", " ")
    pins = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        pin, *hashes = line.split("--hash=")
        requirement = Requirement(pin.strip())
        pins[canonicalize_name(requirement.name)] = requirement, [h.strip() for h in hashes]
    return pins


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_pins_everything_with_hashes(lock):
    pins = locked(lock)
    assert len(pins) > 30
    for requirement, hashes in pins.values():
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, f"{requirement} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes)
    assert "://" not in read(lock)


@pytest.mark.parametrize(("lock", "sources"), LOCKS.items())
def test_lock_satisfies_the_requirements(lock, sources):
    pins = locked(lock)
    for wanted in (one for source in sources for one in requirements(source)):
        pin, _ = pins[canonicalize_name(wanted.name)]
        (exact,) = pin.specifier
        assert wanted.specifier.contains(Version(exact.version)), f"{pin} is not {wanted}"


def test_direct_requirements_have_both_bounds():
    for requirement in (
        one for source in LOCKS[".ci/requirements-dev.lock"] for one in requirements(source)
    ):
        operators = {part.operator for part in requirement.specifier}
        assert operators == {">=", "<"}, requirement


def test_both_locks_agree():
    runtime, dev = locked(".ci/requirements.lock"), locked(".ci/requirements-dev.lock")
    assert {name: dev[name] for name in runtime} == runtime


def dry_run(folder: Path, target: str) -> str:
    answer = subprocess.run(
        ["make", "--dry-run", target], cwd=folder, capture_output=True, text=True, check=True
    )
    return answer.stdout


@pytest.fixture
def fresh(tmp_path):
    """Return a copy of what make reads, in a folder whose name has a space."""
    folder = tmp_path / "with space"
    for name in ("Makefile", ".ci", "requirements.txt", "tests/requirements.txt"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    return folder


def test_make_app_installs_the_runtime_lock_and_starts(fresh):
    plan = dry_run(fresh, "app")
    assert plan.index("venv.sh") < plan.index("-r .ci/requirements.lock") < plan.index("app.py")
    assert "requirements-dev.lock" not in plan
    assert "--server.port 8501" in plan


def test_make_test_installs_checks_and_tests(fresh):
    plan = dry_run(fresh, "test")
    steps = ("venv.sh", "-r .ci/requirements-dev.lock", "browser/install.sh", "ruff format --check")
    steps += ("ruff check", "-m mypy", "-m pytest")
    assert sorted(steps, key=plan.index) == list(steps)


@pytest.mark.parametrize("target", ["app", "test"])
def test_make_installs_only_when_a_lock_has_changed(fresh, target):
    (fresh / ".venv").mkdir()
    for name in ("venv", "app", "test"):
        (fresh / f".venv/{name}.stamp").touch()
    assert "pip install" not in dry_run(fresh, target)
    stamp = fresh / f".venv/{target}.stamp"
    os.utime(stamp, (0, 0))
    assert "--require-hashes" in dry_run(fresh, target)


def test_a_machine_without_python_is_told_what_to_install(fresh):
    answer = subprocess.run(
        ["make", "app", "PYTHON=no-such-python"], cwd=fresh, capture_output=True, text=True
    )
    assert answer.returncode != 0
    assert "Margin needs Python 3.11 to 3.14" in answer.stderr
    assert not (fresh / ".venv").exists()


def test_python_without_venv_names_the_missing_package(tmp_path, fresh):
    """A Python as Debian ships it (no ensurepip), for a user who is not root."""
    tools = tmp_path / "bin"
    tools.mkdir()
    scripts = {
        "python3": f"""case "$2" in *ensurepip*) exit 1;; esac
            exec {shlex.quote(sys.executable)} "$@\"""",
        "id": "echo 1000",
    }
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHON": "python3"}
    answer = subprocess.run(
        ["sh", ".ci/venv.sh"], cwd=fresh, env=environment, capture_output=True, text=True
    )
    assert answer.returncode != 0
    package = "python{}.{}-venv".format(*sys.version_info)
    assert f"sudo apt-get install {package}" in answer.stderr
