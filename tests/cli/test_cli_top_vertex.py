"""`dpselect graph top-vertex`: answers, JSON, refusals."""

from __future__ import annotations

import gzip
import json

import pytest

CONTRACT = {
    "status", "candidate", "candidates", "method", "theorem", "epsilon", "delta", "epsilon_selection", "unit", "m",
    "scale", "scales", "temperature", "regret_bound", "flip_bound", "sampler", "seeded", "assumptions", "version",
}  # fmt: skip
EXACT = {
    "epsilon_exact", "delta_exact", "epsilon_selection_exact", "scale_exact", "scales_exact", "temperature_exact",
}  # fmt: skip
METHODS = [
    "global-scale", "private-bound", "certificate-search", "private-smooth",
    "ladder", "log-transform", "direct-smooth", "inverse-sensitivity",
]  # fmt: skip

SECRET = "carol-4711"


def top_vertex(run, *arguments):
    return run("graph", "top-vertex", *arguments)


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_json_has_the_keys_of_the_contract(run, edges, method, sampler):
    ran = top_vertex(run, edges, "--method", method, "--sampler", sampler, "--epsilon", "5", "--json")
    assert ran.code == 0
    assert ran.err == ""
    content = json.loads(ran.out)
    assert set(content) == CONTRACT | EXACT | {"private", "notes", "question"}
    assert content["status"] == "released"
    assert content["candidates"] == [content["candidate"]]
    assert isinstance(content["candidate"], str)
    assert content["m"] == 40
    assert content["sampler"] == sampler
    assert (content["epsilon"], content["epsilon_exact"]) == (5.0, "5")
    assert content["seeded"] is False
    assert content["private"] is True
    if content["regret_bound"] is not None:
        assert {"rho", "gap"} <= set(content["regret_bound"])
        assert content["regret_bound"]["rho"] == 0.05
    if content["flip_bound"] is not None:
        assert {"rho", "flips"} <= set(content["flip_bound"])
    assert (content["regret_bound"] is not None) == (method in METHODS[:4])
    assert (content["flip_bound"] is not None) == (method in ("auto", "inverse-sensitivity"))


def test_epsilon_is_read_as_the_decimal_it_is_written_as(run, edges):
    content = json.loads(top_vertex(run, edges, "--epsilon", "0.1", "--delta", "1e-6", "--json").out)
    assert content["epsilon_exact"] == "1/10"


def test_a_clear_winner_is_named(run, edges):
    """The clique is 406 triangles ahead; at ε = 50 anything else has a probability below e^-100."""
    content = json.loads(top_vertex(run, edges, "--method", "ladder", "--epsilon", "200", "--json").out)
    assert content["candidate"].startswith("a")


def test_top_names_several_in_order(run, edges):
    content = json.loads(top_vertex(run, edges, "--top", "3", "--json").out)
    assert content["candidate"] == content["candidates"][0]
    assert len(set(content["candidates"])) == 3
    shown = top_vertex(run, edges, "--top", "3", "--method", "private-bound").out
    assert "the score of each is within" in shown


def test_text_says_what_the_release_says(run, edges):
    shown = " ".join(top_vertex(run, edges, "--method", "private-bound", "--rho", "0.1").out.split())
    assert "Answer" in shown
    assert "ε = 1, δ = 1e-6. Between two datasets that differ by 1 edge added or removed" in shown
    assert "Scale" in shown
    assert "With probability at least 90 %, its score is within" in shown
    assert "the vertex ids read from the edges are declared public" in shown


def test_flip_sentence(run, edges):
    shown = " ".join(top_vertex(run, edges, "--method", "inverse-sensitivity").out.split())
    assert "With probability at least 95 %, the flip distance certified for it is at most" in shown


def test_more_edges_can_be_protected(run, edges):
    content = json.loads(top_vertex(run, edges, "--protect-edges", "3", "--json").out)
    assert content["unit"] == "up to 3 edges added or removed"


def test_a_scale_can_be_tested(run, edges):
    """40 vertices: no edge is in more than 38 triangles, so 38 needs no test; in a clique 1 is far too small."""
    fixed = ["--method", "fixed-scale-test", "--scale-to-test"]
    passed = json.loads(top_vertex(run, edges, *fixed, "38", "--json").out)
    assert (passed["status"], passed["scale_exact"]) == ("released", "38")
    failed = top_vertex(run, edges, *fixed, "1", "--delta", "1e-12", "--sampler", "gibbs", "--json")
    assert failed.code == 3  # passes with probability 1e-12 at most
    content = json.loads(failed.out)
    assert (content["status"], content["candidate"], content["sampler"]) == ("not-released", None, "gibbs")


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "x"])
def test_a_scale_to_test_out_of_range(run, tmp_path, scale):
    ran = top_vertex(run, tmp_path / "none.txt", "--method", "fixed-scale-test", "--scale-to-test", scale)
    assert ran.code == 2
    assert "scale-to-test" in ran.err


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_seed_is_loud_and_repeatable(run, edges, as_json):
    first, second = (top_vertex(run, edges, "--seed", "7", *as_json) for _ in range(2))
    assert first == second
    assert first.code == 0
    assert "NOT PRIVATE" in first.err
    if as_json:
        content = json.loads(first.out)
        assert content["seeded"] is True
        assert content["private"] is False
    else:
        assert first.out.startswith("Warning")


def test_without_a_seed_nothing_is_said_about_one(run, edges):
    ran = top_vertex(run, edges)
    assert "NOT PRIVATE" not in ran.out + ran.err


# --- the declared vertex set ---------------------------------------------------------------------------------------


