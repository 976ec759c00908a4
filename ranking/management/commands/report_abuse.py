"""`manage.py report_abuse`: searches for abuse now and prints the findings."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ranking.abuse.detection.registry import DETECTORS, UnknownKind, get_detector
from ranking.abuse.search import search
from ranking.abuse.wording import scores_text, sentence_of
from ranking.models import Finding, Mode

EPILOG = """\
Findings are listed in the admin, too, with the matches they rest on. Nothing punishes by itself.

exit status: 0 searched, whatever was found; 2 no such mode or kind
"""


class Command(BaseCommand):
    help = "Look for abuse in the matches of a mode, or of all modes, and print the findings, strongest first."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--mode", metavar="SLUG", help="one mode only")
        parser.add_argument("--kind", metavar="KIND", help=f"one kind only: {', '.join(DETECTORS)}")
        parser.add_argument("--json", action="store_true", help="a list of objects: kind, players, score, evidence")

    def handle(self, *, mode: str | None, kind: str | None, **options: object) -> None:
        kinds = [kind] if kind else list(DETECTORS)
        try:
            for one in kinds:
                get_detector(one)
        except UnknownKind as unknown:
            raise CommandError(str(unknown), returncode=2) from unknown
        modes = Mode.objects.order_by("slug")
        if mode is not None and not (modes := modes.filter(slug=mode)):
            known = ", ".join(Mode.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no mode {mode!r}; there are: {known}.", returncode=2)
        now = timezone.now()
        findings = [finding for each in modes for finding in search(each, now=now, kinds=kinds)]
        findings.sort(key=lambda finding: (-finding.score, -finding.pk))
        if options["json"]:
            self.stdout.write(json.dumps([row_of(finding) for finding in findings], indent=1))
        else:
            for finding in findings:
                self.stdout.write(f"{finding.score:6.1f}  {finding.kind:11}  {finding.mode.slug}: {_sentence(finding)}")
                if any(None not in scores for scores in finding.evidence["scores"]):
                    self.stdout.write(f"{'':21}Scores, {finding.player.key}’s first: {scores_text(finding.evidence)}")
            self.stdout.write(f"{len(findings)} finding{'' if len(findings) == 1 else 's'}.")


def row_of(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "mode": finding.mode.slug,
        "players": [player.key for player in finding.players],
        "score": finding.score,
        "evidence": finding.evidence,
    }


def _sentence(finding: Finding) -> str:
    return sentence_of(finding.kind, [player.key for player in finding.players], finding.evidence)
