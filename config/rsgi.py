"""The entry point of the web server: the site, as Granian runs it."""

from config.serving.application import Application


def load_application(threads: int) -> Application:
    """In a web process: load the site. `threads`: requests at once."""
    from config.wsgi import application

    return Application(application, threads)
