"""What the name of a column says about its role."""

from __future__ import annotations

import re

from evalcore.reading.phrases import word_set

_SEP = r"[\s_.:/-]"
# Words of German, French, Spanish, Portuguese and Italian stand beside the English ones.
_PREDICTED_ABROAD = (
    r"vorhersagen?|vorhergesagt(?:e[rsn]?)?|prognosen?|gesch[aä]tzt(?:e[rsn]?)?|sch[aä]tzung|"
    r"pr[eé]dite?s?|pr[eé]dictions?|pr[eé]visions?|pr[eé]vue?s?|"
    r"predicci[oó]n(?:es)?|predich[oa]s?|pron[oó]stico|estimad[oa]|"
    r"predi[cç][aã]o|predit[oa]|previs[aã]o|previst[oa]|"
    r"predett[oa]|predizion[ei]|previsione|stimat[oa]"
)
_LABEL_ABROAD = (
    r"klasse|wert|antwort|kategorie|classe|valeur|r[eé]ponse|cat[eé]gorie|[eé]tiquette|clase|valor|"
    r"respuesta|categor[ií]a|etiqueta|r[oó]tulo|resposta|valore|risposta|etichetta"
)
_PREDICTED = (
    r"(?:preds?|predictions?|predicted|yhat|hat|outputs?|estimates?|estimated|forecast|guess|"
    rf"decision|said|{_PREDICTED_ABROAD})"
)
_LABELLED = rf"(?:{_SEP}?(?:labels?|class|classes|value|answer|category|y|{_LABEL_ABROAD}))?"
_SCORED = (
    r"(?:scores?|probs?|probas?|probability|probabilities|confidence|conf|logits?|likelihood|risk|"
    r"wahrscheinlichkeit(?:en)?|konfidenz|risiko|probabilit[eéaà]|confiance|risque|probabilidade?|"
    r"confianza|puntuaci[oó]n|riesgo|confian[cç]a|pontua[cç][aã]o|risco|confidenza|punteggio|"
    r"rischio)"
)
_TRUE_ABROAD = (
    r"wahre[rsn]?|tats[aä]chliche[rsn]?|tatsaechliche[rsn]?|echte[rsn]?|richtige[rsn]?|korrekte[rsn]?|"
    r"vraie?s?|r[eé]el(?:le)?s?|real|reale|verdader[oa]|verdadeir[oa]|ver[oa]|corrett[oa]|"
    r"correct[oea]|corret[oa]"
)
_POSITIVE = rf"(?:{_SEP}?(?:pos|positive|score|true))?"

