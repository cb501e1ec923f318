"""`Content`: every version reads as it was, and text that came in chunks is one block."""

from __future__ import annotations

import random

import pytest

from acp_state._json import FrozenDict
from acp_state.containers import EMPTY_CONTENT, PLAIN, make_content


ONE = FrozenDict(type="text", text="", chunkMeta=FrozenDict(a=1))
ALIKE = FrozenDict(type="text", text="", chunkMeta=FrozenDict(a=1.0))
IMAGE = FrozenDict(type="image", data="x", mimeType="y")
WHOLE = FrozenDict(type="text", text="whole")
PIECES = ["a", "b", "", (ONE, "x"), (ONE, ""), (ALIKE, "y"), (ALIKE, ""), IMAGE, WHOLE]


def shape_of(piece):
    if isinstance(piece, tuple):
        return piece[0]
    return PLAIN


def joined(pieces):
    blocks, growing = [], None
    for piece in pieces:
        if isinstance(piece, FrozenDict):
            blocks.append(dict(piece))
            growing = None
            continue
        shape, text = (PLAIN, piece) if isinstance(piece, str) else piece
        if growing is not None and repr(growing) == repr(shape):  # 1 and 1.0 are two
            blocks[-1]["text"] += text
        else:
            blocks.append({**shape, "text": text})
        growing = shape
    return blocks


def adds_nothing(pieces, piece):
    text = piece if isinstance(piece, str) else piece[1] if isinstance(piece, tuple) else None
    return text == "" and repr(shape_of(pieces[-1]) if pieces else PLAIN) == repr(shape_of(piece))


@pytest.mark.parametrize("seed", range(200))
def test_every_version_reads_as_it_was(seed):
    chance = random.Random(seed)  # noqa: S311 -- no secret
    content, pieces, owner = EMPTY_CONTENT, [], object()
    versions = []
    for _ in range(chance.randrange(1, 40)):
        if chance.random() < 0.3:
            versions.append((content, list(pieces)))
            owner = object()
        if versions and chance.random() < 0.1:
            content, pieces = versions[chance.randrange(len(versions))]
            pieces, owner = list(pieces), object()
        piece = chance.choice(PIECES)
        if not adds_nothing(pieces, piece):
            pieces.append(piece)
        content = content.append(piece, owner if chance.random() < 0.8 else None)
        if chance.random() < 0.3:
            assert [dict(block) for block in content] == joined(pieces)
    for version, expected in [*versions, (content, pieces)]:
        assert [dict(block) for block in version] == joined(expected)
        assert version.sealed == (bool(expected) and expected[-1] is WHOLE)
        text = content.text_since(version)
        if text is not None:
            assert pieces[: len(expected)] == expected
            assert version.with_text(text) == content


def test_what_was_seen_does_not_change():
    owner = object()
    content = EMPTY_CONTENT.append("a", owner)
    seen = content.blocks
    more = content.append("b", owner)

    assert (seen[0]["text"], content.text, more.text) == ("a", "a", "ab")


def test_it_cannot_be_changed_through_its_constructor():
    content = make_content([WHOLE])
    with pytest.raises(TypeError):
        content.__init__([IMAGE])

    assert list(content) == [WHOLE]
