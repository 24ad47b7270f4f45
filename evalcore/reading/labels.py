"""Labels as people write them: one class, however it is spelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evalcore.reading.phrases import counted, listed, word_set

POSITIVE_WORDS = word_set(
    "1 +1 yes y true t positive pos spam fraud malignant abnormal disease diseased sick ill case "
    "churn churned default anomaly anomalous toxic present event hit infected defect defective "
    "fail failure relevant bad attack intrusion hate ja oui si sí sim wahr vrai"
)
NEGATIVE_WORDS = word_set(
    "0 -1 no n false f negative neg ham benign normal healthy control absent none "
    "legit legitimate ok irrelevant good clean nein non não nao falsch faux"
)


def fold_labels(columns: Sequence[Sequence[str]]) -> tuple[dict[str, str], list[str]]:
    """Return one spelling for labels that mean the same class, and what was folded.

    ``1.0`` becomes ``1`` when some column writes ``1``; ``TRUE`` and ``true`` become the first
    spelling found.

    Parameters
    ----------
    columns : sequence of sequences of str
        The different labels of each column that holds labels, the truth first.
    """
    seen = dict.fromkeys(label for column in columns for label in column)
    folded: dict[str, str] = {}
    whole = {label: _whole(label) for label in seen}
    for label, short in whole.items():
        if short is not None and short != label and short in seen:
            folded[label] = short
    floats = list(folded)
    booleans: dict[str, str] = {}
    for label in seen:
        if label.casefold() in ("true", "false"):
            first = booleans.setdefault(label.casefold(), label)
            if first != label:
                folded[label] = first
    notes = []
    if floats:
        shorts = listed(folded[label] for label in floats[:2])
        more = f" (and {counted(len(floats) - 2, 'more label')} like it)" if len(floats) > 2 else ""
        notes.append(f"Labels such as {listed(floats[:2])} were read as {shorts}{more}.")
    spelled = [label for label in folded if label not in floats]
    if spelled:
        kept = listed(dict.fromkeys(folded[label] for label in spelled))
        verb = "was" if len(spelled) == 1 else "were"
        notes.append(f"{listed(spelled)} {verb} read as {kept}.")
    return folded, notes


def guess_positive(classes: Sequence[str]) -> tuple[str | None, bool]:
    """Return the positive one of two classes, and whether its name says so.

    Without a telling name it is the last of the two; with other than two classes there is none.
    """
    if len(classes) != 2:
        return None, False
    says_positive = [label for label in classes if label.casefold() in POSITIVE_WORDS]
    if len(says_positive) == 1:
        return says_positive[0], True
    says_negative = [label for label in classes if label.casefold() in NEGATIVE_WORDS]
    if len(says_negative) == 1:
        return next(label for label in classes if label not in says_negative), True
    return classes[1], False


def guess_mapping(predicted: Sequence[str], truth: Sequence[str]) -> dict[str, str]:
    """Return which predicted label probably means which label of the truth; {} when unclear.

    Labels that differ only in case meet; two labels each meet as positive and negative.
    """
    by_case = {label.casefold(): label for label in truth}
    if len(by_case) == len(truth) and all(label.casefold() in by_case for label in predicted):
        return {label: by_case[label.casefold()] for label in predicted}
    if len(truth) == 2 and 1 <= len(predicted) <= 2:
        sides = {_side(label): label for label in truth}
        mapped = {label: sides.get(_side(label)) for label in predicted}
        if None not in sides and len(sides) == 2 and None not in mapped.values():
            found = {label: target for label, target in mapped.items() if target is not None}
            if len(set(found.values())) == len(found):
                return found
    return {}


def apply_mapping(names: Iterable[str], mapping: Mapping[str, str]) -> list[str]:
    """Return the labels with each name replaced by what it is mapped to."""
    return [mapping.get(name, name) for name in names]


def _side(label: str) -> bool | None:
    word = label.casefold()
    whole = _whole(word) or word
    if whole in POSITIVE_WORDS:
        return True
    if whole in NEGATIVE_WORDS:
        return False
    return None


def _whole(label: str) -> str | None:
    """Return ``"1"`` for ``"1.0"`` or ``"1."``, None for labels that are no whole decimals."""
    digits, point, zeros = label.partition(".")
    plain = digits[1:] if digits[:1] == "-" else digits
    if point and plain.isascii() and plain.isdigit() and not zeros.strip("0"):
        return digits if plain == "0" or not plain.startswith("0") else None
    return None
