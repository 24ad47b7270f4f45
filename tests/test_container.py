"""The container: the Dockerfile is read, and its command is run as written."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from tests.browser.harness import free_port, serve

ROOT = Path(__file__).parents[1]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction of a Dockerfile and the number of its stage, from 0."""

    stage: int
    word: str
    rest: str


def parse_dockerfile(text: str) -> list[Instruction]:
    """Return the instructions: comment lines dropped, continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(lines))
    found, stage = [], -1
    for line in filter(None, map(str.strip, joined.splitlines())):
        word, _, rest = line.partition(" ")
        stage += word.upper() == "FROM"
        found.append(Instruction(stage=stage, word=word.upper(), rest=rest.strip()))
    return found


def dockerignored(path: str, patterns: list[str]) -> bool:
    """Tell whether .dockerignore keeps a path out: the last pattern that fits decides."""
    parts = PurePosixPath(path).parts
    itself_and_above = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    ignored = False
    for pattern in patterns:
        bare = pattern.removeprefix("!").removeprefix("**/")
        anywhere = "**/" in pattern
        names = [*itself_and_above, *(parts if anywhere else ())]
        if any(
            fnmatch.fnmatchcase(name, bare) and name.count("/") == bare.count("/") for name in names
        ):
            ignored = not pattern.startswith("!")
    return ignored


@pytest.fixture(scope="module")
def dockerfile() -> list[Instruction]:
    return parse_dockerfile(read("Dockerfile"))


def rests(dockerfile: list[Instruction], word: str, *, stage: int | None = None) -> list[str]:
    return [one.rest for one in dockerfile if one.word == word and stage in (None, one.stage)]


def copies(dockerfile: list[Instruction]) -> list[tuple[int, str, str]]:
    """Return (stage, source, target) of everything copied from the repository."""
    found = []
    for one in dockerfile:
        if one.word == "COPY" and not one.rest.startswith("--from="):
            *sources, target = one.rest.split()
            found += [(one.stage, source, target) for source in sources]
    return found


def environment_of(dockerfile: list[Instruction]) -> dict[str, str]:
    pairs = [pair for rest in rests(dockerfile, "ENV", stage=1) for pair in shlex.split(rest)]
    return dict(pair.split("=", 1) for pair in pairs)


def test_parser_joins_lines_and_counts_stages():
    text = '# c\nFROM a AS b\nRUN x \\\n  # inside\n  && y\nFROM c\nCMD ["z", \\\n "1"]\n'
    assert [(one.stage, one.word, one.rest) for one in parse_dockerfile(text)] == [
        (0, "FROM", "a AS b"),
        (0, "RUN", "x && y"),
        (1, "FROM", "c"),
        (1, "CMD", '["z", "1"]'),
    ]


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("app.py", False),
        ("pages/shared/frame.py", False),
        ("tests/test_layers.py", True),
        (".venv/bin/python", True),
        (".git/config", True),
        (".ci/requirements.lock", False),
        (".ci/run", True),
        (".streamlit/config.toml", False),
        (".streamlit/secrets.toml", True),
        ("evalcore/__pycache__/checks.pyc", True),
        ("evalcore/binomial/__pycache__/limits.pyc", True),
    ],
)
def test_dockerignore_lets_in_the_product_alone(path, ignored):
    patterns = [line for line in read(".dockerignore").split("\n") if line and line[0] != "#"]
    assert dockerignored(path, patterns) is ignored


def test_everything_copied_exists_and_is_let_in(dockerfile):
    patterns = [line for line in read(".dockerignore").split("\n") if line and line[0] != "#"]
    sources = [source for _, source, _ in copies(dockerfile)]
    assert {"app.py", "pages", "evalcore", "assets"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not dockerignored(source, patterns), source


def test_base_is_slim_and_pinned_by_minor_version(dockerfile):
    bases = {rest.split()[0] for rest in rests(dockerfile, "FROM")}
    (base,) = bases
    assert re.fullmatch(r"python:3\.\d+-slim", base)


def test_final_stage_installs_nothing_and_is_not_root(dockerfile):
    last = dockerfile[-1].stage
    assert last == 1
    runs = " ".join(rests(dockerfile, "RUN", stage=last))
    for tool in ("apt", "pip", "gcc", "make", "curl", "wget"):
        assert not re.search(rf"\b{tool}\b", runs), tool
    user = rests(dockerfile, "USER", stage=last)[-1]
    uid, gid = map(int, user.split(":"))
    assert uid >= 1_000
    assert f"--uid {uid}" in runs
    assert f"--gid {gid}" in runs
    assert environment_of(dockerfile)["HOME"] == "/tmp"
    assert rests(dockerfile, "EXPOSE", stage=last) == ["8501"]


def test_install_is_locked(dockerfile):
    installs = [rest for rest in rests(dockerfile, "RUN", stage=0) if "pip" in rest]
    assert installs
    assert all("--require-hashes" in rest for rest in installs)
    assert all(rest.endswith("-r /tmp/requirements.lock") for rest in installs)
    assert (0, ".ci/requirements.lock", "/tmp/requirements.lock") in copies(dockerfile)


def test_command_serves_the_health_address(dockerfile, tmp_path):
    """Run CMD and HEALTHCHECK as written, on another port, where only the copied paths are."""
    folder = tmp_path / "app"
    for stage, source, target in copies(dockerfile):
        if stage == 1:
            place = folder / target / ("" if not target.endswith("/") else source)
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, place)
    before = {path.relative_to(folder) for path in folder.rglob("*")}

    port = free_port()
    (command,) = rests(dockerfile, "CMD", stage=1)
    (check,) = rests(dockerfile, "HEALTHCHECK", stage=1)
    command, check = (
        [sys.executable if word == "python" else word.replace("8501", str(port)) for word in words]
        for words in (json.loads(command), json.loads(check[check.index("[") :]))
    )
    home = tmp_path / "home"
    home.mkdir()
    environment = os.environ | environment_of(dockerfile)
    environment |= {"HOME": str(home), "PATH": os.environ["PATH"]}

    log = tmp_path / "log.txt"
    with serve(command, port=port, folder=folder, log=log, environment=environment):
        assert subprocess.run(check, capture_output=True).returncode == 0
    assert subprocess.run(check, capture_output=True).returncode != 0
    assert {path.relative_to(folder) for path in folder.rglob("*")} == before
    assert "Traceback" not in log.read_text()
