"""Field cases, section K: usage and cost."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, of_version, same, sent, v1, v2


def usd(amount, currency="USD"):
    return {"amount": amount, "currency": currency}


def used(used, size=100, transcript=None, **more):
    return (transcript or v1()).update("usage_update", used=used, size=size, **more)


# --- U-01 ------------------------------------------------------------------------------------------------


def test_U_01_used_null():
    document = used(None, 100, used(10), cost=usd(1)).agent_says("ok").fold()

    assert document.session()["usage"] == {"used": 10, "size": 100}
    assert document.messages() == [("agent", "ok")]
    assert document.codes == ["malformed"]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("field", ["used", "size"])
@pytest.mark.parametrize("value", [ABSENT, None, "7", True, False, -1, 1.5, [], {}], ids=repr)
def test_U_01_whatever_is_no_number_of_tokens(version, field, value):
    first = of_version(version).update("usage_update", used=10, size=100)
    document = first.update("usage_update", **sent(**{"used": 20, "size": 200, field: value})).fold()

    assert document.session()["usage"] == {"used": 10, "size": 100}
    assert document.codes == ["malformed"]


def test_U_01_a_whole_number_with_a_point_is_one():
    document = used(12.0, 100.0).fold()

    assert document.session()["usage"] == {"used": 12, "size": 100}
    assert document.codes == []


# --- U-02 ------------------------------------------------------------------------------------------------


def test_U_02_used_larger_than_size_and_size_0():
    transcript = used(689000, 200000, v1().prompt(1))
    assert transcript.fold().session()["usage"] == {"used": 689000, "size": 200000}

    document = used(5, 0, transcript).fold()
    assert document.session()["usage"] == {"used": 5, "size": 0}
    assert document.session()["activity"] == "running"
    assert document.turn(1)["status"] == "running"
    assert document.codes == []


def test_U_02_nothing_used_of_nothing():
    document = used(0, 0).fold()

    assert document.session()["usage"] == {"used": 0, "size": 0}


def test_U_02_more_than_a_double_can_count():
    document = used(18446744073709551615, 18446744073709551615).fold()

    assert same(document.session()["usage"], {"used": 18446744073709551615, "size": 18446744073709551615})


# --- U-03 ------------------------------------------------------------------------------------------------


def test_U_03_usage_falls():
    transcript = used(90000, 100000).update("compaction_update", compactionId="c", status="completed")
    document = used(12000, 100000, transcript).fold()

    assert document.session()["usage"] == {"used": 12000, "size": 100000}


def test_U_03_the_size_may_shrink_too():
    document = used(10, 200, used(10, 1000)).fold()

    assert document.session()["usage"] == {"used": 10, "size": 200}


@pytest.mark.parametrize("version", [1, 2])
def test_U_03_it_may_fall_to_nothing(version):
    document = used(0, 100, used(90, 100, of_version(version))).fold()

    assert document.session()["usage"] == {"used": 0, "size": 100}


# --- U-04 ------------------------------------------------------------------------------------------------


def test_U_04_cost_goes_down_or_changes_currency():
    transcript = used(1, cost=usd(1.20))
    assert used(1, 100, transcript, cost=usd(0.05)).fold().session()["usage"]["cost"] == usd(0.05)
    assert used(1, 100, transcript, cost=usd(0.90, "EUR")).fold().session()["usage"]["cost"] == usd(0.90, "EUR")


@pytest.mark.parametrize("amount", [0, 0.1 + 0.2, 1e-9, 12345678901234567890, 3.0, -2.5], ids=repr)
def test_U_04_an_amount_is_kept_as_sent(amount):
    document = used(1, cost=usd(amount)).fold()

    assert document.session()["usage"]["cost"] == usd(amount)


def test_U_04_a_cost_that_names_no_currency_we_know_is_kept():
    document = used(1, cost=usd(2, "credits")).fold()

    assert document.session()["usage"]["cost"] == usd(2, "credits")


# --- U-05 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_U_05_later_update_without_cost(version):
    document = used(2, 9, used(1, 9, of_version(version), cost=usd(0.5))).fold()

    assert document.session()["usage"] == {"used": 2, "size": 9, "cost": usd(0.5)}


def test_U_05_cost_null_is_omission_in_v1():
    document = used(2, 9, used(1, 9, v1(), cost=usd(0.5)), cost=None).fold()

    assert document.session()["usage"] == {"used": 2, "size": 9, "cost": usd(0.5)}


def test_U_05_cost_null_clears_in_v2():
    document = used(2, 9, used(1, 9, v2(), cost=usd(0.5)), cost=None).fold()

    assert document.session()["usage"] == {"used": 2, "size": 9}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "cost",
    ["free", 3, [], True, {"amount": 1}, {"currency": "USD"}, {"amount": "1", "currency": "USD"}, {"amount": True, "currency": "USD"}],
    ids=str,
)
def test_U_05_a_bad_cost_only_drops_the_cost(version, cost):
    document = used(2, 9, used(1, 9, of_version(version), cost=usd(0.5)), cost=cost).fold()

    assert document.session()["usage"] == {"used": 2, "size": 9, "cost": usd(0.5)}
    assert document.codes == ["malformed-field"]
