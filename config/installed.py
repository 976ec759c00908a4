"""The command `rungs` of an installed wheel: `rungs run`, `rungs web`, and each command of manage.py.

The wheel holds the site in one folder, which this puts on the path: the apps keep their names, and no other package's
module of such a name is in their way. Data lies in RUNGS_DATA_DIR, by default `rungs-data` in the current folder.
"""

import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = "rungs-data"
NOT_OF_MANAGE = ("worker", "beat")


def main() -> None:
    """Run the command of sys.argv as a checkout's manage.py and bin/rungs do."""
    command = sys.argv[1] if sys.argv[1:] else "help"
    if (
        not os.environ.get("RUNGS_DATA_DIR")
        and command not in ("help", "version", "--version")
        and not Path(DATA).exists()
    ):
        sys.stderr.write(f"{Path.cwd()} has no {DATA}: it gets a new one. RUNGS_DATA_DIR names that of another site.\n")
    os.environ["RUNGS_DATA_DIR"] = str(Path(os.environ.get("RUNGS_DATA_DIR") or DATA).absolute())
    if command in NOT_OF_MANAGE:
        script = ["rungs", *sys.argv[1:]]
        os.execve(ROOT / "bin" / "rungs", script, {**os.environ, "PYTHON": sys.executable})  # noqa: S606
    sys.path.insert(0, str(ROOT))
    manage = importlib.import_module("manage")  # there is one now; usages name this command, as sys.argv does
    manage.main()