OUTPUT_NAMES = (
    re.compile(rf"(?:{_LABEL_ABROAD}){_SEP}+(?:{_PREDICTED_ABROAD})", re.I),
    re.compile(rf"(?:(?:y|model){_SEP}?)?{_PREDICTED}{_LABELLED}(?:{_SEP}+(?P<rest>.+))?", re.I),
    re.compile(rf"(?P<rest>.+?){_SEP}+(?:y{_SEP}?)?{_PREDICTED}{_LABELLED}", re.I),
)
SCORE_NAMES = (
    re.compile(rf"(?:(?:y|model|pred){_SEP}?)?{_SCORED}{_POSITIVE}(?:{_SEP}+(?P<rest>.+))?", re.I),
    re.compile(rf"(?P<rest>.+?){_SEP}+(?:y{_SEP}?)?{_SCORED}{_POSITIVE}", re.I),
    re.compile(rf"(?:p|p1)(?:{_SEP}+(?P<rest>.+))?", re.I),
)
_MARK = rf"f1(?:{_SEP}?score)?|rouge{_SEP}?(?:[12l]|lsum)?|bleu|meteor|bert{_SEP}?score|iou|dice"
CORRECT_NAMES = (
    re.compile(
        rf"(?:is{_SEP}?)?(?:correct|right|acc|accuracy|exact{_SEP}?match|match|pass|passed|passes|"
        rf"success|hit|resolved|solved|em|win|won|reward|grade|{_MARK}|richtig|korrekt|correcte|"
        rf"correct[oa]|corret[oa]|corrett[oa]|treffer|acierto)(?:{_SEP}+(?P<rest>.+))?",
        re.I,
    ),
    re.compile(
        rf"(?P<rest>.+?){_SEP}+(?:is{_SEP}?)?(?:correct|right|acc|accuracy|exact{_SEP}?match|pass|"
        rf"passed|success|resolved|solved|em|win|won|{_MARK})",
        re.I,
    ),
)
# Unless told that it is a mark, a column called "score" is how sure a model was.
MARK_NAMES = (*CORRECT_NAMES, re.compile(rf"score(?:{_SEP}+(?P<rest>.+))?", re.I))
TRUTH_NAMES = (
    re.compile(
        rf"(?:y{_SEP}?)?(?:true|truth|actual|gold|golden|gt|ground{_SEP}?truth)|y{_SEP}?test", re.I
    ),
    re.compile(
        rf"(?:y{_SEP}?)?(?:true|truth|actual|gold|golden|gt|ground{_SEP}?truth|observed)"
        rf"{_SEP}+(?P<rest>.+)|(?:correct|right){_SEP}(?:answer|label|class|option|choice|output|"
        rf"response|value|category)",
        re.I,
    ),
    re.compile(rf"(?P<rest>.+?){_SEP}+(?:true|truth|actual|gold|gt|ground{_SEP}?truth)", re.I),
    re.compile(r"targets?|labels?|y|expected|reference|ref|observed|answer|outcome", re.I),
    re.compile(rf"(?:target|reference|expected|ref){_SEP}+(?P<rest>.+)", re.I),
    re.compile(
        rf"(?:wahrheit|grundwahrheit|tats[aä]chlich|tatsaechlich|v[eé]rit[eé](?:{_SEP}terrain)?|"
        rf"verdad|verdade|verit[aà]|verdader[oa]|verdadeir[oa])|"
        rf"(?:{_TRUE_ABROAD}){_SEP}+(?:{_LABEL_ABROAD}|label)|"
        rf"(?:{_LABEL_ABROAD}){_SEP}+(?:{_TRUE_ABROAD})",
        re.I,
    ),
    re.compile(r"soll|soll-?wert|zielwert|zielgr[oö](?:ß|ss)e|vraie?|ver[oa]", re.I),
    re.compile(r"ist|ist-?wert|r[eé]el(?:le)?|reale?|observ[eé]e?|observad[oa]|osservat[oa]", re.I),
    re.compile(r"class(?:es)?|category|species|diagnosis|human|annotation|status", re.I),
)
ID_NAMES = re.compile(
    rf"(?i:(?:.*{_SEP})?(?:id|ids|uuid|guid|key)|index|idx|image|img|file|file{_SEP}?name|filename|"
    rf"path|case|row|listing|document|doc|sample|example|item|record|observation|no|nr|number|"
    rf"task{_SEP}?id|question|name|passage|(?:fall|zeilen?|beispiel|proben?|bild)"
    rf"(?:{_SEP}?(?:nummer|nr|id))?\.?|(?:lfd|lauf){_SEP}*(?:nummer|nr)\.?|nummer|kennung|"
    rf"datei(?:name)?|identifiant|num[eé]ro|cas|exemple|fichier|ligne|identificador|caso|ejemplo|"
    rf"archivo|fila|n[uú]mero|exemplo|arquivo|linha|amostra|identificativo|esempio|riga|campione)|"
    rf".+(?:Id|ID)"
)
CASE_WORDS = word_set("id case sample example row doc image item record listing uid uuid")
GROUP_NAMES = re.compile(
    rf"(?:group|cluster|patient|user|subject|question|session|speaker|customer|client|person|"
    rf"participant|passage|household|family|pair|prompt|conversation|thread|author|writer|doc|"
    rf"document|gruppe|patient(?:in|en)|nutzer(?:in)?|benutzer(?:in)?|kund(?:e|in|en)|proband(?:in|en)?|"
    rf"teilnehmer(?:in)?|sitzung|frage|groupe|patiente|utilisateur|utilisatrice|cliente?|sujet|"
    rf"personne|grupo|pacientes?|usu[aá]ri[oa]|sujeto|persona|gruppo|pazient[ei]|utente|soggetto|"
    rf"pessoa|sujeito)(?:{_SEP}?(?:id|ids|code|number|no|name|nr|nummer))?",
    re.I,
)
COUNT_NAMES = re.compile(
    rf"counts?|n|num|number|freq|frequency|frequencies|n{_SEP}?(?:cases|rows|obs)|multiplicity|cases|"
    rf"occurrences|count{_SEP}?(?:star|all)?|anzahl|h[aä]ufigkeit|nombre|effectif|fr[eé]quence|"
    rf"cantidad|conteo|frecuencia|quantidade|contagem|frequ[eê]ncia|conteggio|frequenza",
    re.I,
)
MODEL_NAMES = re.compile(
    rf"(?:models?|modell|mod[eè]le|modelo|modello)(?:{_SEP}?(?:name|id))?|classifier|estimator|system|algorithm|algo|method|filter|"
    rf"run|run{_SEP}?(?:name|id)|variant|approach|learner|predictor",
    re.I,
)
SLICE_NAMES = re.compile(
    rf"sex|gender|region|site|lang|language|split|country|state|city|age|age{_SEP}?(?:group|band)|"
    rf"device|domain|source|subgroup|hospital|fold|role|year|month|day|week|weekday|hour|race|"
    rf"ethnicity|subject|topic|task|subtask|segment|channel|platform|version|scanner|center|centre|"
    rf"cohort|batch|difficulty|level|type|kind|dataset|epoch|subset|stratum|school|grade{_SEP}?level|"
    rf"is_.+|has_.+|smoker|"
    rf".+{_SEP}(?:group|type|region|site|lang|language|country|split|band|bin|category)",
    re.I,
)
MODEL_LIKE = re.compile(
    r"(?:.*[\s_.-])?(?:baseline|model|network|net|logreg|logistic|forest|tree|svm|knn|boosting|"
    r"xgb|xgboost|lgbm|lightgbm|catboost|gbm|mlp|cnn|rnn|lstm|bert|gpt|llama|claude|gemini|mistral|"
    r"qwen|rf|lr|gb|ridge|lasso|linear|ensemble|system|classifier|algo|human|majority|dummy|champion|"
    r"challenger)(?:[\s_.-]?.*)?",
    re.I,
)
_COPY = re.compile(r"\(\d+\)")
_SCALE_WORDS = re.compile(r"(?:p|probs?|probas?|probability|scores?|logits?|conf|confidence)", re.I)


