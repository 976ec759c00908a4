"""Folders that tests read: the checkout, and the shared material beside it, which may be absent."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
