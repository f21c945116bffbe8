# ruff: noqa: PT012 - it is the commit at the end of such a block that fails
import os
import sys
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
import steps
from place import debugging, state_of

from memoria.compile.patch import ArticleChange, Patch, PatchContext, check_patch
from memoria.errors import NoVault, VaultError
from memoria.vault import package_files
from memoria.vault.article import compose_article, with_lead
from memoria.vault.storage import disk
from memoria.vault.storage.journal import Conflict
from memoria.vault.storage.state import State
from memoria.vault.store import Vault

DAY = date(2026, 3, 2)
PACKAGE = Path(__file__).resolve().parents[2] / "scripts" / "memoria"


@pytest.fixture
def root(tmp_path):
    disk.replace(tmp_path / "vault" / "AGENTS.md", package_files.read_agents_file().encode())
    for name in ("vault/daily", "vault/knowledge", "state"):
        disk.make_folder(tmp_path / name)
    return tmp_path / "vault"


def open_vault(root):
    """Open it as a process does that has read nothing yet."""
    return Vault(root, State(root.parent / "state"))


@pytest.fixture
def vault(root):
    return open_vault(root)


def article(path, lead="A lead.", **meta):
    keys = {"title": path, "updated": DAY, "sources": [f"daily/{DAY}.md"], **meta}
    return compose_article(path, "concept", keys, path.split("/")[-1], lead)


def write(vault, *articles, label=""):
    with vault.open_transaction() as change:
        change.label = label
        for one in articles:
            change.put_article(one)
        change.put_index()


