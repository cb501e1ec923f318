"""Immutable collections whose changes cost their own size, however much they hold.

`Log` is append-only, `Table` is an ordered collection with keys. Both share all that two versions
have in common. They do so by a trick that CPython makes cheap: versions share one growing list, and
each knows how much of it is its own. Whoever appends to the newest version just appends; whoever
appends to an older one copies its part first. So appending is flat along one history, and no
version ever sees what another one added.

Two threads may append to one version at the same time: the list's own atomic `append` decides who
got the place, the other one copies.

Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

from .log import EMPTY_LOG, Log
from .table import Registry, Table


__all__ = ["EMPTY_LOG", "Log", "Registry", "Table"]
