"""What events are made of."""

from __future__ import annotations

from typing import NewType, TypeAlias

from .._json import FrozenDict
from .._model import Struct
from ..state import (
    JsonObject,
)


ContentBlock = NewType("ContentBlock", FrozenDict)
"""A content block as sent (schema `ContentBlock`)."""

ToolContent = NewType("ToolContent", FrozenDict)
"""An item that a tool call produced, as sent (schema `ToolCallContent`)."""

Location = NewType("Location", FrozenDict)
"""A place that a tool call works on, as sent (schema `ToolCallLocation`)."""

Meta: TypeAlias = JsonObject | None


class Fact(Struct, frozen=True, gc=False):
    """What an event is. It lives for one frame, so it is a `Struct`, which costs a quarter of what an attrs class does."""
