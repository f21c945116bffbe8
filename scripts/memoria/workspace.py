"""Put together what a command works with: settings, vault, spool, engine and terminal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.spool import Spool
from memoria.privacy.project_keys import project_key
from memoria.terminal import Terminal
from memoria.vault import setup
from memoria.vault.storage.state import State
from memoria.vault.store import Vault

if TYPE_CHECKING:
    from memoria.llm.port import Model, Reply, Task
    from memoria.settings import Settings
    from memoria.terminal_driver import Driver


@dataclass(frozen=True, slots=True)
class Workspace:
    """What every command needs; the engine is made when it is asked for.

    `test_driver` is the driver that a test says there is; nothing outside this process can give it.
    """

    settings: Settings
    vault: Vault
    spool: Spool
    terminal: Terminal
    test_driver: Driver | None = None

    @property
    def project(self) -> str:
        """The key of the project in which the command runs."""
        return project_key(os.getcwd())  # noqa: PTH109 - a key is made of text

    def driver(self) -> Driver:
        """Say who drives this command."""
        from memoria import terminal_processes  # noqa: PLC0415 - few verbs have to know

        return self.test_driver or terminal_processes.find_driver()

    def is_served(self) -> bool:
        """Whether the client of this MCP server can ask the person: it is no agent's command."""
        from memoria import terminal_processes  # noqa: PLC0415 - as above

        return self.test_driver.is_person if self.test_driver else terminal_processes.is_served()

    @property
    def is_demo(self) -> bool:
        """Whether the vault is a demo, made of the sample sessions."""
        return setup.is_demo(self.vault.state)

    @property
    def demo_notice(self) -> str:
        """Give the line that each verb says of the demo vault."""
        return (
            "This is the demo vault, made from sample sessions; no session of yours is told "
            "anything of it."
        )

    def explain_demo_refusal(self, verb: str) -> str:
        """Say why a verb refuses the demo vault, and what to do."""
        return (
            f"{self.vault.root} is the demo vault, made from sample sessions: {verb} needs a vault "
            "of your own; `memoria start` makes one"
        )

    def model(self, name: str = "") -> Model:
        """Make the engine of that name, of the settings' without one."""
        from memoria.llm.budget import create_engine  # noqa: PLC0415 - few verbs ask a model

        return create_engine(
            name or self.settings.engine,
            state=self.vault.state,
            models=self.settings.models,
            calls_per_hour=self.settings.calls_per_hour,
            environment=self.settings.environment,
            home=self.settings.home,
            keep=self._keep_paid,
        )

    def _keep_paid(self, task: Task, reply: Reply) -> None:
        """Record a call that was paid for in vain; without a vault there is no ledger yet."""
        from memoria.vault.storage import clock, ledger_records  # noqa: PLC0415 - see model

        if self.vault.state.exists:
            with self.vault.open_transaction() as change:
                change.record(
                    ledger_records.build_call_record(clock.now(self.settings.zone), task, reply)
                )


def workspace(
    settings: Settings, *, quiet: bool = False, driver: Driver | None = None
) -> Workspace:
    """Put together what a command works with; nothing is touched yet."""
    state = State(settings.state)
    vault = Vault(settings.vault, state)
    return Workspace(settings, vault, Spool(state.spool), Terminal(quiet=quiet), driver)