def rest_of(patterns: tuple[re.Pattern[str], ...], name: str) -> str | None:
    """Return the model a column name adds to a role word, ``""`` for none, None if no match."""
    for pattern in patterns:
        match = pattern.fullmatch(name.strip())
        if match:
            rest = (match.groupdict().get("rest") or "").strip(" _.:-/")
            return "" if _COPY.fullmatch(rest) else rest
    return None


def has_role_word(name: str) -> bool:
    """Return whether a name says that a column holds what a model said, or how good that was."""
    return any(rest_of(p, name) is not None for p in (OUTPUT_NAMES, SCORE_NAMES, MARK_NAMES))


def truth_rank(name: str) -> int | None:
    """Return how clearly a name says truth (0 is clearest), None when it does not."""
    for rank, pattern in enumerate(TRUTH_NAMES):
        if pattern.fullmatch(name.strip()):
            return rank
    return None


def probability_stem(name: str, label: str) -> str | None:
    """Return the model part of a probability column's name, ``""`` for none, None if it is none.

    ``network_p0`` is class ``0`` of ``network``; ``prob_cat`` and ``cat_prob`` are class ``cat`` of
    the only model.
    """
    low, end = name.casefold(), label.casefold()
    if low == end:
        return ""
    for pattern in (
        rf"(?P<stem>.*?){_SEP}*(?:p|probs?|probas?|probability|scores?|logits?|conf){_SEP}*[(\[]?"
        rf"{re.escape(end)}[)\]]?",
        rf"(?P<stem>.+?){_SEP}+{re.escape(end)}",
        rf"(?P<stem>.*?){_SEP}*{re.escape(end)}{_SEP}+(?:p|probs?|probas?|probability|scores?)",
    ):
        match = re.fullmatch(pattern, low)
        if match:
            stem = name[: len(match.group("stem"))].strip(" _.:-/")
            return "" if _SCALE_WORDS.fullmatch(stem) else _without_scale_word(stem)
    return None


def _without_scale_word(stem: str) -> str:
    """Drop a role word at either end of a stem, as in ``p_network`` or ``y_prob``."""
    bare = re.sub(
        rf"^(?:{_SCALE_WORDS.pattern}){_SEP}+|{_SEP}+(?:{_SCALE_WORDS.pattern})$",
        "",
        stem,
        flags=re.I,
    )
    return "" if bare.casefold() in ("y", "pred", "y_pred", "class") else bare
