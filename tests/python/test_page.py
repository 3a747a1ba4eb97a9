"""The blocks of docs/python.md."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block(block):
    exec(compile(block, str(PAGE), "exec"), {})
