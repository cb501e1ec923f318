"""Plans, modes, config options and commands.

The classes that the state keeps have the attribute names and the defaults of the state. Where the state has one
class for all types of a union, each type is declared as a class of its own, whose `made` is the state's class.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from msgspec import UNSET, UnsetType, field

from .._json import FrozenDict
from .._model import Part
from .marks import (
    EXPECTED,
    LENIENT,
    NULLABLE,
    REQUIRED,
    SKIPPING,
    Called,
    Json,
    Lenient,
    Object,
    Otherwise,
    Required,
    Rest,
    Untagged,
)
from .objects import PermissionOptionKind


# --- plans -------------------------------------------------------------------------------------------

if TYPE_CHECKING:
    PlanEntryPriority: TypeAlias = str
    PlanEntryStatus: TypeAlias = str
else:
    PlanEntryPriority = Literal["high", "medium", "low"]
    """The words of version 1 for the priority of a plan entry (schema `PlanEntryPriority`)."""
    PlanEntryStatus = Literal["pending", "in_progress", "completed"]
    """The words of version 1 for the status of a plan entry (schema `PlanEntryStatus`)."""


class PlanEntry(Object, frozen=True):
    """An entry of a plan (schema `PlanEntry`)."""

    content: str
    priority: PlanEntryPriority
    status: PlanEntryStatus


PlanId: TypeAlias = Annotated[str, Called(("id",))]


class PlanItems(Object, frozen=True, tag="items"):
    """A plan as a list of entries (schema `PlanItems`)."""

    type: ClassVar[str] = "items"

    plan_id: PlanId
    entries: Annotated[tuple[PlanEntry, ...], SKIPPING]


class PlanFile(Object, frozen=True, tag="file"):
    """A plan as a file (schema `PlanFile`)."""

    type: ClassVar[str] = "file"

    plan_id: PlanId
    uri: str


class PlanMarkdown(Object, frozen=True, tag="markdown"):
    """A plan as Markdown text (schema `PlanMarkdown`)."""

    type: ClassVar[str] = "markdown"

    plan_id: PlanId
    content: str


class OtherPlan(Object, frozen=True):
    """A plan of an unknown type (schema `PlanUpdateContent`)."""

    plan_id: PlanId
    type: str
    extra: Rest = None
    """The members that no type declares."""


if TYPE_CHECKING:
    PlanUpdateContent: TypeAlias = PlanItems | PlanMarkdown | PlanFile | OtherPlan
else:
    PlanUpdateContent = Annotated[PlanItems | PlanMarkdown | PlanFile, Otherwise(OtherPlan)]

# --- settings ----------------------------------------------------------------------------------------


class Mode(Object, frozen=True):
    """A session mode (schema `SessionMode`) or model."""

    id: str
    name: Required[str] = None
    description: Lenient[str] = None


class Modes(Object, frozen=True):
    """The available modes and the current one (schema `SessionModeState`)."""

    current_id: Required[str] = field(name="currentModeId", default=None)
    available: Annotated[tuple[Mode, ...] | None, SKIPPING, EXPECTED, NULLABLE] = field(name="availableModes", default=None)


class ModelInfo(Object, frozen=True):
    """A model, as earlier drafts have it (`ModelInfo`)."""

    made = Mode

    id: Annotated[str, Called(("id",))] = field(name="modelId")
    name: Required[str] = None
    description: Lenient[str] = None


class SessionModelState(Object, frozen=True):
    """The available models and the current one, as earlier drafts have them (`SessionModelState`)."""

    made = Modes

    current_id: Required[str] = field(name="currentModelId", default=None)
    available: Annotated[tuple[ModelInfo, ...] | None, SKIPPING, EXPECTED, NULLABLE] = field(name="availableModels", default=None)


if TYPE_CHECKING:
    EarlierModels: TypeAlias = Modes
else:
    EarlierModels = SessionModelState


class ConfigChoice(Object, frozen=True):
    """A value that a config option may have (schema `SessionConfigSelectOption`)."""

    value: str
    name: Required[str] = None
    description: Lenient[str] = None


class ConfigGroup(Object, frozen=True):
    """A group of choices with a name (schema `SessionConfigSelectGroup`)."""

    group: Annotated[str, Called(("group",))] = field(name="groupId")
    name: Required[str] = None
    options: Annotated[tuple[ConfigChoice, ...], REQUIRED, SKIPPING] = ()


class ChoiceOrGroup(Untagged):
    """A choice or a group of choices (schema `SessionConfigSelectOptions`)."""

    @staticmethod
    def choose(raw: Any) -> type:
        """Return the class that reads *raw*."""
        return ConfigGroup if isinstance(raw, Mapping) and "options" in raw else ConfigChoice


class ConfigOption(Part, frozen=True):
    """A config option of a session (schema `SessionConfigOption`)."""

    id: str
    name: str | None = None
    description: str | None = None
    category: str | None = None
    type: str | None = None
    current_value: Json | UnsetType = UNSET
    options: tuple[ConfigChoice | ConfigGroup, ...] | None = None
    meta: FrozenDict | None = None
    extra: FrozenDict | None = None
    """The undeclared members of an unknown type."""


class _ConfigOption(Object, frozen=True):
    made = ConfigOption

    id: Annotated[str, Called(("id",))] = field(name="configId")
    type: str
    name: str
    description: Lenient[str] = None
    category: Lenient[str] = None


class SessionConfigSelect(_ConfigOption, frozen=True):
    """A config option with a list of values (schema `SessionConfigSelect`)."""

    variant = "select"

    current_value: Required[str] = None
    options: Annotated[tuple[ChoiceOrGroup, ...] | None, REQUIRED, SKIPPING] = None


class SessionConfigBoolean(_ConfigOption, frozen=True):
    """A config option that is on or off (schema `SessionConfigBoolean`)."""

    variant = "boolean"

    current_value: Required[bool] = None


class OtherConfigOption(_ConfigOption, frozen=True):
    """A config option of an unknown type (schema `SessionConfigOption`)."""

    current_value: Annotated[Json | UnsetType, LENIENT] = UNSET
    extra: Rest = None


if TYPE_CHECKING:
    SessionConfigOption: TypeAlias = ConfigOption
else:
    SessionConfigOption = Annotated[SessionConfigSelect | SessionConfigBoolean, Otherwise(OtherConfigOption)]

WORDS_OF_1: Final[tuple[Any, ...]] = (PermissionOptionKind, PlanEntryPriority, PlanEntryStatus)
"""The types of words in what the state keeps. Any other word may stand there, too."""

# --- commands ----------------------------------------------------------------------------------------


class CommandInput(Part, frozen=True):
    """The input of a command (schema `AvailableCommandInput`)."""

    type: str | None = None
    hint: str | None = None
    meta: FrozenDict | None = None
    extra: FrozenDict | None = None
    """The undeclared members of an unknown type."""


class TextCommandInput(Object, frozen=True):
    """The input of a command that takes text (schema `TextCommandInput`; in version 1 `UnstructuredCommandInput`)."""

    made = CommandInput
    variant = "text"

    type: Lenient[str] = None
    hint: Required[str] = None


class OtherCommandInput(Object, frozen=True):
    """An input of an unknown type (schema `AvailableCommandInput`)."""

    made = CommandInput

    type: Lenient[str] = None
    extra: Rest = None


if TYPE_CHECKING:
    AvailableCommandInput: TypeAlias = CommandInput
else:
    AvailableCommandInput = Annotated[TextCommandInput, Otherwise(OtherCommandInput, untagged=TextCommandInput)]


class Command(Part, frozen=True):
    """A command that the user may send (schema `AvailableCommand`)."""

    type: str | None = None
    name: str | None = None
    description: str | None = None
    input: CommandInput | None = None
    meta: FrozenDict | None = None
    extra: FrozenDict | None = None
    """The undeclared members of an unknown type."""


class KnownCommand(Object, frozen=True):
    """A command of the known type (schema `Command`; in version 1 `AvailableCommand`)."""

    made = Command
    variant = "command"

    type: Lenient[str] = None
    name: Required[str] = None
    description: Required[str] = None
    input: Lenient[AvailableCommandInput] = None


class OtherCommand(Object, frozen=True):
    """A command of an unknown type (schema `AvailableCommand`)."""

    made = Command

    type: Lenient[str] = None
    name: Required[str] = None
    description: Required[str] = None
    extra: Rest = None


if TYPE_CHECKING:
    AvailableCommand: TypeAlias = Command
else:
    AvailableCommand = Annotated[KnownCommand, Otherwise(OtherCommand, untagged=KnownCommand)]
