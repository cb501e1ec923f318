"""Lisp data as Emacs prints it: which value it is, where it ends, and that nothing of it raises."""

from __future__ import annotations

from contextlib import suppress

import pytest

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_state._json import BadEncodingError, NotJsonError, TooDeepError
from acp_state.reading.lisp import OPENING, Lisp
from acp_state.reading.syntax import Found

from support.recordings import lisp


def decode(text: str | bytes, depth: int = 20, opening: bytes = b"("):
    return Lisp(opening).decode(text.encode() if isinstance(text, str) else text, depth)


def follow(text: bytes) -> list[tuple[str, int]]:
    """What is found in *text*, behind the bracket that the list begins with, and where."""
    lisp, found, position = Lisp(), [], 0
    while not found or found[-1][0] == "VALUE":
        kind, position = lisp.advance(text, position)
        found.append((kind.name, position))
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("((a . 1))", {"a": 1}),
        ("((a 1))", {"a": [1]}),
        ("((a))", {"a": None}),
        ("((a . nil) (b . t) (c . :false) (d . :json-false) (e . :null))", {"a": None, "b": True, "c": False, "d": False, "e": None}),
        ("((a (b . 1) (c . 2)))", {"a": {"b": 1, "c": 2}}),
        ("((a . ((b . 1))))", {"a": {"b": 1}}),
        ("((a . [((b . 1)) ((b . 2))]))", {"a": [{"b": 1}, {"b": 2}]}),
        ("((a ((b . 1)) ((b . 2))))", {"a": [{"b": 1}, {"b": 2}]}),
        ("((a . []) (b . ()))", {"a": [], "b": None}),
        ("((a . 1) (a . 2))", {"a": 1}),
        ('((a "x" "y"))', {"a": ["x", "y"]}),
        ("((a . word))", {"a": "word"}),
        ("((:a . :b))", {":a": ":b"}),
        ("((nil . 1) (t . 2))", {"nil": 1, "t": 2}),
        (r"((a\ b\.\? . 1) (## . 2))", {"a b.?": 1, "": 2}),
        ("((é . é))", {"é": "é"}),
        ("((a . -1) (b . +2) (c . 3.) (d . 0.5) (e . -1.5e3) (f . 1e2) (g . 007))", {"a": -1, "b": 2, "c": 3, "d": 0.5, "e": -1500.0, "f": 100.0, "g": 7}),
        ("((a . 1-2) (b . -) (c . 1.0.0) (d . ...))", {"a": "1-2", "b": "-", "c": "1.0.0", "d": "..."}),
        (r'((a . "q\" b\\ n\n t\t o\101 x\x41 u\u00e9 U\U0001f600 z\z"))', {"a": 'q" b\\ n\n t\t oA xA ué U\U0001f600 zz'}),
        ('((a . "one\n\n; two\\\n three"))', {"a": "one\n\n; two three"}),
        ('((a . #("bold" 0 4 (face bold))))', {"a": "bold"}),
        ("((a . #1=[1 2]) (b . #1#) (c . #2=((d . #1#))) (e . #2#))", {"a": [1, 2], "b": [1, 2], "c": {"d": [1, 2]}, "e": {"d": [1, 2]}}),
        ("((a . #1=((b . 1))) (c (d . 2) . #1#))", {"a": {"b": 1}, "c": {"d": 2, "b": 1}}),
        ("; a comment (\n((a ; another )\n . 1))", {"a": 1}),
    ],
)  # fmt: skip
def test_a_value(text, value):
    found = decode(text)

    assert found == value
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("((a . #1#))", NotJsonError),
        ("#1=((a . #1#))", NotJsonError),
        ("(a . b)", NotJsonError),
        ("((a . 1 2))", NotJsonError),
        ("(( . 1))", NotJsonError),
        ("[a . b]", NotJsonError),
        (".", NotJsonError),
        (")", NotJsonError),
        ("((a . 1)", NotJsonError),
        ('((a . "x', NotJsonError),
        ("", NotJsonError),
        ("((a . 1e999))", NotJsonError),
        ("((a . " + "1" * 5000 + "))", NotJsonError),
        ("(" * 30 + "(a . 1)" + ")" * 30, TooDeepError),
        (b'((a . "\xff"))', BadEncodingError),
    ],
)
def test_what_is_no_value(text, error):
    with pytest.raises(error):
        decode(text)


def test_names_that_would_grow_without_end_are_refused():
    text = "[#0=[1 2 3 4 5 6 7 8] " + " ".join(f"#{n}=[#{n - 1}# #{n - 1}# #{n - 1}# #{n - 1}#]" for n in range(1, 40)) + "]"

    with pytest.raises(NotJsonError, match="too large"):
        decode(text)


