from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Site"

    def ready(self) -> None:
        from config import celery, checks  # noqa: F401  - shared tasks bind to this app; checks register
