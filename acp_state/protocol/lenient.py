"""The lenient reader: it reads a value that may have problems, and reports them (SPEC 4, Decoding).

The readers are derived from the declarations: from types, defaults and marks (`marks`). A reader is made when its
class is first read. Few updates need one: `decoders` reads those without a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from msgspec import NODEFAULT, UNSET, Meta, Struct, UnsetType
from msgspec.structs import FieldInfo, fields

from .._json import FrozenDict, Json, frozen_dict, frozen_list
from . import marks as m
from .secrets import scrub
from .updates import UPDATES, UnknownUpdate, Update
from .values import (
    MalformedError,
    Problem,
    Reader,
    check_object,
    kind_of,
    read_base64,
    read_boolean,
    read_integer,
    read_json,
    read_natural,
    read_number,
    read_object,
    read_positive,
    read_text,
)


T = TypeVar("T")


def read(form: Any, value: Json) -> tuple[Any, list[Problem]]:
    """Read *value* as *form*, a declared class or a union of them, and return the result and the problems.

    Raises `MalformedError`.
    """
    problems: list[Problem] = []
    return reader_of(form)(value, problems), problems


def read_update(update: Mapping[str, Json], version: int) -> tuple[Update, list[Problem]]:
    """Read the *update* of a `session/update`, whose `sessionUpdate` is a string, and return it and the problems.

    An update of an unknown kind is an `UnknownUpdate`. Raises `MalformedError`.
    """
    return read(UPDATES[version].get(update["sessionUpdate"], UnknownUpdate), update)


# --- types -----------------------------------------------------------------------------------------


def _read_meta(value: Json, problems: list[Problem]) -> FrozenDict:
    """Read a `_meta`, without the secrets in it."""
    meta: FrozenDict = scrub(read_object(value, problems))
    return meta


_PLAIN: Final[Mapping[Any, Reader]] = {
    str: read_text,
    bool: read_boolean,
    int: read_integer,
    bytes: read_base64,
    m.Json: read_json,
    m.MetaObject: _read_meta,
    FrozenDict: read_object,
}


@cache
def reader_of(form: Any) -> Reader:
    """Return the reader of *form*: a class, or a type made of classes by `typing`."""
    plain = _PLAIN.get(form)
    if plain is not None:
        return plain
    origin = get_origin(form)
    if origin is Annotated:
        return _make_marked_reader(form.__origin__, form.__metadata__)
    if origin is Literal:
        return _make_word_reader(get_args(form))
    if origin is tuple:
        return _make_list_reader(reader_of(get_args(form)[0]), None)
    if origin in _UNIONS:
        return _make_union_reader(get_args(form), m.Otherwise())
    return _make_untagged_reader(form) if hasattr(form, "choose") else _make_class_reader(form)


_UNIONS: Final = (UnionType, Union)


def _make_marked_reader(form: Any, marks: tuple[Any, ...]) -> Reader:
    """Return the reader of *form* with *marks*."""
    respelled = _find_mark(m.Spelled, marks)
    if respelled:
        read_usual = _make_marked_reader(form, tuple(mark for mark in marks if mark is not respelled))
        return lambda value, problems: read_usual(respelled.respell(value), problems)
    if get_origin(form) is tuple and (m.SKIPPING in marks or m.SALVAGING in marks):
        code = "skipped-item" if m.SKIPPING in marks else "unreadable-field"
        return _make_list_reader(reader_of(get_args(form)[0]), code)
    otherwise, limit = _find_mark(m.Otherwise, marks), _find_mark(Meta, marks)
    if otherwise:
        return _make_union_reader(get_args(form) or (form,), otherwise)
    if limit:
        return read_natural if limit.ge == 0 else read_positive
    return reader_of(form)


def _find_mark(kind: type[T], marks: tuple[Any, ...]) -> T | None:
    return next((mark for mark in marks if isinstance(mark, kind)), None)


def _make_word_reader(words: tuple[str, ...]) -> Reader:
    """Return the reader of a string that is usually one of *words*; it keeps any other string."""
    known = frozenset(words)

    def read_word(value: Json, problems: list[Problem]) -> str:
        word = read_text(value, problems)
        if word not in known:
            problems.append(Problem("unknown-value", f"{word!r} is none of {', '.join(words)}"))
        return word

    return read_word


def _make_list_reader(read_item: Reader, code: str | None) -> Reader:
    """Return the reader of an array. It leaves malformed items out and reports them with *code*; without *code* the array is malformed."""

    def read_items(value: Json, problems: list[Problem]) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise MalformedError(f"an array is wanted, not {kind_of(value)}")
        items = []
        for index, item in enumerate(value):
            before = len(problems)
            try:
                items.append(read_item(item, problems))
            except MalformedError as error:
                del problems[before:]
                if code is None:
                    raise error.under(index) from None
                problems.append(error.problem(code))
            if len(problems) > before:
                _prefix_paths(problems, before, index)
        return tuple(items)

    return read_items


def _prefix_paths(problems: list[Problem], start: int, step: str | int) -> None:
    """Put *step* before the paths of the problems from *start* on."""
    problems[start:] = [problem.under(step) for problem in problems[start:]]


def _make_untagged_reader(form: Any) -> Reader:
    """Return the reader of a union whose class the value itself shows."""

    def read_untagged(value: Json, problems: list[Problem]) -> Any:
        return _make_class_reader(form.choose(value))(value, problems)

    return read_untagged


def _make_union_reader(types: tuple[Any, ...], otherwise: m.Otherwise) -> Reader:
    """Return the reader of a tagged union. By default it keeps an object of an unknown type as sent."""
    variants = {_tag_of(form): reader_of(form) for form in types}
    tag = types[0].__struct_config__.tag_field or "type"
    read_unknown = reader_of(otherwise.unknown) if otherwise.unknown else read_object
    read_without_tag = reader_of(otherwise.untagged) if otherwise.untagged else None

    def read_variant(value: Json, problems: list[Problem]) -> Any:
        name = check_object(value).get(tag, UNSET)
        if name is UNSET and read_without_tag is not None:
            problems.append(Problem("missing-discriminator", f"is missing; read as {_tag_of(otherwise.untagged)!r}", (tag,), missing=True))
            return read_without_tag(value, problems)
        if type(name) is not str:
            raise MalformedError(f"a string is wanted, not {kind_of(name)}", (tag,), missing=name is UNSET)
        variant = variants.get(name)
        if variant is not None:
            return variant(value, problems)
        problems.append(Problem("unknown-variant", f"{name!r} is none of {', '.join(variants)}", (tag,)))
        return read_unknown(value, problems)

    return read_variant


def _tag_of(form: Any) -> str:
    return form.__struct_config__.tag or form.variant  # type: ignore[no-any-return]  # it has one of them


# --- objects ---------------------------------------------------------------------------------------

_MISSING: Final = object()
"""The value of a required field until it is read."""
_DROPPED: Final = object()
"""The value of a malformed member of an object that is kept as sent."""


class _Field(Struct):
    """A declared field, and how to read it."""

    attribute: str
    name: str
    read: Reader
    default: Any
    """The value of an absent field."""
    nullable: bool
    null: Any
    """The value of a field that is `null`."""
    needed: bool
    code: str | None
    """The code of the problem if the field is malformed; `None` if its object is malformed then."""
    called: m.Called
    demanded: Problem | None
    """The problem if the field is absent, and this version requires it."""
    is_rest: bool

    def read_value(self, name: str, value: Json, problems: list[Problem]) -> Any:
        """Read the *value* of the member *name*."""
        if value is None and self.nullable:
            return self.null
        before = len(problems)
        try:
            found = self.read(value, problems)
        except MalformedError as error:
            del problems[before:]
            if self.code is None:
                raise error.under(name) from None
            problems.append(error.problem(self.code))
            found = self.default
        if len(problems) > before:
            _prefix_paths(problems, before, name)
        return found

    def report_name(self, name: str, problems: list[Problem]) -> None:
        """Report that the field has another *name*, if that is a problem."""
        if self.called.reported:
            problems.append(Problem("field-alias", f"is called {self.name}", (name,)))

    def report_missing(self, problems: list[Problem]) -> None:
        """Report that the field is missing, or raise `MalformedError`."""
        if self.code is None:
            raise MalformedError("is missing", (self.name,), missing=True)
        problems.append(Problem("unreadable-field", "is missing", (self.name,), missing=True))


def _field_of(cls: type[Struct], info: FieldInfo) -> _Field:
    """Return the field of *cls* that *info* describes."""
    form, marks = (info.type.__origin__, info.type.__metadata__) if get_origin(info.type) is Annotated else (info.type, ())
    kinds = get_args(form) if get_origin(form) in _UNIONS else (form,)
    demanded = _find_mark(m.Demanded, marks)
    required = m.REQUIRED in marks or (info.required and demanded is None)
    expected = m.EXPECTED in marks
    default = None if info.default is NODEFAULT else info.default
    return _Field(
        attribute=info.name,
        name=info.encode_name,
        read=_make_field_reader(tuple(kind for kind in kinds if kind not in (NoneType, UnsetType)), marks),
        default=_DROPPED if issubclass(cls, m.BareAsSent) else default,
        nullable=demanded is not None or (NoneType in kinds and not required and (not expected or m.NULLABLE in marks)),
        null=None if default is UNSET else default,
        needed=required or expected,
        code=None if required else _code_of(cls, info.encode_name, marks),
        called=_find_mark(m.Called, marks) or m.Called(()),
        demanded=None if demanded is None else Problem(demanded.code, demanded.message, (info.encode_name,), missing=True),
        is_rest=m.REST in marks,
    )


def _make_field_reader(kinds: tuple[Any, ...], marks: tuple[Any, ...]) -> Reader:
    if len(kinds) == 1:
        return _make_marked_reader(kinds[0], marks)
    return read_number if set(kinds) == {int, float} else _make_union_reader(kinds, _find_mark(m.Otherwise, marks) or m.Otherwise())


def _code_of(cls: type[Struct], name: str, marks: tuple[Any, ...]) -> str | None:
    """Return the code of the problem if an optional field is malformed; `None` if its object is malformed then."""
    if m.LENIENT in marks or any(isinstance(mark, m.Demanded) for mark in marks):
        return "malformed-meta" if name == "_meta" else "malformed-field"
    return "unreadable-field" if m.EXPECTED in marks or issubclass(cls, m.Message) else None


@cache
def _make_class_reader(cls: type[Struct]) -> Reader:
    """Return the reader of a declared class."""
    found = [_field_of(cls, info) for info in fields(cls)]
    return _make_as_sent_reader(cls, found) if issubclass(cls, m.BareAsSent) else _make_object_reader(cls, found)


def _make_as_sent_reader(cls: type[Struct], found: list[_Field]) -> Reader:
    """Return the reader of a class that is kept as sent, without its malformed members."""
    known = {field.name: field for field in found}
    needed = tuple(field.name for field in found if field.needed)
    order = (*([str(cls.__struct_config__.tag_field)] if cls.__struct_config__.tag else []), *known)

    def read_as_sent(value: Json, problems: list[Problem]) -> FrozenDict:
        members = check_object(value)
        for name in needed:
            if name not in members:
                raise MalformedError("is missing", (name,), missing=True)
        kept: dict[str, Json] = {}
        for name, member in members.items():
            field = known.get(name)
            if field is None:
                _check_name(name)
            part = read_json(member, problems) if field is None else field.read_value(name, member, problems)
            if part is not _DROPPED:
                kept[name] = frozen_list(part) if type(part) is tuple else part
        ordered = {name: kept.pop(name) for name in order if name in kept}
        return frozen_dict({**ordered, **kept})

    return read_as_sent


def _check_name(name: object) -> None:
    if type(name) is not str:
        raise MalformedError("an object has strings for keys")


def _make_object_reader(cls: type[Struct], found: list[_Field]) -> Reader:
    """Return the reader of a class whose instances are kept."""
    by_name = {name: (index, field) for index, field in enumerate(found) for name in (field.name, *field.called.names) if not field.is_rest}
    needed = [(index, field) for index, field in enumerate(found) if field.needed]
    demanded = [(index, field.demanded) for index, field in enumerate(found) if field.demanded]
    rest = next((index for index, field in enumerate(found) if field.is_rest), None)
    blank = [_MISSING if field.needed else field.default for field in found]
    make: Any = getattr(cls, "made", None) or cls
    attributes = tuple(field.attribute for field in found)

    def read_members(value: Json, problems: list[Problem]) -> Any:
        members = check_object(value)
        values = blank.copy()
        others: dict[str, Json] = {}
        for name, member in members.items():
            index, field = by_name.get(name, (-1, None))
            if field is None:
                others[name] = member
            elif name == field.name:
                values[index] = field.read_value(name, member, problems)
            elif field.name not in members:
                field.report_name(name, problems)
                values[index] = field.read_value(name, member, problems)
        for index, field in needed:
            if values[index] is _MISSING:
                field.report_missing(problems)
                values[index] = field.default
        problems += [problem for index, problem in demanded if values[index] is None]
        if rest is not None and others:
            values[rest] = read_object(others, problems)
        return make(**dict(zip(attributes, values, strict=True)))

    return read_members