def test_a_name_outlives_its_element_and_the_list_that_goes_on():
    lisp = Lisp()
    lisp.decode(b'((a . #1="x\n)") (b . #2=((c . #3=[#1#]))))', 9)
    again = Lisp(lisp.opening)

    assert again.opening == lisp.opening
    assert again.decode(b"((d #1# #2# #3#))", 9) == {"d": ["x\n)", {"c": ["x\n)"]}, ["x\n)"]]}


@pytest.mark.parametrize(
    ("elements", "then", "is_then"),
    [
        (("((:a . #1=x))", "((:a . #1=(#1#)))"), "((:b . #1#))", {":b": ["x"]}),
        (("((:a . #1=x) (:b . #2=(#1#)))", "((:a . #1=y))"), "((:b . #2#) (:c . #1#))", {":b": ["x"], ":c": "y"}),
        (("((:a . #1=x))", "((:a . #1=y))", "((:a . #1=x))"), "((:b . #1#))", {":b": "x"}),
        (('((:a . #1="nil"))', "((:a . #1=nil))"), "((:b . #1#))", {":b": None}),
    ],
)
def test_a_name_that_is_given_again_means_what_it_meant_where_it_stood(elements, then, is_then):
    lisp = Lisp()
    for element in elements:
        lisp.decode(element.encode(), 9)

    assert Lisp(lisp.opening).decode(then.encode(), 9) == lisp.decode(then.encode(), 9) == is_then


def test_a_name_that_is_given_again_to_the_same_is_kept_once():
    lisp = Lisp()
    for _ in range(3):
        lisp.decode(b'((:a . #1="2.0"))', 9)

    assert lisp.opening == b'(#1="2.0"'


@pytest.mark.parametrize("opening", [b"(x", b"(#1=", b"(#1=) (", b"(#1=#2#", b"((", b"(0"])
def test_what_no_list_left_is_refused(opening):
    with pytest.raises(NotJsonError):
        Lisp(opening)


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (b"(", True),
        (b"( ", True),
        (b"((\r", True),
        (b"(((", True),
        (b"(((:direction . incoming)", True),
        (b"( ( (:a", True),
        (b" (", False),
        (b"((((", False),
        (b"(a", False),
        (b"(((a", False),
        (b"()", False),
        (b"((a))", False),
        (b"(warning) x", False),
        (b"", False),
    ],
)
def test_which_lines_begin_a_list(line, begins):
    assert (OPENING.match(line) is not None) is begins


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"((:a . 1)) ((:b)) )", [("VALUE", 10), ("VALUE", 17), ("END", 19)]),
        (b"", [("MORE", 0)]),
        (b'((:a . "x', [("MORE", 9)]),
        (b'((:a . ")) ', [("MORE", 11)]),
        (b"((:a . [1)) ", [("BROKEN", 9)]),
        (b"()", [("BROKEN", 1)]),
        (b"x", [("BROKEN", 0)]),
        (b"(x", [("BROKEN", 1)]),
        (b"((x", [("BROKEN", 2)]),
        (b"((:a)", [("MORE", 5)]),
        (b"]", [("BROKEN", 0)]),
        (b'((:a . "x"y))', [("BROKEN", 6)]),
        (b'((:a . {"x":1}))', [("BROKEN", 6)]),
        (b"((:a . #1=2)) #1#", [("VALUE", 13), ("BROKEN", 13)]),
        (b" ; ((\n", [("MORE", 6)]),
    ],
)
def test_where_it_ends_or_breaks(text, found):
    assert follow(text) == found


PIECES = ["(", ")", "[", "]", " ", "\n", ".", '"', "\\", ";", "#1=", "#1#", "#(", ":a", "b", "nil", "1", "1.5", '"s"', "((:a . 1))", "{", "é", "'", "`", ",", "?"]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_nothing_raises_but_what_says_why(text):
    syntax, data = Lisp(), text.encode()
    position, found = 0, Found.VALUE
    while found is Found.VALUE:
        start = position
        found, position = syntax.advance(data, position)
        if found is Found.VALUE:
            with suppress(NotJsonError):
                syntax.decode(data[start:position], 10)
            assert Lisp(syntax.opening).opening == syntax.opening


texts = st.text(st.characters(exclude_categories=("Cs",)))
keys = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(keys, inner, min_size=1),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([":a", "b", "session/update"]), values, min_size=1))
def test_what_emacs_prints_is_read_as_it_was(value):
    found = decode("(" + " ".join(f"({key} . {lisp(item)})" for key, item in value.items()) + ")", depth=100)

    assert found == value
