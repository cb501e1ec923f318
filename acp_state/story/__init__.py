"""The story of a recording, for people: what is shown of it, and how.

`tell` makes a `Story` of a chronicle: plain values, with all wording in them and nothing in them that could
drive a terminal. `text` prints one for a terminal, `html` writes one as a page; each needs libraries of the
extra `cli`, so neither is imported here.
"""

from __future__ import annotations

from .model import Chapter, Item, SessionStory, Story
from .telling import tell


__all__ = ["Chapter", "Item", "SessionStory", "Story", "tell"]
