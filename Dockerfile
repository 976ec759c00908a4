# syntax=docker/dockerfile:1
# One image for every process of the scaled profile; bin/rungs says which.

ARG PYTHON_IMAGE=python:3.13.7-slim-trixie
FROM $PYTHON_IMAGE AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
RUN python -m venv /venv
COPY requirements.lock /build/
RUN /venv/bin/pip install --require-hashes --no-deps -r /build/requirements.lock
COPY . /rungs
RUN cd /rungs && /venv/bin/python -m config.languages.compiling
# Static files get their hashed names here. Settings want values; no process ever runs with these.
RUN cd /rungs \
    && RUNGS_PROFILE=scaled RUNGS_SECRET_KEY=for-collectstatic-only-0123456789-abcdefghijklmnopqrstuvwxyz \
       RUNGS_DATABASE_URL=postgres://build/build RUNGS_REDIS_URL=redis://build RUNGS_HOSTS=build \
       /venv/bin/python manage.py collectstatic --noinput --verbosity 0
# Compiled here, as no process may write beside the code; unchecked, as the code never changes either.
RUN /venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /rungs

FROM $PYTHON_IMAGE
# pg_dump and pg_restore, for backups: Debian's version, which is that of the server in compose.yaml.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /rungs --shell /usr/sbin/nologin rungs \
    && install --directory --owner=rungs /var/lib/rungs /var/lib/rungs/metrics /var/lib/rungs/backups
COPY --from=build /venv /venv
COPY --from=build /rungs /rungs
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    RUNGS_PROFILE=scaled RUNGS_METRICS_DIR=/var/lib/rungs/metrics RUNGS_ALIVE=/tmp/alive
WORKDIR /rungs
USER rungs
EXPOSE 8000
STOPSIGNAL SIGTERM
# For web; compose.yaml gives the other processes their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
ENTRYPOINT ["/rungs/bin/rungs"]
CMD ["web", "--host", "0.0.0.0", "--port", "8000"]
