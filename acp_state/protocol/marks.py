"""Base classes and marks for the declarations of the protocol's types.

A declaration is a msgspec `Struct`. It describes a value that has no problem, and msgspec reads such a value in C
(`decoders`). Marks in `Annotated` tell the lenient reader (`lenient`) what to do with a value that has a problem:

* A field without a default is required. If it is missing or malformed, its whole object is malformed.
* A `LENIENT` field is absent if it is malformed (`x-deserialize-default-on-error`).
* Any other field may be absent. If it is malformed, its whole object is malformed; in a `Message`, the field is
  absent, with an error.

A field whose type includes `None` may be `null`. With the default `UNSET` it has three states; with the default
`None`, `null` means absent.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from .._json import FrozenDict
from .._model import Part


T = TypeVar("T")


# --- marks -----------------------------------------------------------------------------------------


class Mark:
    """A mark on a field for the lenient reader, compared by identity."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


LENIENT: Final = Mark("LENIENT")
"""A malformed field is absent."""

SKIPPING: Final = Mark("SKIPPING")
"""The reader leaves malformed items out of the list (`x-deserialize-skip-invalid-items`)."""

SALVAGING: Final = Mark("SALVAGING")
"""The reader leaves malformed items out of the list, and each is an error."""

REQUIRED: Final = Mark("REQUIRED")
"""The field is required, although its class has a default for it."""

EXPECTED: Final = Mark("EXPECTED")
"""A field that is missing, `null` or malformed is absent, with an error."""

NULLABLE: Final = Mark("NULLABLE")
"""An `EXPECTED` field may be `null`."""

REST: Final = Mark("REST")
"""The field gets all undeclared members."""


class Called(Struct, frozen=True):
    """Other names of a field, which count if its own name is absent; *reported*: as a problem."""

    names: tuple[str, ...]
    reported: bool = False


class Demanded(Struct, frozen=True):
    """A field that one version requires. Its absence is a problem with *code* and *message*, and the object is read."""

    code: str
    message: str


class Otherwise(Struct, frozen=True):
    """The classes for objects of a union that have an *unknown* tag or none (*untagged*)."""

    unknown: type | None = None
    untagged: type | None = None


class Spelled(Struct, frozen=True):
    """A value with two spellings: *respell* returns the usual one."""

    respell: Callable[[Any], Any]


# --- kinds of types --------------------------------------------------------------------------------


class _Anything(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True


if TYPE_CHECKING:
    Json: TypeAlias = Any
    MetaObject: TypeAlias = FrozenDict
    Sent: TypeAlias = T | FrozenDict
    Lenient: TypeAlias = T | None
    LenientList: TypeAlias = tuple[T, ...] | None
    ThreeState: TypeAlias = T | None | UnsetType
    ThreeStateList: TypeAlias = tuple[T, ...] | None | UnsetType
    Required: TypeAlias = T | None
    Expected: TypeAlias = T | None
else:

    class Json(metaclass=_Anything):
        """Any JSON value, frozen. msgspec calls the hook of `decoders` for it."""

    class MetaObject(metaclass=_Anything):
        """The value of `_meta`: an object, frozen, without secrets (`secrets`)."""

    class _Generic:
        """A generic type alias. Those of `typing` cost 20 times as much to make, and every start of the command pays."""

        def __init__(self, form: Callable[[Any], Any]) -> None:
            self._form = form

        def __getitem__(self, kind: Any) -> Any:
            return self._form(kind)

    Sent = _Generic(lambda kind: kind)
    """An object that is kept as sent: an instance from a decoder, a `FrozenDict` from the lenient reader."""
    Lenient = _Generic(lambda kind: Annotated[kind | None, LENIENT])
    """A field that is absent if it is `null` or malformed."""
    LenientList = _Generic(lambda kind: Annotated[tuple[kind, ...] | None, LENIENT, SKIPPING])
    """Such a field with a list; the reader leaves malformed items out."""
    ThreeState = _Generic(lambda kind: Annotated[kind | None | UnsetType, LENIENT])
    """A field that is absent (`UNSET`) if it is malformed, and for which `null` is a value of its own."""
    ThreeStateList = _Generic(lambda kind: Annotated[tuple[kind, ...] | None | UnsetType, LENIENT, SKIPPING])
    """Such a field with a list; the reader leaves malformed items out."""
    Required = _Generic(lambda kind: Annotated[kind | None, REQUIRED])
    """A field that the protocol requires and the state does not."""
    Expected = _Generic(lambda kind: Annotated[kind | None, EXPECTED])
    """A field that the protocol requires of a `Message`."""


class Untagged(metaclass=_Anything):
    """A union without a tag. msgspec calls the hook of `decoders` for it."""

    @staticmethod
    def choose(raw: Any) -> type:
        """Return the class that reads *raw*."""
        raise NotImplementedError


Rest: TypeAlias = Annotated[FrozenDict | None, REST]
Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]

META: Any = field(name="_meta", default=None)
"""The member `_meta`; `null` means absent."""
META_STATE: Any = field(name="_meta", default=UNSET)
"""The member `_meta` with three states."""


# --- base classes ----------------------------------------------------------------------------------
# msgspec puts `kw_only` fields last, so `_meta` is the last member of every object.


class BareAsSent(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename="camel"):
    """An object that the state keeps as sent, with its undeclared members.

    The lenient reader returns a `FrozenDict`: declared members in the order of the declaration, then the
    undeclared ones as sent. `to_wire` makes the same of an instance.
    """


class AsSent(BareAsSent, frozen=True, kw_only=True):
    """An object that the state keeps as sent, with `_meta`."""

    meta: ThreeState[MetaObject] = META_STATE


class BareObject(Part, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """An object whose declared members the reader keeps."""

    made: ClassVar[type[Struct] | None] = None
    """The class that the reader makes of it, if that is another one: the class for all types of a union."""
    variant: ClassVar[str | None] = None
    """The tag of this class in a union, if `type` is also a field."""


class Object(BareObject, frozen=True, kw_only=True):
    """An object whose declared members the reader keeps, with `_meta`."""

    meta: Lenient[MetaObject] = META


class Message(Object, frozen=True):
    """Params or a result that the reader never refuses: a field that cannot be read is absent."""
