"""`acp-state record`: a session between a client and an agent, recorded as it goes on (SPEC 8).

    client <-> pump.Pump (one for each direction) <-> agent
                 |
            backlog.Backlog -> scribe.Scribe (a process of its own) -> recording, state

`session.Session` runs all of it. What is recorded is what `transcript.Transcript` makes of the bytes.
"""

from __future__ import annotations

from .session import Session


__all__ = ["Session"]
