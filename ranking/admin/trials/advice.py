"""What the figures of an evaluation, or of a fit, say: which system, with which parameters, and why. Titles of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ranking.systems.registry import system_class
from ranking.trials.core.parameters import is_fittable

ENOUGH = 1_000  # decided matches; with fewer the differences of good systems are mostly chance
FELT = 0.005  # of log-loss; less is felt by nobody
IN_FORCE = ", in force"  # how a version of a ranking ends
LONGEST = 8  # digits of a parameter's number
CALIBRATED = (0.8, 1.25)  # slopes with which chances can be taken as they are


def title_of(candidate: Mapping[str, Any]) -> str:
    """Return a candidate's name with its parameters, such as "Gaussian Elo, alpha 0.05"."""
    params = [f"{name} {_short(value)}" for name, value in candidate["params"].items()]
    return ", ".join([system_class(candidate["system"]).title, *params])


def _short(value: object) -> str:
    """A parameter, a long number to five digits."""
    return f"{value:.5g}" if isinstance(value, float) and len(repr(value)) > LONGEST else str(value)


def advice_of_evaluation(candidates: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> list[str]:
    """The conclusion, then its reasons, a sentence each. The first candidate is in force; none if it is alone."""
    tried = [
        (title_of(candidate), candidate["system"], result)
        for candidate, result in zip(candidates, results, strict=False)
        if result["figures"]["log_loss"] is not None
    ]
    if len(tried) < 2:
        return []
    decided = results[0]["figures"]["decided"]
    in_force = title_of(candidates[0])
    (title, key, best), (second, _, next_best), *_ = sorted(tried, key=lambda each: each[2]["figures"]["log_loss"])
    return [
        *_conclusion(title, in_force, best, decided),
        f"Next comes {second} with {next_best['figures']['log_loss']:.4f}.",
        *_about(key, best["figures"]["slope"]),
    ]


def _conclusion(title: str, in_force: str, best: Mapping[str, Any], decided: int) -> Iterator[str]:
    loss, gap = best["figures"]["log_loss"], best.get("difference")
    if decided < ENOUGH:
        yield f"It is too early to choose: with {decided:,} decided matches, differences are mostly chance."
        yield f"From {ENOUGH:,} on they begin to tell something."
    if title == in_force:
        yield f"Keep {title}: of these, it foresees results best (log-loss {loss:.4f})."
    elif gap is None or gap["high"] >= 0:
        yield f"Nothing here is surely better than {in_force}: keep it, or choose by other reasons."
        yield f"{title} has the lowest log-loss ({loss:.4f}){_margin(gap)}; that may be chance."
    elif -gap["mean"] < FELT:
        yield f"{title} is surely better than {in_force}, but nobody will feel it: choose by other reasons."
        yield f"Its log-loss is {loss:.4f}{_margin(gap)}."
    else:
        yield f"{title} foresees results best, and surely better than {in_force}, which is in force."
        yield f"Its log-loss is {loss:.4f}{_margin(gap)}; below {FELT} nobody would feel the difference."


def _margin(gap: Mapping[str, float] | None) -> str:
    if gap is None:
        return ""
    return f", {abs(gap['mean']):.4f} ± {(gap['high'] - gap['low']) / 2:.4f} less than that of the system in force"


def _about(key: str, slope: float | None) -> Iterator[str]:
    least, most = CALIBRATED
    if slope is not None and slope < least:
        yield f"Its slope of {slope:.2f} says that favourites win less often than it tells."
    elif slope is not None and slope > most:
        yield f"Its slope of {slope:.2f} says that favourites win more often than it tells."
    elif slope is not None:
        yield f"Its slope of {slope:.2f} says that the matchmaker can take its chances as they are."
    if is_fittable(key):
        yield "Whether other parameters suit this mode better, a fit says."


def advice_of_fit(results: Sequence[Mapping[str, Any]], ranking: Sequence[Mapping[str, Any]]) -> list[str]:
    """The conclusion of a fit, then its reasons; none if no system could be fitted. `ranking`: the best first."""
    judged = [result for result in results if "error" not in result]
    if not ranking:
        return _advice_of_one(judged[0]) if len(judged) == 1 else []
    best, gain = ranking[0], ranking[0]["gain"]
    title, there = version_title(best["title"]), "on the matches held out"
    unfitted = next((row for row in ranking[1:] if not any(row["gain"].values())), None)
    if best["title"].endswith(IN_FORCE):
        return [f"Keep {title}: {there} it foresees results best.", _loss(best)]
    if gain["low"] > 0:
        first = f"Use {title}: {there} it foresees results best, and that is no chance."
        reasons = [_loss(best), f"It saves {interval_text(gain)} beside the best version that needs no fit."]
    elif unfitted:
        first = f"Choose {title}, or {version_title(unfitted['title'])}: {there} neither is surely better."
        losses = f"The log-loss of the first is {best['log_loss']:.4f}, of the second {unfitted['log_loss']:.4f}"
        reasons = [f"{losses}; the difference, {interval_text(gain)}, may be chance."]
        reasons.append("If in doubt, take the second: it needs no fit.")
    else:
        first, reasons = f"Use {title}: {there} it foresees results best.", [_loss(best)]
    in_force = [row for row in ranking if row["title"].endswith(IN_FORCE)]
    return [
        first,
        *reasons,
        *(f"{capital(version_title(row['title']))} has {row['log_loss']:.4f}." for row in in_force),
    ]


def version_title(title: str) -> str:
    """The version of a ranking, such as "elo, fitted", in words."""
    key, _, version = title.partition(", ")
    name = system_class(key).title
    words = {"fitted": f"{name} with the fitted parameters", "defaults": f"{name} with its defaults"}
    return words.get(version, f"what is in force ({name})" if title.endswith(IN_FORCE) else f"{name} {version}")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def interval_text(gain: Mapping[str, float]) -> str:
    return f"{gain['mean']:+.4f} (95 %: {gain['low']:+.4f} to {gain['high']:+.4f})".replace("-", "−")


def _loss(row: Mapping[str, object]) -> str:
    return f"Its log-loss there is {row['log_loss']:.4f}; 0.6931 would be knowing nothing."


def _advice_of_one(result: Mapping[str, Any]) -> list[str]:
    title, gain = system_class(result["system"]).title, result["gain"]
    interval = interval_text(gain)
    if result["recommended"]:
        first = f"Use {title} with the fitted parameters: on the matches held out they foresee results better."
        return [first, f"They save {interval} of log-loss, and the whole interval is above 0."]
    first = f"Keep the defaults of {title}: on the matches held out, the fitted parameters aren't surely better."
    return [first, f"They save {interval} of log-loss, and the interval holds 0: that may be chance."]
