# The compiled part, for linalg.py alone.
from typing import Any

def __getattr__(name: str) -> Any: ...
