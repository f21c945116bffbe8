"""Memoria's processes killed at random moments, and what they left looked at."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
