"""Content blocks, and the content and locations of tool calls."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import UNSET

from .marks import META_STATE, SKIPPING, AsSent, BareAsSent, MetaObject, Natural, ThreeState, ThreeStateList, Untagged


Number: TypeAlias = int | float


class Annotations(AsSent, frozen=True):
    """Hints on the use of a content block (schema `Annotations`)."""

    audience: ThreeStateList[str] = UNSET
    last_modified: ThreeState[str] = UNSET
    priority: ThreeState[Number] = UNSET


class Icon(AsSent, frozen=True):
    """An icon of a resource (schema `Icon`)."""

    src: str
    mime_type: ThreeState[str] = UNSET
    sizes: ThreeStateList[str] = UNSET
    theme: ThreeState[str] = UNSET


# --- content blocks (schema `ContentBlock`) ----------------------------------------------------------


class TextContent(AsSent, frozen=True, tag="text"):
    """A text block (schema `TextContent`)."""

    text: str
    annotations: ThreeState[Annotations] = UNSET


class ImageContent(AsSent, frozen=True, tag="image"):
    """An image block (schema `ImageContent`)."""

    data: str
    mime_type: str
    uri: ThreeState[str] = UNSET
    annotations: ThreeState[Annotations] = UNSET


class AudioContent(AsSent, frozen=True, tag="audio"):
    """An audio block (schema `AudioContent`)."""

    data: str
    mime_type: str
    annotations: ThreeState[Annotations] = UNSET


class ResourceLink(AsSent, frozen=True, tag="resource_link"):
    """A link to a resource (schema `ResourceLink`)."""

    name: str
    uri: str
    title: ThreeState[str] = UNSET
    description: ThreeState[str] = UNSET
    icons: ThreeStateList[Icon] = UNSET
    mime_type: ThreeState[str] = UNSET
    size: ThreeState[int] = UNSET
    annotations: ThreeState[Annotations] = UNSET


class TextResourceContents(AsSent, frozen=True):
    """The contents of a resource as text (schema `TextResourceContents`)."""

    text: str
    uri: str
    mime_type: ThreeState[str] = UNSET


class BlobResourceContents(AsSent, frozen=True):
    """The contents of a resource as bytes (schema `BlobResourceContents`)."""

    blob: str
    uri: str
    mime_type: ThreeState[str] = UNSET


class EmbeddedResourceResource(Untagged):
    """The contents of a resource, text or bytes (schema `EmbeddedResourceResource`)."""

    @staticmethod
    def choose(raw: Any) -> type:
        """Return the class that reads *raw*."""
        is_blob = isinstance(raw, Mapping) and "blob" in raw and "text" not in raw
        return BlobResourceContents if is_blob else TextResourceContents


class EmbeddedResource(AsSent, frozen=True, tag="resource"):
    """A resource with its contents (schema `EmbeddedResource`)."""

    resource: EmbeddedResourceResource
    annotations: ThreeState[Annotations] = UNSET


ContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource


# --- what a tool call produced (schema `ToolCallContent`) --------------------------------------------


class Content(AsSent, frozen=True, tag="content"):
    """A content block in the content of a tool call (schema `Content`)."""

    content: ContentBlock


class DiffPathChange(AsSent, frozen=True, tag_field="operation"):
    """A change of one path (schema `DiffPathChange`)."""

    path: str
    file_type: ThreeState[str] = UNSET
    mime_type: ThreeState[str] = UNSET


class DiffPathPairChange(AsSent, frozen=True, tag_field="operation"):
    """A change from one path to another (schema `DiffPathPairChange`)."""

    old_path: str
    path: str
    file_type: ThreeState[str] = UNSET
    mime_type: ThreeState[str] = UNSET


class AddedFile(DiffPathChange, frozen=True, tag="add"):
    """A new file (schema `DiffChange`)."""


class DeletedFile(DiffPathChange, frozen=True, tag="delete"):
    """A deleted file (schema `DiffChange`)."""


class ModifiedFile(DiffPathChange, frozen=True, tag="modify"):
    """A file with new contents (schema `DiffChange`)."""


class MovedFile(DiffPathPairChange, frozen=True, tag="move"):
    """A file with a new path (schema `DiffChange`)."""


class CopiedFile(DiffPathPairChange, frozen=True, tag="copy"):
    """A copy of a file (schema `DiffChange`)."""


DiffChange: TypeAlias = AddedFile | DeletedFile | ModifiedFile | MovedFile | CopiedFile


class DiffPatch(AsSent, frozen=True):
    """The text of a patch (schema `DiffPatch`)."""

    format: str
    text: str


class _Diff(BareAsSent, frozen=True):
    @staticmethod
    def choose(raw: Mapping[str, Any]) -> type:
        """Return the class of the version that *raw* is of; both are read on any connection."""
        return Diff if "changes" in raw else Diff1


class Diff(_Diff, frozen=True, tag="diff"):
    """Changes of files (schema `Diff` of version 2)."""

    changes: Annotated[tuple[DiffChange, ...], SKIPPING]
    patch: ThreeState[DiffPatch] = UNSET
    meta: ThreeState[MetaObject] = META_STATE


class Diff1(_Diff, frozen=True, tag="diff", kw_only=True):
    """The change of a file (schema `Diff` of version 1)."""

    path: str
    old_text: ThreeState[str] = UNSET
    new_text: str
    meta: ThreeState[MetaObject] = META_STATE


class Terminal(AsSent, frozen=True, tag="terminal"):
    """A reference to a terminal (schema `Terminal`)."""

    terminal_id: str


if TYPE_CHECKING:
    ToolCallContent: TypeAlias = Content | Diff | Diff1 | Terminal
    ToolCallContent1: TypeAlias = ToolCallContent
else:
    ToolCallContent = Content | Diff | Terminal
    ToolCallContent1 = Content | Diff1 | Terminal
    """The content of a tool call in version 1."""


class ToolCallLocation(AsSent, frozen=True):
    """A location that a tool call works on (schema `ToolCallLocation`)."""

    path: str
    line: ThreeState[Natural] = UNSET


if TYPE_CHECKING:
    ToolKind: TypeAlias = str
    ToolCallStatus: TypeAlias = str
else:
    ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]
    """The words of version 1 for the kind of a tool call (schema `ToolKind`)."""
    ToolCallStatus = Literal["pending", "in_progress", "completed", "failed"]
    """The words of version 1 for the status of a tool call (schema `ToolCallStatus`)."""
