"""Field cases, section L: plans."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, v1, v2


def step(content, status="pending", priority="medium"):
    return {"content": content, "priority": priority, "status": status}


def items(*entries, plan=None):
    return {"id": plan, "type": "items", "entries": list(entries)}


def planned(*entries):
    return v1().update("plan", entries=list(entries))


def planned_v2(*entries, plan="p"):
    return v2().update("plan_update", plan={"type": "items", "planId": plan, "entries": list(entries)})


A, B, C = step("A"), step("B"), step("C")


# --- N-01 ------------------------------------------------------------------------------------------------


def test_N_01_empty_plan_does_not_clear():
    document = planned(A, B).update("plan", entries=[]).fold()

    assert document.session()["plans"] == [items()]
    assert "plans" not in v1().fold().session()


def test_N_01_an_empty_plan_is_a_plan_from_the_beginning():
    assert planned().fold().session()["plans"] == [items()]


def test_N_01_in_v2_too():
    document = planned_v2(A).update("plan_update", plan={"type": "items", "planId": "p", "entries": []}).fold()

    assert document.session()["plans"] == [items(plan="p")]


# --- N-03 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [ABSENT, None, {}, "A", 3], ids=["absent", "null", "object", "string", "number"])
def test_N_03_plan_without_entries(entries):
    document = planned(A).update("plan", entries=entries).fold()

    assert document.session()["plans"] == [items(A)]
    assert "error" in document.severities


@pytest.mark.parametrize("plan", [{"type": "items", "planId": "p"}, {"type": "items", "planId": "p", "entries": None}, {"type": "items"}])
def test_N_03_in_v2_too(plan):
    document = planned_v2(A).update("plan_update", plan=plan).fold()

    assert document.session()["plans"] == [items(A, plan="p")]
    assert "error" in document.severities


def test_N_03_a_malformed_step_costs_itself_alone():
    document = planned(
        A, {"content": "no status", "priority": "low"}, {"content": 5, "priority": "low", "status": "pending"}, "x", B
    ).fold()

    assert document.session()["plans"] == [items(A, B)]
    assert set(document.codes) == {"skipped-item"}


# --- N-04 ------------------------------------------------------------------------------------------------


def test_N_04_shrinking_plan_keeps_old_entries():
    done = step("B", "completed")
    document = planned(A, B, C).update("plan", entries=[done]).fold()

    assert document.session()["plans"] == [items(done)]


def test_N_04_steps_of_equal_text_are_not_one():
    document = planned(A, A, A).update("plan", entries=[A, A]).fold()

    assert document.session()["plans"] == [items(A, A)]


def test_N_04_in_v2_one_plan_replaces_no_other():
    document = (
        planned_v2(A, plan="p")
        .update("plan_update", plan={"type": "items", "planId": "q", "entries": [B]})
        .update("plan_update", plan={"type": "items", "planId": "p", "entries": [C]})
        .fold()
    )

    assert document.session()["plans"] == [items(C, plan="p"), items(B, plan="q")]


# --- N-05 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["end_turn", "cancelled"])
def test_N_05_plan_step_left_in_progress_after_the_turn(reason):
    started = step("A", "in_progress")
    document = v1().prompt(1).update("plan", entries=[started]).ends(1, reason).fold()

    assert document.session()["plans"] == [items(started)]
    assert document.turn(1)["status"] == "ended"


def test_N_05_nor_does_a_failed_turn_or_a_cancel_change_it():
    started = step("A", "in_progress")
    document = v1().prompt(1).update("plan", entries=[started]).cancel().agent_fails(1).fold()

    assert document.session()["plans"] == [items(started)]


def test_N_05_nor_does_a_new_turn():
    document = v1().prompt(1).update("plan", entries=[A]).ends(1).prompt(2).ends(2).fold()

    assert document.session()["plans"] == [items(A)]


# --- N-06 ------------------------------------------------------------------------------------------------


def test_N_06_status_cancelled_in_a_v1_plan():
    document = planned(step("A", "cancelled", "low"), step("B", "pending", "low")).fold()

    assert document.session()["plans"] == [items(step("A", "cancelled", "low"), step("B", "pending", "low"))]
    assert document.codes == ["unknown-value"]


def test_N_06_in_v2_it_is_simply_valid():
    document = planned_v2(step("A", "cancelled"), step("B", "_blocked", "_urgent")).fold()

    assert document.session()["plans"] == [items(step("A", "cancelled"), step("B", "_blocked", "_urgent"), plan="p")]
    assert document.codes == []


def test_N_06_so_is_an_unknown_priority():
    document = planned(step("A", "pending", "urgent")).fold()

    assert document.session()["plans"] == [items(step("A", "pending", "urgent"))]
    assert document.codes == ["unknown-value"]
