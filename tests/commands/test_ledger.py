"""Two machines of one person, each with a vault of its own, and a file between them."""

import json

import pytest
from ledgers import SHOP, begun, captured, judged, mistaken, moment
from ledgers import keep as keep_records
from place import Place, debugging, state_of
from ruled import approvals, keep, made, notes

LINT = made("Run the linter before you commit", status="approved", scope=(SHOP,))
KEY = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def laptop(place, tmp_path, capsys):
    found = Place(tmp_path / "laptop", capsys)
    found.root.mkdir()
    assert found.run("init")[0] == 0
    keep(found, LINT, approve=True)
    slate = [{"id": LINT.id, "hash": "", "p": 0.9}]
    keep_records(
        found,
        captured("s1", 0),
        mistaken("s1", 0.1, "Bash exit a", line=f"curl -H {KEY}"),
        captured("s2", 5),
        begun("s2", 5, slate=slate, experiment="", arm=""),
        judged("s2", 6, **{LINT.id.replace("-", "_"): True}),
        {"kind": "reward", "at": moment(7), "id": LINT.id, "reward": 1, "by": "person"},
        {"kind": "rule", "at": moment(7), "id": LINT.id, "status": "approved", "by": "review"},
    )
    return found


def exported(machine, name="shard.jsonl"):
    path = machine.root / name
    code, out, err = machine.run("ledger", "export", "-o", str(path))
    assert (code, out) == (0, ""), err
    return path


def belief(machine):
    return json.loads((state_of(machine.vault) / "bandit.json").read_text())["rules"]


def test_both_machines_learn_from_both(place, laptop):
    """What the laptop saw moves what the desk believes, and nothing comes in force by it."""
    keep(place, made(LINT.text, scope=(SHOP,)))
    keep_records(place, captured("s9", 9))
    assert place.run("flush")[0] == 0
    code, _, err = place.run("ledger", "import", str(exported(laptop)))
    assert code == 0, err
    assert "2 session" in err
    assert "kept to read" in err
    assert set(place.work.vault.history().stays) == {"s1", "s2", "s9"}
    assert belief(place)[LINT.id]["shown"] == 1
    # the person's word there, and what was judged
    assert "2 rewards, 2 of them good" in place.run("rewards", LINT.id)[1]
    assert approvals(place) == {}
    assert notes(place)[LINT.id].status == "candidate"
    assert [one["id"] for one in place.json("review")] == [LINT.id]
    assert KEY not in (state_of(place.vault) / "ledger.jsonl").read_text()


def test_twice_is_once_and_home_again_is_nothing(place, laptop):
    path = exported(laptop)
    assert place.run("ledger", "import", str(path))[0] == 0
    before = place.ledger()
    again = place.json("ledger", "import", str(path))
    assert (again["taken"], again["known"]) == ({}, 7)
    assert place.ledger() == before
    home = laptop.json("ledger", "import", str(exported(place)))
    assert home["taken"] == {}


def test_nothing_of_the_other_machine_stops_a_capture(place, laptop):
    """The same path there and here: the watermark of one is no watermark of the other."""
    session = "11111111-1111-4111-8111-111111111111"
    path = place.transcript(session, *debugging())
    keep_records(laptop, captured("x", 0, path=str(path), end=10**9, identity="1"))
    assert place.run("ledger", "import", str(exported(laptop)))[0] == 0
    assert place.run("import")[0] == 0
    assert session in place.work.vault.history().stays


def test_it_can_be_taken_back(place, laptop):
    assert place.run("ledger", "import", str(exported(laptop)))[0] == 0
    code, _, err = place.run("undo", "--yes")
    assert code == 0, err
    assert place.work.vault.history().stays == {}
    assert place.run("ledger", "import", str(exported(laptop)))[0] == 0


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", 2, "is empty"),
        ("no shard\n", 2, "no shard of a ledger"),
        ('{"kind": "shard", "v": 9, "machine": "m-x"}\n', 3, "newer Memoria"),
        ("\0\0", 2, "binary"),
    ],
)
def test_what_is_no_shard(place, text, code, said):
    path = place.root / "x.jsonl"
    path.write_text(text)
    found, _, err = place.run("ledger", "import", str(path))
    assert found == code
    assert said in err
    assert not (state_of(place.vault) / "ledger.jsonl").exists()


def test_a_record_ends_where_its_line_ends(place, laptop):
    """To `splitlines` U+2028 and U+0085 end a line, too; what people paste holds them."""
    said = "tests fail\u2028in CI\x85only"
    keep_records(laptop, mistaken("s2", 5.1, "Bash exit c", line=said))
    path = exported(laptop)
    assert laptop.run("ledger", "export")[1] == path.read_text(encoding="utf-8")
    found = place.json("ledger", "import", str(path))
    assert (found["taken"]["mistake"], found["strange"]) == (2, 0)
    lines = [one.mistake.line for one in place.work.vault.history().mistakes]
    assert any(line.startswith("tests fail") for line in lines)


def test_a_shard_on_standard_output_is_the_file(laptop):
    path = exported(laptop)
    code, out, _ = laptop.run("ledger", "export")
    assert (code, out) == (0, path.read_text())
    assert laptop.run("ledger", "export", "--since", "2031-01-01")[1].count("\n") == 1
    assert laptop.run("ledger", "export", "-o", str(laptop.root))[0] == 2


def test_json_is_one_value_and_a_file_stays_a_shard(laptop):
    path = exported(laptop)
    rows = laptop.json("ledger", "export", "-o", str(path))
    assert rows == laptop.json("ledger", "export")
    assert rows == [json.loads(line) for line in path.read_text().splitlines()]
    assert laptop.run("ledger", "export", "--since", "x")[0] == 2