@pytest.fixture
def declared(tmp_path):
    """Public ids: the clique, without the path, and someone without any edge."""
    file = tmp_path / "vertices.txt"
    file.write_text("".join(f"a{i}\n" for i in range(30)) + "loner\n", encoding="utf-8")
    return file


def test_unknown_vertices_are_refused_without_naming_them(run, edges, declared):
    ran = top_vertex(run, edges, "--vertices", declared)
    assert ran.code == 2
    assert ran.out == ""
    assert "p0" not in ran.err
    assert ran == top_vertex(run, edges, "--vertices", declared, "--unknown", "refuse")


def test_unknown_vertices_can_be_dropped(run, edges, declared):
    content = json.loads(top_vertex(run, edges, "--vertices", declared, "--unknown", "drop", "--json").out)
    assert content["m"] == 31
    assert not any("read from the edges" in text for text in content["assumptions"])


@pytest.mark.parametrize("policy", ["refuse", "drop"])
def test_a_policy_needs_a_vertex_file(run, edges, policy):
    ran = top_vertex(run, edges, "--unknown", policy)
    assert ran.code == 2
    assert "--vertices" in ran.err


def test_a_missing_vertex_file(run, edges, tmp_path):
    ran = top_vertex(run, edges, "--vertices", tmp_path / "none.txt")
    assert (ran.code, ran.out) == (2, "")
    assert "vertices: no such file" in ran.err


# --- bad parameters, before anything is read -----------------------------------------------------------------------

BAD = [
    ("--epsilon", "0"), ("--epsilon", "-1"), ("--epsilon", "nan"), ("--epsilon", "inf"), ("--epsilon", "one"),
    ("--epsilon", ""), ("--epsilon", "True"), ("--epsilon", "1/0"), ("--delta", "-1e-6"), ("--delta", "1"),
    ("--delta", "nan"), ("--delta", "1e-x"), ("--rho", "0"), ("--rho", "1"), ("--rho", "nan"), ("--top", "0"),
    ("--top", "two"), ("--seed", "-1"), ("--seed", "x"), ("--protect-edges", "0"), ("--protect-edges", "1.5"),
    ("--method", "privat-bound"), ("--method", ""), ("--sampler", "gibs"), ("--motif", "trianle"),
    ("--unknown", "keep"), ("--scale-to-test", "10"), ("--method", "fixed-scale-test"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "value"), BAD)
def test_bad_parameters_are_refused_by_name_before_the_file_is_opened(run, tmp_path, option, value):
    """There is no file: an error about the file would show that it was looked for first."""
    ran = top_vertex(run, tmp_path / "none.txt", option, value)
    assert ran.code == 2
    assert ran.out == ""
    assert option.removeprefix("--").split("-")[0] in ran.err
    assert "no such file" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("option", "value", "suggestion"),
    [("--method", "privat-bound", "private-bound"), ("--sampler", "gibs", "gibbs"), ("--motif", "trianle", "triangle")],
)
def test_typos_get_a_suggestion(run, tmp_path, option, value, suggestion):
    assert suggestion in top_vertex(run, tmp_path / "none.txt", option, value).err


# --- files that are no edge lists ----------------------------------------------------------------------------------


def _one_line(ran):
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("dpselect: ")
    assert SECRET not in ran.err
    return ran.err


def test_missing_file(run, tmp_path):
    assert "no such file" in _one_line(top_vertex(run, tmp_path / "none.txt"))


def test_directory(run, tmp_path):
    assert "directory" in _one_line(top_vertex(run, tmp_path))


@pytest.mark.parametrize("content", [b"\x00\x01\x02\xff" * 50, b"\x7fELF\x00", b"\x89PNG\r\n\x1a\n\x00\x00"])
def test_binary(run, tmp_path, content):
    file = tmp_path / "x.bin"
    file.write_bytes(content)
    assert "binary" in _one_line(top_vertex(run, file))


def test_damaged_gzip(run, tmp_path):
    file = tmp_path / "x.gz"
    file.write_bytes(gzip.compress(f"{SECRET} b\n".encode() * 1000)[:-20])
    assert "gzip" in _one_line(top_vertex(run, file))


def test_gzip_is_read(run, edges, tmp_path):
    file = tmp_path / "edges.txt.gz"
    file.write_bytes(gzip.compress(edges.read_bytes()))
    assert top_vertex(run, file).code == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a b\n# fine\n\nb c\n{SECRET}\n", 5),
        (f"a b\nb {SECRET} c\n", 2),
        (f"{SECRET}\n", 1),
        (f"a,b\nb,\n{SECRET},c\n", 2),
        (f"1 2\n2 3\n3 {SECRET} 4\n", 3),
    ],
)
def test_ragged_lines_are_named_by_number_never_by_content(run, tmp_path, text, line):
    file = tmp_path / "ragged.txt"
    file.write_text(text, encoding="utf-8")
    message = _one_line(top_vertex(run, file))
    assert f"line {line}:" in message
    assert "expected" in message


def test_not_utf8(run, tmp_path):
    file = tmp_path / "latin.txt"
    file.write_bytes("a b\nb Zo\xeb\n".encode("latin-1"))
    assert "line 2: expected UTF-8" in _one_line(top_vertex(run, file))


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "\n\n"])
def test_empty_file(run, tmp_path, text):
    file = tmp_path / "empty.txt"
    file.write_text(text, encoding="utf-8")
    _one_line(top_vertex(run, file))


def test_more_answers_than_vertices(run, edges):
    assert "top must be at most" in _one_line(top_vertex(run, edges, "--top", "41"))


def test_a_method_that_needs_delta_says_so(run, edges):
    message = _one_line(top_vertex(run, edges, "--delta", "0", "--method", "private-bound"))
    assert "delta must be positive" in message
