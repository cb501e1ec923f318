"""`acp-state redact`: nothing private is left, and the fold has the same shape (SPEC 8)."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys

from pathlib import Path

import pytest

from hypothesis import example, given
from hypothesis import strategies as st

from acp_state import dumps, fold
from acp_state.dialects.acp_state_ import write
from acp_state.folding import Fold, items_of
from acp_state.frames import Frame
from acp_state.reading import Reader, blocks
from acp_state.redact import redact, redact_document
from acp_state.redact.texts import LONGEST_NAME, blob, mask, mask_apart, mask_base64, mask_bytes, name, number
from acp_state.redact.words import MEMBERS, METHODS, NUMBERS, WORDED, WORDS
from acp_state.schema import document_schema

from strategies import as_json_has_it, conversations, json_values
from support import official
from support.effort import many, ran
from support.recordings import DIALECTS, frames_of, recording
from support.transcripts import text, v1, v2


SALT = b"grain"
GOLDEN = Path(__file__).parents[2] / "golden"
TRANSCRIPTS = sorted(
    path for path in GOLDEN.iterdir() if path.is_file() and not path.name.endswith((".state.json", ".diagnostics.json", ".md"))
)


# --- the law: the fold of the redacted is the redacted fold ----------------------------------------------


def plain(value):
    """A document with all letters in texts and output the same (see `redact_document`)."""
    if isinstance(value, dict):
        flows = {"output": mask, "base64": lambda data: mask_base64(data, SALT)} | ({"text": mask} if value.get("type") == "text" else {})
        return {key: flows[key](item) if key in flows and isinstance(item, str) else plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def document_of(state):
    """The state document as JSON has it, without `wire`."""
    document = json.loads(dumps(state))
    document.pop("wire", None)
    return document


def printed(document):
    return json.dumps(plain(document), indent=1)


def assert_keeps_the_law(source, *, partial=False):
    whole, shown = fold(source), Fold()
    for frame in redact(source, SALT):
        if frame is not None:
            shown.take(frame)
    assert printed(document_of(shown.folded())) == printed(redact_document(document_of(whole), SALT))
    if not partial:  # the copy says senders; a frame with wildcards is excused from what it lacks, and our format has none
        codes = [
            (finding.code, finding.count)
            for finding in whole.diagnostics
            if finding.frame is not None and finding.code not in ("invalid-message", "ambiguous-sender")
        ]
        assert [(finding.code, finding.count) for finding in shown.folded().diagnostics] == codes


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_of_goldens(path):
    assert_keeps_the_law(path, partial=b"<any>" in path.read_bytes())


@many(3)
@given(conversations())
def test_of_conversations(conversation):
    ran("conversations")
    assert_keeps_the_law(frames_of(conversation))


@given(
    conversations(),
    st.sampled_from([dialect for dialect in DIALECTS if dialect not in ("replay", "snapshot", "sdk-calls", "zed", "conductor")]),
)
def test_of_recordings_in_other_formats(conversation, dialect):
    ran("conversations")
    assert_keeps_the_law(recording(conversation, dialect), partial=True)


def data_of(talk):
    """A transcript as a recording."""
    return b"".join(line.rstrip(b"\n") + b"\n" for line in talk.lines())


units = st.sampled_from(("a", "b", " ", "\n", "é", "中", "\ud7ff", "😀", "😁", "\ud83d", "\ude00"))
pieces = st.lists(units, min_size=1, max_size=3).map("".join).map(as_json_has_it)


@st.composite
def echoes(draw):
    """Prompts of version 1, some at the same time, and chunks that repeat them or do not."""
    talk = v1()
    prompts = []
    for _ in range(draw(st.integers(1, 6))):
        match draw(st.integers(0, 4)):
            case 0 | 1:
                words = [draw(pieces) for _ in range(draw(st.integers(1, 2)))]
                prompts.append(words)
                talk.prompt(len(prompts), [text(word) for word in words])
            case 2 if prompts:
                talk.agent_says("x")
            case _ if prompts:
                said = as_json_has_it("".join(draw(st.sampled_from(prompts))) + draw(st.sampled_from(("", "", "a"))))
                cuts = sorted(draw(st.lists(st.integers(0, len(said)), max_size=2)))
                more = draw(st.sampled_from(({}, {"messageId": "m"}, {"messageId": "n"})))
                for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True):
                    talk.update("user_message_chunk", content=text(said[start:end] or draw(pieces)), **more)
    return talk


@many(4)
@given(echoes())
def test_of_echoes_cut_anywhere(talk):
    ran("conversations")
    assert_keeps_the_law(data_of(talk))


@many(4)
@given(st.data())
def test_of_terminals_cut_anywhere(data):
    ran("conversations")
    output = (
        st.binary(max_size=6)
        | pieces.map(lambda piece: piece.encode("utf-8", "surrogatepass"))
        | st.sampled_from((b"\xe4", b"\xb8", b"\xad", b"\xed\xa0"))
    )
    talk = v2()
    for whole in data.draw(st.lists(st.tuples(output, st.integers(0, 6), st.booleans()), max_size=5)):
        said, cut, snapshot = whole
        if snapshot:
            talk.update("terminal_update", terminalId="t", output={"data": base64.b64encode(said).decode()})
        else:
            for part in (said[:cut], said[cut:]):
                talk.update("terminal_output_chunk", terminalId="t", data=base64.b64encode(part).decode())
    assert_keeps_the_law(data_of(talk))


outputs = st.sampled_from(("a", "b", "ab", "bb", "aab", "abb\n", "bbb\n", "\ud83d", "\ude00", "\N{GRINNING FACE}a"))


@many(4)
@given(st.lists(st.tuples(st.sampled_from(("terminal_output", "terminal_output_delta")), outputs, st.booleans()), max_size=6))
@example([("terminal_output", "a", False), ("terminal_output", "bb", False)])
@example([("terminal_output", "a", False), ("terminal_output", "bb", False), ("terminal_output", "a", True)])
def test_of_display_terminals_that_repeat_themselves(outputs):
    ran("conversations")
    talk = v1()
    talk.prompt(1, "go")
    talk.update("tool_call", toolCallId="c", title="t")
    shown = ""
    for key, data, again in outputs:
        shown = as_json_has_it(shown + data)
        meta = {key: {"terminal_id": "t", "data": shown if again else data}}
        talk.update("tool_call_update", toolCallId="c", _meta=meta)
    assert_keeps_the_law(data_of(talk))


@pytest.mark.parametrize("talk", [v1, v2])
def test_senders_are_said_where_the_recording_does_not(talk):
    session = talk().prompt(1, "hello").agent_says("hi").tool_call("t1").permission(1, "t1").selects(1).ends(1)
    said = [json.loads(line)["from"] for line in session.lines("acp-state")[1:]]
    bare = b"\n".join(session.lines("jsonrpc"))
    assert [frame.sender for frame in items_of(bare, Reader())] == [None] * len(said)
    assert [frame.sender for frame in redact(bare, SALT)] == said


# --- nothing private is left -----------------------------------------------------------------------------


def copy_of(source):
    """The redacted recording, as it is written."""
    return b"".join(
        json.dumps(write(frame), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        for frame in redact(source, SALT)
        if frame is not None
    )


def strings_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)


SIGNS = "x\u00d7\u2717\ud4cd\U0001d4cd\ud835\udccd"
"""What stands for a character, by its size in UTF-8; the last two for halves."""

NAME = re.compile(rf"x-[0-9a-f]{{12}}[{SIGNS}\s]*")
MASK = re.compile("[" + "".join(f"{sign}-{chr(ord(sign) + 25)}" for sign in SIGNS[1:]) + r"a-z\s]*")
BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def assert_is_public(source, private):
    """Each string of the copy is one of the protocol's, a name, a mask, or base64; none is *private*."""
    copy = copy_of(source)
    for line in copy.splitlines():
        for string in strings_of(json.loads(line)):
            ours = (
                string in MEMBERS or string in WORDS or string in ("", "2.0", "t", "from", "message", "params", "result", "error", "client")
            )
            assert ours or NAME.fullmatch(string) or MASK.fullmatch(string) or BASE64.fullmatch(string), string
    for secret in private:
        assert secret not in copy.decode("utf-8", "surrogatepass")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_no_word_of_a_golden_is_left(path):
    data = b"".join(block for block in blocks(path) if isinstance(block, bytes))
    words = set(re.findall(r"\w{5,}", data.decode("utf-8", "replace")))
    kept = {part for word in (*MEMBERS, *WORDS) for part in re.findall(r"\w+", word)} | {"jsonrpc", "message", "result", "params", "false"}
    private = {word for word in words - kept if not re.fullmatch(r"[0-9a-fx]+|\d+", word)}
    copy = copy_of(path).decode("utf-8", "surrogatepass")
    assert private & set(re.findall(r"\w{5,}", copy)) == set()


