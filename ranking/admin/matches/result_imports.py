"""The admin page that imports results: a file, the preview of its first matches, and the act."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.audited import person
from ranking.admin.matches.results import ResultPages
from ranking.matches.importing import check_modes, import_upload
from ranking.models import Mode
from ranking.result_files.options import BadFile, FileOptions, check_date_format, read_columns, read_zone
from ranking.validation.report_outlines import place_of
from ranking.validation.report_previews import PreviewedMatch, first_matches
from ranking.validation.sorted_reports import SortedReports

MOST_RESULTS = 1_000  # that a page takes; the command takes more
LARGEST = 500_000  # bytes of a file
LONGEST_NAME = 200  # of a file
_Value = TypeVar("_Value")


class ResultImportForm(forms.Form):
    """Asks for a file, or holds the text of the one that was previewed; and how it is to be read."""

    file = forms.FileField(
        required=False, label="File",
        help_text=f"CSV, JSON Lines or a JSON array, with at most {MOST_RESULTS:,} results and {LARGEST // 1000} kB;"
        " manage.py import_matches takes more.",
    )  # fmt: skip
    lines = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    name = forms.CharField(required=False, max_length=LONGEST_NAME, widget=forms.HiddenInput)
    mode = forms.ModelChoiceField(
        Mode.objects.order_by("name"), required=False, empty_label="As the file says",
        help_text="Of results that name none.",
    )  # fmt: skip
    columns = forms.CharField(
        required=False, max_length=1_000, label="Columns",
        help_text="What headings of CSV mean, if it isn’t plain: date=ended_at,p1 points=score1.",
    )  # fmt: skip
    date_format = forms.CharField(
        required=False, max_length=60, label="Date format",
        help_text="If the year isn’t first: %d.%m.%Y %H:%M, or %m/%d/%Y %I:%M %p.",
    )  # fmt: skip
    timezone = forms.CharField(
        required=False, max_length=60, label="Time zone", help_text="Of times without an offset. Empty: UTC."
    )
    trim = forms.BooleanField(
        required=False, label="Trim", help_text="Ids lose spaces at their ends and invisible characters."
    )
    keep_alike = forms.BooleanField(
        required=False, label="Keep alike", help_text="Results that look like recorded ones are rated, too."
    )

    def clean_columns(self) -> dict[str, str]:
        return self._clean_by(read_columns, "columns")

    def clean_date_format(self) -> str:
        return self._clean_by(check_date_format, "date_format")

    def clean_timezone(self) -> dt.tzinfo | None:
        return self._clean_by(read_zone, "timezone")

    def _clean_by(self, read: Callable[[str], _Value], name: str) -> _Value:
        try:
            return read(self.cleaned_data[name].strip())
        except BadFile as bad:
            raise forms.ValidationError(str(bad)) from bad

    def clean(self) -> dict[str, Any]:
        """Read the file, too: `content` has its bytes."""
        cleaned: dict[str, Any] = super().clean() or {}
        # Browsers send the line ends of Windows, which a file may not have had.
        file, content = cleaned.get("file"), cleaned.get("lines", "").replace("\r\n", "\n").encode()
        if file is not None:
            content, cleaned["name"] = file.read(LARGEST + 1), file.name[:LONGEST_NAME]
        if not content and file is None:
            self.add_error("file", "Choose a file.")
        elif len(content) > LARGEST:
            self.add_error("file", f"The file has over {LARGEST // 1000} kB; manage.py import_matches takes it.")
        return {**cleaned, "content": content}

    @property
    def options(self) -> FileOptions:
        given, mode = self.cleaned_data, self.cleaned_data["mode"]
        return FileOptions(
            mode=mode.slug if mode else "", columns=given["columns"], date_format=given["date_format"],
            zone=given["timezone"], trim=given["trim"],
        )  # fmt: skip

    def read(self) -> SortedReports:
        """The results of the file; raises BadFile."""
        reports = SortedReports(most=MOST_RESULTS)
        reports.add(io.BytesIO(self.cleaned_data["content"]), self.cleaned_data["name"] or "The file", self.options)
        try:
            self.cleaned_data["lines"] = self.cleaned_data["content"].decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadFile("This isn't UTF-8 text; save the file in UTF-8.") from None
        check_modes(reports)
        return reports


@dataclass(frozen=True, slots=True)
class ResultImportPreview:
    """What a file holds: its first matches, what is wrong with others, and what somebody should know."""

    matches: Sequence[PreviewedMatch]
    faults: Sequence[str]
    notes: Sequence[str]
    good: int
    faulty: int

    @property
    def more(self) -> int:
        return self.good - len(self.matches)


class ResultImportPages(ResultPages):
    """Adds the page that imports results. Whoever may add a result may import many."""

    def get_urls(self) -> list[URLPattern]:
        view: Callable[..., HttpResponse] = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="ranking_match_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Show the preview of a file; a second POST imports it."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = ResultImportForm(request.POST or None, request.FILES or None)
        if not form.is_valid():
            return self._import_page(request, form, None)
        try:
            reports = form.read()
            if "write" not in request.POST or not reports.outline.good:
                return self._import_page(request, form, _preview(reports))
            given = form.cleaned_data
            summary = import_upload(
                reports, given["name"], by=person(request), now=timezone.now(), keep_alike=given["keep_alike"]
            )
        except BadFile as bad:
            form.add_error("file", str(bad))
            return self._import_page(request, form, None)
        for number, sentence in enumerate(summary.sentences()):
            self.message_user(request, sentence.strip(), messages.INFO if number else messages.SUCCESS)
        for fault in summary.faults:
            self.message_user(request, fault, messages.WARNING)
        return HttpResponseRedirect(reverse("admin:ranking_match_changelist"))

    def _import_page(
        self, request: HttpRequest, form: ResultImportForm, preview: ResultImportPreview | None
    ) -> TemplateResponse:
        if preview is not None:
            data = request.POST.copy()
            data["lines"], data["name"] = form.cleaned_data["lines"], form.cleaned_data["name"]
            form.data = data
        context = {
            **self.admin_site.each_context(request),
            "title": "Import results",
            "opts": self.opts,
            "form": form,
            "preview": preview,
        }
        return TemplateResponse(request, "admin/ranking/match/import_results.html", context)


def _preview(reports: SortedReports) -> ResultImportPreview:
    outline = reports.outline
    return ResultImportPreview(
        first_matches(reports),
        [f"{place_of(line)}: {line.error}" for line in outline.faults],
        list(outline.sentences()),
        outline.good,
        outline.faulty,
    )
