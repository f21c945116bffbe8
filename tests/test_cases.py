"""Each case that lies in a file is tried by a test beside it."""

import ast
from pathlib import Path

import pytest
from cases import parts

TESTS = Path(__file__).parent


@pytest.mark.parametrize("file", [*TESTS.rglob("cases.txt")], ids=str)
def test_each_part_of_a_file_of_cases_is_that_of_one_test(file):
    trees = (ast.parse(path.read_text("utf-8")) for path in file.parent.glob("test_*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    tests = [one for one in nodes if isinstance(one, ast.FunctionDef) and "cased" in calls(one)]
    assert sorted(parts(file.parent)) == sorted(one.name for one in tests)
    assert all(rows for _, rows in parts(file.parent).values())


def calls(test):
    return {ast.unparse(one.func) for one in test.decorator_list if isinstance(one, ast.Call)}