@given(conversations())
def test_no_string_of_a_conversation_is_left(conversation):
    ran("conversations")
    assert_is_public(frames_of(conversation), ())


def test_secrets_are_not_left_wherever_they_stand():
    secret = "hunter2-SECRET"  # noqa: S105 -- it is what must not be left
    talk = v1()
    talk.prompt(1, [text(f"my password is {secret}"), {"type": "resource", "resource": {"uri": f"file:///{secret}", "text": secret * 9}}])
    for character in f"it is {secret}":
        talk.update("agent_message_chunk", content=text(character))
    talk.update(
        "tool_call",
        toolCallId=f"{secret}@example.org",
        title=secret,
        kind=secret,
        status=secret,
        rawInput={secret: {"env": {secret: secret}, "type": secret}, "command": [secret], "pin": 4711, "size": 4711},
        content=[{"type": "diff", "path": secret, "oldText": secret, "newText": secret * 10}, {"type": secret, secret: [secret]}],
        locations=[{"path": secret, "line": 3}],
        _meta={secret: secret, "terminal_output": {"terminal_id": secret, "data": secret}},
    )
    talk.update(secret, **{secret: secret})
    talk.update("plan", entries=[{"content": secret, "priority": "high", "status": secret}])
    lines = [*talk.lines(), b'{"t":1,"from":"agent","raw":"' + secret.encode() + b'"}\n', secret.encode() + b"\n"]
    lines.append(
        json.dumps(
            {"t": 1, "from": "agent", "message": {"jsonrpc": "2.0", "id": secret, "method": f"_{secret}", "params": [secret, 4711]}}
        ).encode()
    )
    lines.append(
        json.dumps(
            {"t": 1, "from": "agent", "message": {"jsonrpc": "2.0", "id": 2, "error": {"code": 4, "message": secret, "data": 4711}}}
        ).encode()
    )
    source = b"\n".join(line.rstrip(b"\n") for line in lines)

    assert_is_public(source, ("hunter2", "SECRET", "4711", "example"))
    assert copy_of(source).count(name(secret, SALT).encode()) > 20


