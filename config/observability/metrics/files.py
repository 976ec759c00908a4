"""The files in which processes count, for /metrics to add up: two for each process, named by its id."""

import os


def count_in_files() -> None:
    """Count in files of PROMETHEUS_MULTIPROC_DIR. Processes that follow each other may share a name, and so files.

    RUNGS_COUNTED_AS is that name. Otherwise processes that come and go would fill the folder.
    """
    from prometheus_client import values  # it looks for the folder's variable when it is imported

    if name := os.environ.pop("RUNGS_COUNTED_AS", ""):
        values.ValueClass = values.MultiProcessValue(lambda: name)  # type: ignore[no-untyped-call]
