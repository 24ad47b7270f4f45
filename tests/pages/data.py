"""Files that people bring, as the pages see them."""

from __future__ import annotations

import json

from evalcore.predictions import Predictions
from evalcore.reading import read_predictions
from pages.shared.state import SAMPLES, Loaded
from tests.samples import SAMPLES as SAMPLE_FOLDER

HOSTILE_NAMES = (
    "![x](http://192.0.2.1/pixel.png)",
    "<img src=http://192.0.2.1/pixel.png>",
    ":red[stop] **bold** $x^2$",
    "[link](https://example.org) https://example.org",
    "<b>bold</b> <script>alert(1)</script>",
    "=HYPERLINK(\"http://example.org\")",
)  # fmt: skip
HOSTILE_MODEL = "model <b>*x*</b> :red[y]"


def hostile_csv() -> bytes:
    """Return a file whose class, model and column names are Markdown, HTML and addresses."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE_NAMES]
    rows = [f'truth,"{HOSTILE_MODEL}",other,"# note ![i](http://192.0.2.1/i.png)"']
    for i in range(48):
        truth = quoted[i % len(quoted)]
        first = quoted[(i + (i % 5 == 0)) % len(quoted)]
        second = quoted[(i + (i % 7 == 0)) % len(quoted)]
        rows.append(f"{truth},{first},{second},{quoted[(i + 1) % len(quoted)]}")
    return "\n".join(rows).encode()


def fifty_classes() -> bytes:
    rows = ["truth,model"]
    rows += [f"class {i % 50:02d},class {(i + (i % 3 == 0)) % 50:02d}" for i in range(600)]
    return "\n".join(rows).encode()


def long_log() -> bytes:
    lines = [{"doc_id": i, "question": f"q{i}", "correct": i % 3 != 0} for i in range(20)]
    return "\n".join(json.dumps(line) for line in lines).encode()


FILES: dict[str, tuple[bytes, str]] = {
    **{key: ((SAMPLE_FOLDER / s.file).read_bytes(), s.file) for key, s in SAMPLES.items()},
    "unlabelled": (b"id,model_a,model_b\n1,cat,dog\n2,dog,dog\n3,cat,cat\n", "unlabelled.csv"),
    "one row": (b"truth,model\na,b\n", "one.csv"),
    "one row right": (b"truth,model\na,a\n", "one.csv"),
    "one class": (b"truth,model\n" + b"a,a\n" * 9, "class.csv"),
    "one class, never found": (b"truth,model\n" + b"a,b\n" * 9, "never.csv"),
    "never predicted": (b"truth,model\na,a\nb,a\nb,a\n", "never.csv"),
    "missing cells": (b"truth,model,other\na,a,b\nb,,b\n,b,a\na,b,\n", "missing.csv"),
    "score only": (
        b"truth,score\n" + b"".join(b"%d,%.2f\n" % (i % 2, (i * 7 % 10) / 10) for i in range(30)),
        "score.csv",
    ),
    "count table": (b"truth,predicted,count\na,a,900\na,b,100\nb,b,0\nb,a,3\n", "counts.csv"),
    "groups": (
        b"patient,truth,model\n"
        + b"".join(b"p%d,%s,%s\n" % (i // 4, b"ab"[i % 2 : i % 2 + 1], b"a") for i in range(40)),
        "groups.csv",
    ),
    "slices": (
        b"region,truth,pred\n"
        + b"".join(
            b"%s,%s,%s\n"
            % (
                (b"north", b"south", b"east")[i % 3],
                b"ab"[i % 2 : i % 2 + 1],
                b"ab"[i % 5 // 3 :][:1],
            )
            for i in range(120)
        ),
        "slices.csv",
    ),
    "log": (long_log(), "samples.jsonl"),
    "one number": (b"truth,model\n1.5,2.25\n", "number.csv"),
    "constant miss": (
        b"truth,model\n" + b"".join(b"%.1f,%.1f\n" % (i, i + 0.5) for i in range(40)),
        "constant.csv",
    ),
    "fifty classes": (fifty_classes(), "fifty.csv"),
    "hostile": (hostile_csv(), "hostile ![x](http://192.0.2.1/f.png) <b>.csv"),
}


def loaded(key: str) -> Loaded:
    """Return a file as the app holds it once it is read."""
    file = FILES[key]
    predictions: Predictions = read_predictions(*file)
    sample = key if key in SAMPLES else None
    return Loaded(predictions=predictions, files=(file,), roles=None, sample=sample)
