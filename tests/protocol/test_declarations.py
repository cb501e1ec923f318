"""The declarations beside the official schemas: members, which must be there, marks, words, variants, types."""

from __future__ import annotations

import ast
import inspect

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from msgspec import Meta, Struct, UnsetType
from msgspec.structs import FieldInfo, fields

from acp_state._json import FrozenDict
from acp_state.protocol import content, decoders, marks, objects, requests, settings, updates

from support.official import (
    DEFAULT,
    SKIP,
    Schema,
    Shape,
    alternatives,
    each_schema,
    minimal_object,
    needs_schemas,
    resolved,
    schemas,
    shapes,
)


FOR_THE_AGENT = "what the client gives the agent to work with is never kept"
NEVER_KEPT = "environment variables are never kept"
CONTENTS = "contents of files are never kept"
ANSWERED = "the answer says what came of it"
BY_ITSELF = "is read by itself"
UNUSED = "says nothing of a session's state"

NOT_DECLARED = {
    "AuthMethodTerminal.env": NEVER_KEPT,
    "CreateTerminalRequest.env": NEVER_KEPT,
    "CreateTerminalRequest.outputByteLimit": UNUSED,
    "ForkSessionRequest.mcpServers": FOR_THE_AGENT,
    "ForkSessionRequest.systemPrompt": FOR_THE_AGENT,
    "InitializeResponse.protocolVersion": BY_ITSELF,
    "ListSessionsRequest.archived": UNUSED,
    "ListSessionsRequest.cwd": UNUSED,
    "LoadSessionRequest.mcpServers": FOR_THE_AGENT,
    "LoadSessionRequest.systemPrompt": FOR_THE_AGENT,
    "NewSessionRequest.mcpServers": FOR_THE_AGENT,
    "NewSessionRequest.systemPrompt": FOR_THE_AGENT,
    "ReadTextFileRequest.limit": CONTENTS,
    "ReadTextFileRequest.line": CONTENTS,
    "ReadTextFileResponse.content": CONTENTS,
    "ReplayFromStart._meta": UNUSED,
    "RequestPermissionRequest.subject": BY_ITSELF,
    "RequestPermissionRequest.toolCall": BY_ITSELF,
    "ResumeSessionRequest.mcpServers": FOR_THE_AGENT,
    "ResumeSessionRequest.systemPrompt": FOR_THE_AGENT,
    "SetSessionConfigOptionRequest.configId": ANSWERED,
    "SetSessionConfigOptionRequest.type": ANSWERED,
    "SetSessionConfigOptionRequest.value": ANSWERED,
    "WriteTextFileRequest.content": CONTENTS,
}
"""Members that no class declares, by their definition."""

SCOPED = "one class is for all modes and scopes, and the normalizer checks what each needs"

NOT_SO = {
    "AuthMethodTerminal.args": "a list of the wrong form is worth a word, not an error",
    "ElicitationFormMode.requestedSchema": SCOPED,
    "ElicitationRequestScope.requestId": SCOPED,
    "ElicitationSessionScope.sessionId": SCOPED,
    "ElicitationUrlMode.elicitationId": SCOPED,
    "ElicitationUrlMode.url": SCOPED,
    "InitializeRequest.info": "a client that does not say who it is connects all the same",
    "InitializeResponse.info": "an agent that does not say who it is connects all the same",
    "InitializeRequest.protocolVersion": "any number is read",
    "ListSessionsResponse.nextCursor": "a list is worth having without its end",
    "PromptResponse.messageId": "the pages show the answer empty",
    "SessionConfigSelect.options": "a choice of the wrong form is left out, as one of a group is",
    "SessionInfo.additionalDirectories": "version 2 has no mark that version 1 has",
    "ToolCallLocation.line": "version 1 counts from 0",
    "TerminalExitStatus.exitCode": "version 2 has no bound that version 1 has",
    "WaitForTerminalExitResponse.exitCode": "version 2 has no bound that version 1 has",
    "ResourceLink.size": "version 1 has no bound that version 2 has",
    "PlanEntry.status": "version 1 has fewer words",
    "RequestPermissionRequest.title": "version 1 has none",
    "ToolCallUpdate.status": "version 1 has fewer words",
}
"""What is declared otherwise than a schema has it, and why."""

OTHER_METHODS = {"session/update", "session/set_model", "session/elicitation"}
"""Methods that are read otherwise, or that no schema has any more."""

EXTENSIONS = frozenset(("mcp/message", "providers/list", "providers/set", "providers/disable", "proxy/initialize", "proxy/successor"))

NULLS = (NoneType, UnsetType)


# --- declarations, taken apart -----------------------------------------------------------------------


