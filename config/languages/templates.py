"""Django's templates, with values written for machines: a drawing's 1.5 stays 1.5 in every language.

Numbers and dates for readers go through filters of ours, which know the language (leaderboards/templatetags/rungs.py).
"""

from django.http import HttpRequest
from django.template.backends import django
from django.template.context import make_context
from django.utils.safestring import SafeString


class Template(django.Template):
    def render(self, context: dict[str, object] | None = None, request: HttpRequest | None = None) -> SafeString:
        made = make_context(context, request, autoescape=self.backend.engine.autoescape)
        made.use_l10n = False
        return self.template.render(made)


class Templates(django.DjangoTemplates):
    def from_string(self, template_code: str) -> Template:
        return Template(self.engine.from_string(template_code), self)

    def get_template(self, template_name: str) -> Template:
        return Template(super().get_template(template_name).template, self)