def test_what_the_user_fills_in_fits_the_form_as_before():
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Your name"},
            "my colour": {"type": "string", "enum": ["type", "blue"], "default": "blue"},
            "sizes": {"type": "array", "items": {"anyOf": [{"const": "S", "title": "small"}, {"const": 7, "title": "seven"}]}},
        },
        "required": ["my colour", "name"],
    }
    fitting = {"name": "type", "my colour": "type", "sizes": ["S", 7]}
    for content, mismatches in ((fitting, 0), ({**fitting, "my colour": "S", "more": 1}, 2)):
        talk = v2()
        talk.agent_asks_session(50, "elicitation/create", mode="form", message="Who?", requestedSchema=schema)
        talk.replies(50, content=content)
        assert_keeps_the_law(data_of(talk))
        assert sum(finding.count for finding in fold(data_of(talk)).diagnostics) == mismatches
        assert b"colour" not in copy_of(data_of(talk))


# --- what is kept ----------------------------------------------------------------------------------------


def test_all_names_of_the_document_are_kept():
    assert set(names_of(document_schema())) - MEMBERS - {"format", "wire"} == set()


def names_of(schema):
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for item in schema.values():
            yield from names_of(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from names_of(item)


@official.each_schema("schema")
def test_all_names_words_and_numbers_of_the_protocol_are_kept(schema):
    assert set(names_of(schema.defs)) - MEMBERS == set()
    for holder in objects_of(schema.defs):
        for member, inner in holder.items():
            words, kinds = told_of(inner, schema.defs)
            if words:
                assert member in WORDED or member == "jsonrpc" or member in ("supported", "audience"), member
                assert words - WORDS - {"2.0", "anthropic", "azure", "bedrock", "openai", "vertex"} == set()
            if kinds & {"integer", "number"} and member not in ("default", "requested"):  # which may be anything, or are data of an error
                assert member in NUMBERS, member
    assert {method for method, _, _ in schema.methods.values()} - METHODS - {"$/cancel_request"} == set()


def objects_of(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema["properties"]
        for item in schema.values():
            yield from objects_of(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from objects_of(item)


def told_of(schema, defs, depth=0):
    """The words and the types that a member may have."""
    schema = official.resolved(schema, defs)
    if not isinstance(schema, dict) or depth > 4:
        return set(), set()
    words = {word for word in [schema.get("const"), *schema.get("enum", ())] if isinstance(word, str)}
    kinds = set(schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")])
    for part in [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]:
        more, others = told_of(part, defs, depth + 1)
        words, kinds = words | more, kinds | others
    return words, kinds


def test_usage_costs_times_and_errors_are_kept():
    talk = v1()
    talk.prompt(1, "go")
    talk.update("usage_update", used=7, size=100, cost={"amount": 0.25, "currency": "EUR"})
    copy = copy_of(data_of(talk))
    (session,) = fold(copy).snapshot.sessions.values()
    assert (session.usage.used, session.usage.size, session.usage.cost.amount, session.usage.cost.currency) == (7, 100, 0.25, "EUR")
    timed = b'{"t":1.5,"from":"agent","message":{"jsonrpc":"2.0","method":"_x"}}\n'
    assert [frame.time for frame in redact(timed, SALT)] == [1.5]


# --- texts -----------------------------------------------------------------------------------------------

any_text = st.text(st.characters(codec=None), max_size=60).map(as_json_has_it) | st.lists(units, max_size=8).map("".join).map(
    as_json_has_it
)


@given(any_text, any_text)
def test_names_differ_where_texts_do(one, other):
    assert (name(one, SALT) == name(other, SALT)) == (one == other)
    assert name(one, SALT) != name(one, b"other")
    assert len(name(one, SALT)) == (len(one) if len(one) > LONGEST_NAME else 14)


@given(any_text, any_text)
def test_a_mask_is_the_masks_of_the_pieces(one, other):
    assert as_json_has_it(mask(one) + mask(other)) == mask(as_json_has_it(one + other))


@given(any_text)
def test_a_mask_keeps_sizes_and_blanks_and_nothing_else(one):
    masked = mask(one)
    assert len(masked) == len(one)
    assert len(masked.encode("utf-8", "surrogatepass")) == len(one.encode("utf-8", "surrogatepass"))
    assert [char for char in masked if char in " \t\r\n"] == [char for char in one if char in " \t\r\n"]
    assert set(masked) <= set(" \t\r\n" + SIGNS)
    assert mask(masked) == masked


@given(st.lists(st.lists(units, max_size=5).map("".join).map(as_json_has_it), max_size=5), st.integers(0, 5))
def test_masks_begin_with_each_other_where_texts_do(texts, cut):
    known = []
    for one in texts:
        before, rest = one[:cut], one[cut:]
        start = mask_apart(before, known)
        masked = as_json_has_it(start + mask_apart(rest, known, before))
        for other, shown in known:
            assert one.startswith(other) == masked.startswith(shown)
            assert other.startswith(one) == shown.startswith(masked)
        assert mask(masked) == mask(one)
        known.append((one, masked))


def is_text(data):
    try:
        return data.decode() is not None
    except UnicodeDecodeError:
        return False


@given(st.lists(st.binary(max_size=5) | units.map(lambda unit: unit.encode("utf-8", "surrogatepass")), max_size=4))
def test_masked_bytes_are_text_where_the_bytes_are(parts):
    before = shown = b""
    for part in parts:
        shown += mask_bytes(part, before)
        before += part
        assert shown == mask_bytes(before)
        assert is_text(shown) == is_text(before)
        if is_text(before):
            assert shown.decode() == mask(before.decode())


@given(json_values.filter(lambda value: type(value) in (int, float)), json_values.filter(lambda value: type(value) in (int, float)))
def test_numbers_are_equal_where_they_were(one, other):
    assert (number(one, SALT) == number(other, SALT)) == (one == other)
    assert type(number(one, SALT)) is type(one)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_blobs_stay_base64_and_differ_where_they_did(one, other):
    first, second = (blob(base64.b64encode(data).decode(), SALT) for data in (one, other))
    assert (first == second) == (one == other)
    assert len(base64.b64decode(first, validate=True)) == (max(len(one), 12) if one else 0)


@pytest.mark.parametrize("text", ["no base64!", "é", "QQ", "x" * 50 + "!"])
def test_what_is_no_base64_is_none_after_either(text):
    for made in (blob(text, SALT), mask_base64(text, SALT)):
        assert made == name(text, SALT)
        with pytest.raises(ValueError, match=r"."):
            base64.b64decode(made, validate=True)


# --- our own format --------------------------------------------------------------------------------------


@given(conversations())
def test_a_frame_is_read_as_it_was_written(conversation):
    frames = [frame for frame in frames_of(conversation) if frame.kind != "invalid"]
    again = list(items_of([write(frame) for frame in frames], Reader("acp-state")))
    assert [Frame(frame.sender, frame.kind, frame.id, frame.method, frame.payload) for frame in again] == frames


# --- the command -----------------------------------------------------------------------------------------


def run(*arguments, said=b""):
    return subprocess.run([sys.executable, "-m", "acp_state", *map(str, arguments)], check=False, capture_output=True, input=said)


def test_the_command_writes_a_copy_that_folds(tmp_path):
    source, copy = GOLDEN / "v2-refactoring.ndjson", tmp_path / "copy.ndjson.gz"
    done = run("redact", source, "-o", copy, "--salt", "a")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert fold(copy).tally.read == fold(source).tally.read
    again = run("redact", "-", "--salt", "a", said=source.read_bytes())
    assert again.stdout == gzip.decompress(copy.read_bytes())
    assert run("redact", source, "--salt", "b").stdout != again.stdout
    assert run("redact", source).stdout != run("redact", source).stdout


def test_the_command_says_what_it_left_out():
    done = run("redact", "-", said=b'{"jsonrpc":"2.0","id":1,"method":"session/list"}\nhunter2\n{"jsonrpc":"2.0"}\n')
    assert (done.returncode, done.stderr) == (0, b"acp-state: standard input: left out what is no message: 2\n")
    assert len(done.stdout.splitlines()) == 2


def test_what_cannot_be_done_is_said_in_one_line(tmp_path):
    other = tmp_path / "a.ndjson"
    other.write_bytes((GOLDEN / "updates.jsonl").read_bytes())
    for arguments, message in (
        (("no-such-file", "-o", tmp_path / "b"), "no-such-file: No such file or directory"),
        ((other, "-o", other), f"{other}: is the recording itself"),
        ((other, "-o", tmp_path / "c" / "d"), f"{tmp_path}/c/d: there is no directory {tmp_path}/c"),
        ((other, "--dialect", "klingon", "-o", tmp_path / "b"), "no dialect is called 'klingon'; there are "),
        ((GOLDEN / "README.md", "-o", tmp_path / "b"), f"{GOLDEN}/README.md: no frame of ACP traffic in it"),
    ):
        done = run("redact", *arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().splitlines()[-1].startswith(f"acp-state: {message}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.ndjson"]


def test_the_help_says_what_stays():
    told = run("redact", "--help").stdout.decode()
    assert "What stays" in told
    assert "What can be told from the copy" in told