class Form(NamedTuple):
    """A type as it is declared: what it may be, and its marks."""

    kinds: tuple[Any, ...]
    marks: tuple[Any, ...]

    def mark(self, kind: type) -> Any:
        return next((mark for mark in self.marks if isinstance(mark, kind)), None)


def form_of(declared: Any) -> Form:
    found: tuple[Any, ...] = ()
    while get_origin(declared) is Annotated:
        declared, found = declared.__origin__, (*found, *declared.__metadata__)
    if get_origin(declared) in (UnionType, Union):
        kinds = tuple(kind for kind in get_args(declared) if kind not in NULLS)
        if len(kinds) == 1:
            inner = form_of(kinds[0])
            return Form(inner.kinds, (*found, *inner.marks))
        return Form(kinds, found)
    return Form((declared,), found)


def tag_of(cls: Any) -> str | None:
    return getattr(getattr(cls, "__struct_config__", None), "tag", None) or getattr(cls, "variant", None)


def tag_field_of(cls: Any) -> str:
    return getattr(getattr(cls, "__struct_config__", None), "tag_field", None) or "type"


# --- both, side by side ------------------------------------------------------------------------------


class Comparison:
    """Walks through a schema and a declaration together; collects where they differ, and what was seen."""

    def __init__(self, official: Schema) -> None:
        self._official = official
        self.faults: list[str] = []
        self.excused: set[str] = set()
        self.described: dict[type, set[str]] = {}
        self._seen: set[tuple[str, Any]] = set()

    def differ(self, where: str, what: str) -> None:
        if where in NOT_SO or where in NOT_DECLARED:
            self.excused.add(where)
        else:
            self.faults.append(f"{where}: {what}")

    def values(self, schema: Any, declared: Any, where: str) -> None:
        """Compare what a member may be."""
        form = form_of(declared)
        parts = [part for part in alternatives(schema, self._official.defs) if part.get("type") != "null"]
        kind = form.kinds[0]
        if kind in (FrozenDict, marks.Json, marks.MetaObject):
            return
        if get_origin(kind) is tuple:
            lists = [part for part in parts if part.get("type") == "array"]
            if not lists or len(lists) != len(parts):
                self.differ(where, "is no list")
            for part in lists:
                self.values(part["items"], get_args(kind)[0], where)
        elif get_origin(kind) is Literal:
            self.words(parts, get_args(kind), where)
        elif isinstance(kind, type) and issubclass(kind, (Struct, marks.Untagged)):
            self.objects(schema, form, where)
        else:
            self.scalars(parts, form, where)

    def words(self, parts: list[Any], words: tuple[str, ...], where: str) -> None:
        known = [part["const"] for part in parts if "const" in part]
        if known != list(words):
            self.differ(where, f"{known} are declared as {list(words)}")

    def scalars(self, parts: list[Any], form: Form, where: str) -> None:
        types = {str: "string", bytes: "string", int: "integer", bool: "boolean", float: "number"}
        wanted = {"number"} if float in form.kinds else {types[kind] for kind in form.kinds}
        found = {part.get("type") or type_of(part["const"]) for part in parts}
        least = form.mark(Meta).ge if form.mark(Meta) else None
        if found != wanted:
            self.differ(where, f"{found} is declared as {wanted}")
        if "integer" in found and {part.get("minimum") for part in parts if "const" not in part} != {least}:
            self.differ(where, f"its minimum is declared as {least}")
        if (form.kinds == (bytes,)) != all(part.get("contentEncoding") == "base64" for part in parts) and bytes in form.kinds:
            self.differ(where, "is no base64")

    def objects(self, schema: Any, form: Form, where: str) -> None:
        """Compare an object or a union of such with what is declared for it."""
        owner = resolved(schema, self._official.defs).get("x-definition", where)
        for shape in shapes(schema, self._official.defs, owner):
            cls = self.choose(shape, form)
            if cls is not None:
                self.members(shape, cls, owner)
        otherwise = form.mark(marks.Otherwise)
        if len(form.kinds) > 1 or otherwise:
            known = set(map(tag_of, form.kinds))
            tags = {tag for shape in shapes(schema, self._official.defs, owner) if (tag := shape_tag(shape, form))}
            drafted = known - tags - {tag_of(otherwise.untagged) if otherwise and otherwise.untagged else None}
            if not tags <= known or (drafted and self._official.name == "v2-unstable"):
                self.differ(where, f"the types {sorted(tags)} are declared as {sorted(known)}")

    def choose(self, shape: Shape, form: Form) -> type | None:
        """Return the class that reads a *shape*."""
        kind = form.kinds[0]
        if issubclass(kind, marks.Untagged):
            return kind.choose(minimal_object(shape, self._official.defs))
        otherwise = form.mark(marks.Otherwise)
        if len(form.kinds) == 1 and otherwise is None:
            return kind
        tag = shape_tag(shape, form)
        if tag is not None:
            return next((cls for cls in form.kinds if tag_of(cls) == tag), None)
        if otherwise is None:
            return None  # kept as sent
        return otherwise.unknown if tag_field_of(kind) in shape.properties else otherwise.untagged

    def members(self, shape: Shape, cls: Any, owner: str) -> None:
        self.described.setdefault(cls, set()).update(shape.properties)
        tag = tag_field_of(cls) if cls.__struct_config__.tag else None
        declared = {name: info for info in fields(cls) for name in names_of(info)}
        for name, member in shape.properties.items():
            if name == tag:
                continue
            where = f"{shape.owners.get(name, owner)}.{name}"
            info = declared.get(name)
            if info is None:
                self.differ(where, f"is not declared in {cls.__name__}")
            elif (where, cls) not in self._seen:
                self._seen.add((where, cls))
                if "const" not in resolved(member, self._official.defs) and name not in shape.tags:
                    self.need(member, info, where, required=name in shape.required)
                    self.values(member, info.type, where)

    def need(self, member: Any, info: FieldInfo, where: str, *, required: bool) -> None:
        form = form_of(info.type)
        needed = info.required or marks.REQUIRED in form.marks or marks.EXPECTED in form.marks
        if needed != required:
            self.differ(where, "must be there" if required else "need not be there")
        lenient = marks.LENIENT in form.marks or form.mark(marks.Demanded) is not None
        if not required and lenient != (member.get(DEFAULT) is True):
            self.differ(where, f"is {'' if lenient else 'not '}lenient")
        if (marks.SKIPPING in form.marks) != (member.get(SKIP) is True) and get_origin(form.kinds[0]) is tuple:
            self.differ(where, f"{'leaves' if marks.SKIPPING in form.marks else 'does not leave'} malformed items out")


