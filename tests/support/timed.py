"""Recordings with times: one second between frames, unless said otherwise."""

from __future__ import annotations

import json

from collections.abc import Iterable

from acp_state.chronicle import Chronicle, chronicle
from acp_state.story import Story, tell
from acp_state.tracing import trace

from .transcripts import Transcript


def timed(transcript: Transcript, times: Iterable[float] | None = None) -> bytes:
    """Return *transcript* in our own dialect, its frames at *times* in seconds (0, 1, 2, ...)."""
    header, *records = transcript.lines("acp-state")
    times = iter(range(len(records)) if times is None else times)
    written = [header, *(json.dumps({**json.loads(record), "t": next(times)}).encode() for record in records)]
    return b"".join(line + b"\n" for line in written)


def untimed(transcript: Transcript) -> bytes:
    """Return *transcript* as bare JSON-RPC, which has no times."""
    return b"".join(line + b"\n" for line in transcript.lines("jsonrpc"))


def chronicle_of(source: Transcript | bytes) -> Chronicle:
    """Return the chronicle of a transcript, with times, or of a recording."""
    return chronicle(trace(source if isinstance(source, bytes) else timed(source)))


def story_of(source: Transcript | bytes) -> Story:
    """Return the story of a transcript, with times, or of a recording."""
    return tell(chronicle_of(source))
