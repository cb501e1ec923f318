"""The benchmarks: that they run and say all that they should, and that what they fold is real traffic. No time is judged."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys

from collections import Counter
from pathlib import Path

import pytest

from acp_state.folding import fold
from benchmarks import rows, starts, workloads

from support.official import needs_schemas, schemas
from support.talk import OTHER


ROOT = Path(__file__).parents[1]

EVERY = [
    "orjson.loads",
    "read lines",
    "fold",
    "fold, each snapshot",
    "fold command",
    "Store.feed",
    "Store.feed, no collector",
    "read",
    "normalize",
    "reduce",
    "dumps",
    "loads",
    "diff",
]
SDK = ["SDK validate", "SDK accumulate"] if importlib.util.find_spec("acp") else []


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "utf-8"})


def test_a_smoke_run_gives_every_row(tmp_path):
    pytest.importorskip("orjson", reason="pip install 'acp-state[bench]'")
    file = tmp_path / "results.json"
    done = run("--smoke", "--json", str(file))

    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(file.read_text())
    found = document["rows"]
    assert len(done.stdout.splitlines()) == 1 + len(found)
    for name, workload in workloads.WORKLOADS.items():
        parts = [row["part"] for row in found if row["workload"] == name and row["group"] == "time"]
        assert sorted(parts) == sorted(EVERY + (SDK if workload.version == 1 else []))
    groups = {row["group"] for row in found}
    assert groups - {"memory"} == {"time", "growth", "start", "comparison"}
    assert ("memory" in groups) == Path("/proc/self/status").is_file()
    for row in found:
        assert row.keys() >= {"group", "part", "workload", "frames", "value", "unit"}
        assert ("ratio" in row) == (row["group"] in ("time", "growth", "comparison") and row["part"] != "orjson.loads")
    assert document.keys() == {"python", "libraries", "rounds", "rows"}


def test_the_instructions_of_starts_are_those_over_bare_python(monkeypatch):
    def ran(command, environment):
        return "==1== I refs: 40,000,000" if command[-1] == "pass" else "==1== I   refs:      51,500,000"

    monkeypatch.setattr(starts, "_run", ran)
    found = list(starts.started_counted())

    assert [(row.value, row.unit) for row in found] == [(40.0, "M instr"), *[(11.5, "M instr more")] * 3]
    assert {row.must for row in found} == {None}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--workloads", "mix-v3"), "no workload is called mix-v3"), (("--sizes", "few"), "a size is a number of frames, 100 or more")],
)
def test_what_cannot_be_run_is_said(arguments, said):
    done = run(*arguments)

    assert done.returncode == 2
    assert said in done.stderr


# --- the traffic -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", workloads.WORKLOADS)
def test_a_workload_is_the_same_every_time_and_as_long_as_asked(name):
    lines = workloads.lines(name, 300)

    assert lines == workloads.lines(name, 300)
    assert len(lines) == 300
    assert [json.loads(line) for line in lines] == [message for _, message in workloads.frames(name, 300)]


@pytest.mark.parametrize("name", workloads.WORKLOADS)
def test_nothing_is_wrong_with_a_workload(name):
    state = fold(b"".join(workloads.lines(name, 1000)))

    assert state.diagnostics == ()
    assert state.tally.folded == 1000


@needs_schemas
@pytest.mark.parametrize("name", workloads.WORKLOADS)
def test_a_workload_is_valid_under_the_official_schema(name):
    official = schemas()[f"v{workloads.WORKLOADS[name].version}"]
    asked: dict[tuple[str, int], str] = {}
    checked = 0
    for sender, message in workloads.frames(name, 120):
        if "method" in message:
            part, payload, method = "Request" if "id" in message else "Notification", message["params"], message["method"]
            asked[sender, message.get("id")] = method
        else:
            part, payload, method = "Response", message["result"], asked[OTHER[sender], message["id"]]
        definition = official.definition(method, part)
        assert definition is not None
        assert list(official.validator(definition).iter_errors(payload)) == []
        checked += 1
    assert checked == 120


@pytest.mark.parametrize("name", rows.MIXES)
def test_a_mix_has_the_shares_that_it_is_said_to_have(name):
    kinds = Counter(
        message["params"]["update"]["sessionUpdate"]
        for _, message in itertools.islice(workloads.frames(name, 1200), 20, 1020)
        if message.get("method") == "session/update"
    )
    share = {
        "messages": kinds["agent_message_chunk"],
        "thoughts": kinds["agent_thought_chunk"],
        "tools": kinds["tool_call"] + kinds["tool_call_update"],
        "usage and plan": kinds["usage_update"] + kinds["plan"] + kinds["plan_update"],
    }

    assert sum(share.values()) == 1000
    assert share == pytest.approx({"messages": 700, "thoughts": 100, "tools": 150, "usage and plan": 50}, abs=15)


# --- the rows ----------------------------------------------------------------------------------------------


def row(part: str, workload: str, frames: int, value: float, ratio: float | None = None, target: rows.Target = rows.NONE) -> rows.Row:
    return rows.row("time", part, workload, frames, [value], "ns/frame", [] if ratio is None else [ratio], target)


@pytest.mark.parametrize(("ratio", "verdict"), [(1.0, "aim"), (1.5, "must"), (2.5, "MISSED")])
def test_a_row_is_judged_by_its_ratio(ratio, verdict):
    assert row("fold", "tools", 100, 900.0, ratio, (2.0, 1.2)).verdict == verdict


def test_a_row_without_ratio_is_judged_by_its_figure_and_one_without_target_not():
    assert row("memory", "tools", 100, 900.0, None, (1000.0, 800.0)).verdict == "must"
    assert row("memory", "tools", 100, 900.0).verdict == ""


def test_a_row_is_the_median_of_the_rounds_with_their_spread():
    made = rows.row("time", "fold", "tools", 100, [9.0, 1.0, 2.0], "ns/frame", [3.0, 4.0, 8.0])

    assert (made.value, made.ratio, made.low, made.high) == (2.0, 4.0, 3.0, 8.0)


def test_hard_workloads_are_compared_with_the_mix_and_long_recordings_with_short_ones():
    found = list(
        rows.compared(
            [
                row(rows.EACH, "mix-v2", 10_000, 100.0, 3.0),
                row(rows.EACH, "calls", 10_000, 150.0, 3.0),
                row(rows.EACH, "calls", 1_000, 150.0, 3.0),
                row(rows.EACH, "terminal", 1_000, 100.0, 3.0),
                row(rows.EACH, "terminal", 10_000, 130.0, 3.0),
            ]
        )
    )

    assert [(one.workload, one.ratio, one.verdict) for one in found] == [("calls", 1.5, "must"), ("terminal", 1.3, "MISSED")]


def test_what_is_for_a_readme_has_no_time_in_it():
    pytest.importorskip("orjson", reason="pip install 'acp-state[bench]'")
    from benchmarks.tables import markdown

    printed = markdown(
        [
            row("fold", "mix-v1", 100, 777.0, 3.25, (4.0, 3.0)),
            row("fold", "mix-v1", 1000, 777.0, 3.5),
            row("fold", "mix-v2", 100, 777.0, 3.75),
            rows.row("start", "import acp_state", "", 0, [777.0], "ms more", (), (900.0, 800.0)),
            rows.row("memory", "memory, last snapshot", "mix-v1", 100, [131.0], "B/frame", (), (220.0, 140.0)),
        ]
    )

    assert printed.splitlines() == [
        "| time, 100 frames; `orjson.loads` = 1 | mix-v1 | mix-v2 |",
        "| --- | ---: | ---: |",
        "| fold | 3.25 | 3.75 |",
        "",
        "|  | traffic | frames | measured | must | aim | holds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| fold | mix-v1 | 100 | 3.25 | 4.00 | 3.00 | must |",
        "| import acp_state |  |  |  | 900 | 800 | aim |",
        "| memory, last snapshot | mix-v1 | 100 | 131 B/frame | 220 | 140 | aim |",
    ]


def test_a_profile_tells_where_the_work_goes():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.profile", "mix-v1", "--functions", "3"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    _, whole, *kinds = done.stdout.partition("\n\n")[0].splitlines()

    assert (done.returncode, done.stderr) == (0, "")
    assert whole.split()[1] == "1000"
    assert whole.endswith("100.0%")
    assert sum(float(kind.split()[-1].rstrip("%")) for kind in kinds) == pytest.approx(100, abs=1)
    assert len(done.stdout.partition("\n\n")[2].splitlines()) == 3