def names_of(info: FieldInfo) -> tuple[str, ...]:
    called = form_of(info.type).mark(marks.Called)
    return (info.encode_name, *(called.names if called else ()))


def shape_tag(shape: Shape, form: Form) -> str | None:
    return shape.properties.get(tag_field_of(form.kinds[0]), {}).get("const")


def type_of(constant: Any) -> str:
    return {str: "string", int: "integer"}[type(constant)]


def compared(official: Schema) -> Comparison:
    comparison = Comparison(official)
    for kind, variant in official.updates.items():
        comparison.objects(variant, Form((updates.UPDATES[official.version][kind],), ()), f"SessionUpdate {kind}")
    for definition, (method, _, part) in official.methods.items():
        table = requests.RESULTS if part == "Response" else requests.PARAMS
        if method in table:
            declared = requests.PromptResponse1 if (official.version, definition) == (1, "PromptResponse") else table[method]
            comparison.objects({"$ref": f"#/$defs/{definition}"}, form_of(declared), definition)
    for name, declared in (("RequestPermissionSubject", objects.RequestPermissionSubject), ("Error", objects.Error)):
        if name in official.defs:
            comparison.objects({"$ref": f"#/$defs/{name}"}, form_of(declared), name)
    return comparison


@each_schema()
def test_the_declarations_are_those_of_the_schema(official):
    assert compared(official).faults == []


@needs_schemas
def test_every_excuse_is_needed():
    excused = {where for official in schemas().values() for where in compared(official).excused}

    assert NOT_SO.keys() | NOT_DECLARED.keys() == excused


DRAFTS = {
    "NewSessionResponse": {"models"},
    "SetupResponse": {"models"},
    "ToolCall": {"capabilities"},
    "ToolCallUpdate1": {"capabilities"},
}
"""What is declared for a class and is in no schema: of earlier drafts, or of the other version's."""


@needs_schemas
def test_every_member_that_is_declared_is_one_of_a_schema():
    described: dict[Any, set[str]] = {}
    for official in schemas().values():
        for cls, members in compared(official).described.items():
            described.setdefault(cls, set()).update(members)
    unknown = {}
    for cls, members in described.items():
        own = {info.encode_name for info in fields(cls) if marks.REST not in form_of(info.type).marks}
        if own - members and not cls.__name__.startswith("Other"):  # what is of no known type may have any member
            unknown[cls.__name__] = own - members

    assert unknown == DRAFTS


@each_schema()
def test_another_class_than_the_declared_one_differs(official):
    comparison = Comparison(official)
    comparison.objects(official.updates["usage_update"], Form((updates.Notice,), ()), "usage_update")
    comparison.objects(official.updates["session_info_update"], Form((updates.PlanRemoved,), ()), "session_info_update")

    assert len(comparison.faults) >= 5