def files(root):
    found = (path for path in root.rglob("*.md") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def test_a_vault_has_to_be_made_first(tmp_path, root, vault):
    assert vault.require() is vault
    for name in ("vault/daily", "vault/knowledge", "state"):
        (tmp_path / name).rename(tmp_path / "away")
        with pytest.raises(NoVault, match="memoria init"):
            vault.require()
        (tmp_path / "away").rename(tmp_path / name)


def edit(root, path="concepts/a", text="\nA person's line.\n"):
    file = root / "knowledge" / f"{path}.md"
    file.write_bytes(file.read_bytes() + text.encode())
    return file.read_bytes()


class TestAPersonsEdit:
    def test_made_between_reading_and_commit_is_not_written_over(self, vault, root):
        write(vault, article("concepts/a"))
        before = files(root)
        with pytest.raises(Conflict), vault.open_transaction() as change:
            read = vault.articles["concepts/a"]
            edited = edit(root)
            change.put_article(with_lead(read, "New."))
            change.put_index()
            change.record({"kind": "test", "at": "x"})
        assert files(root) == before | {"knowledge/concepts/a.md": edited}
        assert not vault.state.ledger.exists()

    def test_that_deletes_a_file_stays(self, vault, root):
        write(vault, article("concepts/a"))
        read = vault.articles["concepts/a"]
        (root / "knowledge" / "concepts" / "a.md").unlink()
        with pytest.raises(Conflict), vault.open_transaction() as change:
            change.put_article(with_lead(read, "New."))
        assert "knowledge/concepts/a.md" not in files(root)

    def test_that_makes_a_file_stays(self, vault, root):
        disk.replace(root / "knowledge" / "concepts" / "a.md", b"---\ntitle: mine\n---\n")
        with pytest.raises(Conflict, match="there already"), vault.open_transaction() as change:
            change.put_article(article("concepts/a"))
        with pytest.raises(Conflict), vault.open_transaction() as change:
            change.put_article(article("concepts/b"))
            disk.replace(root / "knowledge" / "concepts" / "b.md", b"mine")
        assert set(files(root)) == {
            "AGENTS.md",
            "knowledge/concepts/a.md",
            "knowledge/concepts/b.md",
        }

    def test_of_a_log_is_not_written_over(self, vault, root):
        for before in (None, b"", b"# Daily Log\n"):
            path = root / "daily" / f"{DAY}.md"
            path.unlink(missing_ok=True)
            if before is not None:
                path.write_bytes(before)
            with pytest.raises(Conflict), vault.open_transaction() as change:
                log = vault.log(DAY)
                path.write_bytes(b"A person's line.\n")
                change.put_log(log, log.text + "ours\n")
            assert path.read_bytes() == b"A person's line.\n"


@pytest.mark.parametrize("text", [b"", b"\xef\xbb\xbf# Log\r\n\r\ntext\r\n", b"no heading"])
def test_a_log_that_a_person_began_is_gone_on_with(vault, root, text):
    """Obsidian makes an empty note of the day; Windows writes a mark and its own line ends."""
    (root / "daily" / f"{DAY}.md").write_bytes(text)
    for line in ("one\n", "two\n"):
        with vault.open_transaction() as change:
            log = vault.log(DAY)
            change.put_log(log, log.text + line)
    assert (root / "daily" / f"{DAY}.md").read_bytes() == text + b"one\ntwo\n"


def test_what_would_not_change_is_not_touched(vault, root):
    write(vault, article("concepts/a"))
    with vault.open_transaction() as change:
        log = vault.log(DAY)
        change.put_log(log, "text\n")
        change.append_log("entry\n")
    stamps = {path: path.stat().st_mtime_ns for path in root.rglob("*.md")}
    with vault.open_transaction() as change:
        change.put_article(vault.articles["concepts/a"])
        change.put_log(vault.log(DAY), "text\n")
        change.put_index()
        # changed, and changed back
        read = vault.articles["concepts/a"]
        change.put_article(with_lead(read, "Other."))
        change.put_article(with_lead(read, read.lead))
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.md")} == stamps


def test_the_log_is_only_added_to(vault, root):
    path = root / "knowledge" / "log.md"
    with vault.open_transaction() as change:
        change.append_log("\n## one\n")
        change.append_log("\n## two\n")
    path.write_bytes(path.read_bytes() + b"a person's \xff line\n")
    with vault.open_transaction() as change:
        change.append_log("\n## three\n")
    assert path.read_bytes() == (
        b"# Build Log\n\n## one\n\n## two\na person's \xff line\n\n## three\n"
    )


def test_nothing_is_written_when_the_work_fails(vault, root):
    with pytest.raises(ZeroDivisionError), vault.open_transaction() as change:
        change.put_article(article("concepts/a"))
        change.record({"kind": "test", "at": "x"})
        raise ZeroDivisionError
    assert set(files(root)) == {"AGENTS.md"}
    assert not vault.state.ledger.exists()


UNREADABLE = {
    "no frontmatter": b"# Only text\n",
    "open frontmatter": b"---\ntitle: x\n",
    "bad yaml": b"---\ntitle: [\n---\n# X\n",
    "a tag": b"---\ntitle: !!python/object/apply:os.getcwd []\n---\n# X\n",
    "aliases": b"---\na: &a [x]\nb: *a\n---\n# X\n",
    "no keys": b"---\n- x\n---\n# X\n",
    "not UTF-8": b"---\ntitle: caf\xe9\n---\n# X\n",
    "empty": b"",
    "large": b"---\ntitle: x\n---\n# X\n" + b"x" * 1024 * 1024,
}


def refused(vault, path="concepts/bad"):
    """Say why a patch may not change that article, as a compile asks."""
    kind, slug = path.split("/")
    shelf = vault.articles
    change = ArticleChange(kind.removesuffix("s"), slug, "Bad", "A lead.", (), ("e-1",))
    entry = object()
    context = PatchContext(
        vault.schema, {"e-1": entry}, shelf, lambda path: False, unreadable=shelf.unreadable
    )
    checked = check_patch(Patch((change,)), context)
    assert len(checked.patch.articles) + len(checked.refused) == 1
    return [one.reason for one in checked.refused]


def make_unreadable(root, how):
    path = root / "knowledge" / "concepts" / "bad.md"
    disk.make_folder(path.parent)
    if how == "link":
        path.symlink_to(root / "AGENTS.md")
    elif how == "dead link":
        path.symlink_to(root / "nowhere")
    elif how == "folder":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    else:
        path.write_bytes(UNREADABLE[how])
    return path


@pytest.mark.parametrize("how", [*UNREADABLE, "link", "dead link", "folder", "fifo"])
def test_what_cannot_be_read_is_named_left_and_refused(vault, root, how):
    path = make_unreadable(root, how)
    before = path.lstat()
    # asked for at once, before anything was read, and again after a transaction
    assert refused(vault) == ["its file cannot be read and is left as it is"]
    for _ in range(2):
        write(vault, article(f"concepts/good-{len(vault.articles)}"))
        assert "concepts/bad" in vault.articles
        assert "concepts/bad" not in list(vault.articles)
        assert vault.articles.get("concepts/bad") is None
        assert list(vault.articles.unreadable) == ["concepts/bad"]
        assert "concepts/bad.md" in vault.articles.unreadable["concepts/bad"]
        assert refused(vault) == ["its file cannot be read and is left as it is"]
        assert refused(vault, "concepts/new") == []
    with pytest.raises(Conflict, match=r"concepts/bad\.md"), vault.open_transaction() as change:
        change.put_article(article("concepts/bad"))
    after = path.lstat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_name_in_other_case_is_in_the_way(vault, root):
    disk.replace(root / "knowledge" / "concepts" / "Bad.md", b"---\ntitle: x\n---\n# X\n")
    assert refused(vault) == ["its file cannot be read and is left as it is"]
    assert list(vault.articles) == ["concepts/Bad"]
    assert "Bad.md is in the way" in vault.articles.unreadable["concepts/bad"]


@pytest.mark.parametrize("thing", ["not UTF-8", "large", "link", "folder"])
def test_a_log_that_cannot_be_read_is_named_and_left(vault, root, thing):
    path = root / "daily" / f"{DAY}.md"
    (root / "elsewhere").write_bytes(b"not ours")
    {
        "not UTF-8": lambda: path.write_bytes(b"caf\xe9"),
        "large": lambda: path.write_bytes(b"x" * (32 * 1024 * 1024 + 1)),
        "link": lambda: path.symlink_to(root / "elsewhere"),
        "folder": path.mkdir,
    }[thing]()
    before = path.lstat()
    assert vault.logs() == [DAY]
    with pytest.raises(VaultError, match=rf"{DAY}\.md"):
        vault.log(DAY)
    after = path.lstat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert (root / "elsewhere").read_bytes() == b"not ours"


@pytest.mark.parametrize(
    "name", ["knowledge/index.md", "knowledge/log.md", "../state/ledger.jsonl"]
)
def test_a_link_in_the_place_of_a_file_is_refused(vault, root, name):
    (root / "elsewhere").write_bytes(b"not ours")
    (root / name).symlink_to(root / "elsewhere")
    with pytest.raises(VaultError, match="not a regular file"), vault.open_transaction() as change:
        change.put_index()
        change.append_log("x\n")
        change.record({"kind": "test", "at": "x"})
    assert (root / "elsewhere").read_bytes() == b"not ours"
    assert (root / name).is_symlink()


def records(vault):
    return vault.state.ledger.read_bytes()


def test_the_ledger_has_a_record_if_and_only_if_the_files_have_changed(vault, root):
    with vault.open_transaction() as change:
        change.record({"kind": "call", "at": "1", "half": "\ud83c"})
        change.put_article(article("concepts/a"))
    assert records(vault) == b'{"kind":"call","at":"1","half":"?"}\n'
    with vault.state.ledger.open("ab") as file:
        file.write(b'{"kind":"ca')
    with vault.open_transaction() as change:
        change.record({"kind": "call", "at": "2"})
    assert records(vault).splitlines()[1:] == [b'{"kind":"ca', b'{"kind":"call","at":"2"}']
    history = vault.history()
    assert (len(history.calls), history.damaged) == (2, 1)


@steps.forking
def test_what_a_dead_process_had_committed_is_history(vault, root):
    def work():
        with open_vault(root).open_transaction() as change:
            change.put_article(article("concepts/a"))
            change.record({"kind": "call", "at": "1"})

    ended = steps.run(
        work, when=lambda name, args: name == "replace" and "concepts" in str(args[1])
    )
    assert ended.how == "killed"
    assert not vault.state.ledger.exists()
    assert len(vault.history().calls) == 1
    assert list(vault.articles) == ["concepts/a"]
    assert len(open_vault(root).history().calls) == 1


@steps.forking
def test_a_vault_that_cannot_be_written_is_named_and_loses_nothing(vault, root):
    write(vault, article("concepts/a"))
    before = files(root)
    for path in (vault.state.root, *vault.state.root.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    for path in (root, *root.joinpath("knowledge").rglob("*"), root / "knowledge", root / "daily"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    (root / "AGENTS.md").chmod(0o444)
    steps.let_in(root)

    def work():
        steps.drop_rights()
        fresh = open_vault(root)
        with fresh.open_transaction() as change:
            change.put_article(with_lead(fresh.articles["concepts/a"], "New."))
            change.record({"kind": "call", "at": "1"})

    said = steps.run(work).said
    assert said == f"cannot write {root}/knowledge/concepts/a.md: Permission denied"
    assert files(root) == before
    for path in (root, *root.joinpath("knowledge").rglob("*"), root / "knowledge", root / "daily"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    # it was promised in the journal, and comes when it can
    assert len(vault.history().calls) == 1
    assert vault.articles["concepts/a"].lead == "New." or os.getuid() != 0


def test_modes_after_a_run(place):
    place.transcript("s-1", *debugging(rule="Always run the whole test suite before you push."))
    before = os.umask(0o022)
    try:
        assert place.run("import")[0] == 0
        assert place.run("compile", "--engine", "offline")[0] == 0
    finally:
        os.umask(before)
    found = [*place.vault.rglob("*"), *state_of(place.vault).rglob("*")]
    assert len(found) > 15
    wrong = {
        str(path): oct(path.stat().st_mode & 0o777)
        for path in found
        if path.stat().st_mode & 0o777 != (0o700 if path.is_dir() else 0o600)
    }
    assert not wrong


CHANGING = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink"}


@contextmanager
def watched(root, writer):
    """Note what changes under daily/ or knowledge/, and whether that module is at work."""
    seen = []
    active = True

    def hook(event, args):
        writes = (
            event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if active and (writes or event in CHANGING):
            paths = [os.fspath(path) for path in args[:2] if isinstance(path, str | Path)]
            if any(path.startswith((f"{root}/daily/", f"{root}/knowledge/")) for path in paths):
                seen.append((event, paths[-1].removeprefix(str(root)), at_work(writer)))

    sys.addaudithook(hook)
    try:
        yield seen
    finally:
        active = False


def at_work(file):
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename != str(file):
        frame = frame.f_back
    return frame is not None


def test_only_the_vault_writes_under_daily_and_knowledge(place):
    place.transcript("s-1", *debugging(rule="Always run the whole test suite before you push."))
    with watched(place.vault, PACKAGE / "vault" / "store.py") as seen:
        for verb in (["init"], ["import"], ["compile", "--engine", "offline"], ["flush"]):
            place.run(*verb)
    assert {path for event, path, _ in seen if event == "os.rename"} >= {
        "/daily/2026-03-02.md",
        "/knowledge/index.md",
        "/knowledge/log.md",
    }
    assert [one for one in seen if not one[2]] == []


def test_files_of_other_programs_are_none_of_ours(vault, root):
    for name in ("._a.md", ".a.md.0123456789ab.tmp", "a.md.bak", "a.txt", "sub/b.md"):
        disk.replace(root / "knowledge" / "concepts" / name, b"\x00\x05\x16\x07")
    disk.replace(root / "knowledge" / "mine" / "a.md", b"mine")
    assert (list(vault.articles), dict(vault.articles.unreadable)) == ([], {})