@needs_schemas
def test_every_method_is_declared():
    methods = {method for official in schemas().values() for method, _, _ in official.methods.values()}

    assert methods - requests.PARAMS.keys() - EXTENSIONS == {"session/update"}
    assert requests.PARAMS.keys() - methods == OTHER_METHODS - {"session/update"}
    assert requests.RESULTS.keys() == requests.PARAMS.keys()


@each_schema()
def test_every_update_is_declared(official):
    assert official.updates.keys() <= updates.UPDATES[official.version].keys()


@needs_schemas
def test_the_kinds_of_one_version_are_those_of_its_schemas():
    kinds = {
        version: {kind for official in schemas().values() if official.version == version for kind in official.updates} for version in (1, 2)
    }

    assert kinds[1] - kinds[2] == updates.ONLY_IN_1
    assert kinds[2] - kinds[1] == updates.ONLY_IN_2
    assert updates.UPDATES[1].keys() == updates.UPDATES[2].keys() == kinds[1] | kinds[2]


@needs_schemas
def test_what_is_kept_as_sent_has_its_members_in_the_order_of_the_newest_schema():
    official = schemas()["v2-unstable"]
    wrong = []
    for name, cls in declared_classes():
        definition = official.defs.get(name, {})
        if issubclass(cls, marks.BareAsSent) and "properties" in definition:
            order = [member for member in definition["properties"] if member in cls.__struct_encode_fields__]
            if order != [member for member in cls.__struct_encode_fields__ if member in definition["properties"]]:
                wrong.append((name, order))

    assert wrong == []


# --- without the schemas -----------------------------------------------------------------------------

MODULES = (content, objects, settings, updates, requests)


def declared_classes() -> Iterator[tuple[str, Any]]:
    for module in MODULES:
        for name, cls in vars(module).items():
            if isinstance(cls, type) and cls.__module__ == module.__name__:
                yield name, cls


def test_every_class_says_what_it_is():
    for name, cls in declared_classes():
        assert cls.__doc__ or name.startswith("_"), name


def test_every_class_is_immutable_and_keeps_no_cycle():
    for name, cls in declared_classes():
        if issubclass(cls, Struct):
            assert cls.__struct_config__.frozen, name
            assert not cls.__struct_config__.gc, name


def test_every_class_is_used():
    """Each is part of what a message may be, or a base of such, or made of one."""
    roots = [*updates.UPDATES[1].values(), *updates.UPDATES[2].values(), *requests.PARAMS.values(), *requests.RESULTS.values()]
    used: set[Any] = {updates.UnknownUpdate, updates.SessionUpdate}
    waiting = [*roots, requests.PromptResponse1, objects.Error, objects.RequestPermissionSubject]
    waiting += [content.Diff, content.Diff1, settings.ConfigGroup, settings.ConfigChoice, content.TextResourceContents]
    waiting += [content.BlobResourceContents, decoders.Notification]
    while waiting:
        form = form_of(waiting.pop())
        otherwise = form.mark(marks.Otherwise)
        waiting += [kind for kind in (otherwise.unknown, otherwise.untagged) if kind] if otherwise else []
        for kind in form.kinds:
            if get_origin(kind) is tuple:
                waiting += get_args(kind)[:1]
            elif isinstance(kind, type) and kind not in used and kind.__module__.startswith("acp_state.protocol"):
                used |= {kind, *kind.__mro__, getattr(kind, "made", None)}
                if issubclass(kind, Struct):
                    waiting += [info.type for info in fields(kind) if kind is not updates.SessionUpdate]

    assert {name for name, cls in declared_classes() if cls not in used} == set()


def test_a_tag_is_told_once():
    for version in (1, 2):
        union = get_args(updates.UpdateOf1 if version == 1 else updates.UpdateOf2)
        for cls in union:
            assert updates.UPDATES[version][cls.__struct_config__.tag] is cls


def test_what_says_nothing_in_a_patch_is_the_default_of_its_fields():
    for kind in (updates.ToolCallUpdate, updates.ToolCallUpdate1, updates.ToolCall, updates.TerminalUpdate, updates.SessionInfoUpdate):
        assert {info.default for info in fields(kind) if not info.required} == {kind.leave}
    assert updates.UsageUpdate(1, 1).cost is updates.UsageUpdate.leave
    assert updates.UsageUpdate1(1, 1).cost is updates.UsageUpdate1.leave


def test_declarations_have_no_code():
    """But for telling apart what bears no tag, and spelling out a prompt that is a string."""
    for module in MODULES:
        found = [node.name for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.FunctionDef)]
        assert set(found) <= {"choose", "_to_blocks", "_index_by_kind"}
