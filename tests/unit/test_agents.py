"""An assistant's view of Pincite: the SDK's own client, in the process and over stdio."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from jsonschema import Draft202012Validator

mcp = pytest.importorskip("mcp", reason="needs pip install 'pincite[mcp]'")

from mcp import Client, StdioServerParameters  # noqa: E402 - an extra
from mcp.client.stdio import stdio_client  # noqa: E402

from pincite.agents import MAX_ENTRIES, Assistant, server_for  # noqa: E402
from pincite.model.problems import InputError  # noqa: E402
from zotero_library import ZoteroLibrary  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"

#: What an author of the example might write, and what they would cite.
SENTENCES = {
    "A sentence vector from a siamese network makes similar sentences lie close together.": "reimers2019sbert",
    "Readers annotated which function each citation has in its article.": "teufel2006function",
    "The grid of entities shows which texts are coherent.": "barzilay2008coherence",
    "The probabilistic framework behind BM25 explains its term weights.": "robertson2009bm25",
    "Words that occur in few documents are specific, and shall weigh more.": "sparckjones1972idf",
}


@asynccontextmanager
async def client_of(folder, **given):
    async with Client(server_for(Assistant([folder], **given))) as client:
        yield client


async def called(client, tool, **arguments):
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refused(client, tool, **arguments):
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    return answer.content[0].text


def written(folder, text, bib):
    folder.mkdir(exist_ok=True)
    (folder / "refs.bib").write_text(bib)
    (folder / "paper.tex").write_text(
        f"\\documentclass{{article}}\\begin{{document}}\n{text}\n\\bibliography{{refs}}\n\\end{{document}}\n"
    )
    return folder


BIB = """@article{lamport1978, author={Lamport, Leslie}, title={Time and clocks in a distributed system}, year=1978}
@article{gray1981, author={Gray, Jim}, title={The transaction concept}, year=1981}
"""


async def test_five_sentences_of_the_example_get_the_right_keys():
    async with client_of(EXAMPLES) as client:
        for sentence, key in SENTENCES.items():
            found = await called(
                client, "suggest_citations", draft="survey.tex", text=sentence, top=3
            )
            first = found["suggestions"][0]
            assert (first["key"], found["sentence"]) == (key, sentence)
            if key == "barzilay2008coherence":
                assert first["authors_and_year"] == "Barzilay and Lapata 2008"
                assert "entities" in first["sentences"][0]["text"]
                assert first["sentences"][0]["strength"] in ("strong", "partial")


async def test_the_place_is_the_gap_in_a_text_or_a_line_of_the_draft(tmp_path):
    folder = written(tmp_path, "Clocks order events.\n\nTransactions are atomic.", BIB)
    async with client_of(folder) as client:
        text = "Time in a distributed system has no clocks \\cite{}, while a transaction concept exists."
        found = await called(client, "suggest_citations", text=text)
        assert found["suggestions"][0]["key"] == "lamport1978"
        of_line = await called(client, "suggest_citations", line=4, column=25)
        assert of_line["sentence"] == "Transactions are atomic."
        assert "give a text" in await refused(client, "suggest_citations")


async def test_a_text_is_read_in_the_draft_and_written_nowhere(tmp_path):
    folder = written(tmp_path, "Clocks order events.", BIB)
    before = (folder / "paper.tex").read_bytes()
    async with client_of(folder) as client:
        await called(
            client, "suggest_citations", text="A transaction is a concept of \\emph{databases}."
        )
        await called(client, "find_evidence", key="gray1981", text="A transaction is a concept.")
    assert (folder / "paper.tex").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["paper.tex", "refs.bib"]


async def test_evidence_and_its_verdict():
    async with client_of(EXAMPLES) as client:
        place = {"draft": "survey.tex", "file": "survey.tex", "line": 98, "column": 61}
        found = await called(client, "find_evidence", key="barzilay2008coherence", **place)
        assert found["verdict"].startswith("supported")
        assert found["sentences"][0]["where"]
        found = await called(client, "find_evidence", key="swales1990genre", **place)
        assert found["verdict"].startswith("not checked")
        assert not found["sentences"]


async def test_a_draft_is_checked(tmp_path):
    folder = written(tmp_path, "Clocks order events \\cite{lamport1987}. Also \\cite{}.", BIB)
    async with client_of(folder) as client:
        found = await called(client, "check_draft")
        assert [each["kind"] for each in found["findings"]] == ["undefined-key", "placeholder"]
        assert found["findings"][0]["line"] == 2
        assert found["summary"].startswith("1 citation: 0 supported")
        found = await called(client, "check_draft", kinds=["placeholder"])
        assert len(found["findings"]) == 1
        assert "unknown kind 'x'" in await refused(client, "check_draft", kinds=["x"])


async def test_what_can_be_mended_is_listed_before_works_known_by_title_only(tmp_path):
    folder = written(tmp_path, "Databases \\cite{gray1981}.\n\n\\input{parts/more}", BIB)
    (folder / "parts").mkdir()
    (folder / "parts" / "more.tex").write_text("Clocks \\cite{lamport1987}.", "utf-8")
    async with client_of(folder) as client:
        undefined, known = (await called(client, "check_draft"))["findings"]
        assert (undefined["kind"], known["kind"]) == ("undefined-key", "title-only")
        # A file is named as the other tools take it.
        place = {"file": undefined["file"], "line": undefined["line"], "column": 8}
        found = await called(client, "suggest_citations", **place)
        assert found["suggestions"]


async def test_the_bibliography_is_searched_and_read(tmp_path):
    more = "".join(f"@misc{{many{n}, title={{Filler {n}}}}}\n" for n in range(MAX_ENTRIES + 5))
    folder = written(tmp_path, "Clocks.", BIB + more)
    async with client_of(folder) as client:
        found = await called(client, "search_library", words="GRAY transaction")
        assert [each["key"] for each in found["works"]] == ["gray1981"]
        found = await called(client, "search_library", words="filler")
        assert (len(found["works"]), found["not_shown"]) == (MAX_ENTRIES, 5)
        entry = await called(client, "get_entry", key="gray1981")
        assert (entry["authors"], entry["year"], entry["file"]) == (
            ["Gray, Jim"],
            "1981",
            "refs.bib",
        )
        assert "not in the bibliography of paper.tex" in await refused(
            client, "get_entry", key="none"
        )
        listed = await client.read_resource("pincite://bibliography")
        assert "gray1981: Gray 1981 · The transaction concept" in listed.contents[0].text
        named = await client.read_resource("pincite://bibliography/paper.tex")
        assert named.contents[0].text == listed.contents[0].text


async def test_files_that_the_draft_lacked_are_read_once_they_are_there(tmp_path):
    folder = written(tmp_path, "Clocks.\n\n\\input{part}", "")
    (folder / "refs.bib").unlink()
    async with client_of(folder) as client:
        assert "“refs” does not exist" in await refused(client, "suggest_citations", text="Clocks.")
        (folder / "refs.bib").write_text("")
        assert "not in the bibliography" in await refused(client, "get_entry", key="gray1981")
        (folder / "refs.bib").write_text(BIB)
        assert (await called(client, "get_entry", key="gray1981"))["key"] == "gray1981"
        (folder / "part.tex").write_text("More \\cite{nobody}.")
        found = await called(client, "check_draft", kinds=["undefined-key"])
        assert [each["key"] for each in found["findings"]] == ["nobody"]


async def test_a_paper_that_is_put_beside_the_draft_is_read(tmp_path):
    text, pdf = "Finding the closest pair of sentences takes days.", "reimers2019sbert.pdf"
    title = "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks"
    bib = f"@article{{reimers2019sbert, author={{Reimers, Nils}}, title={{{title}}}, year=2019}}"
    folder = written(tmp_path, "Texts.", bib)
    async with client_of(folder) as client:
        found = await called(client, "find_evidence", key="reimers2019sbert", text=text)
        assert "only the title" in found["verdict"]
        (folder / "papers").mkdir()
        shutil.copy(EXAMPLES / "papers" / pdf, folder / "papers")
        found = await called(client, "find_evidence", key="reimers2019sbert", text=text)
        assert found["verdict"].startswith("supported")


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("notes.md", "---\nbibliography: refs.bib\n---\nClocks [@gray1981].", "---\nbibliography: ../others.bib\n---\n"),
        ("notes.typ", '#bibliography("refs.bib")\nClocks @gray1981.', '#bibliography("../others.bib")'),
    ],
)  # fmt: skip
async def test_a_text_names_no_bibliography_in_other_markups(tmp_path, name, text, named):
    (tmp_path / "others.bib").write_text("@book{secret, title={Clocks}}")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "refs.bib").write_text(BIB)
    (tmp_path / "project" / name).write_text(text)
    async with client_of(tmp_path / "project") as client:
        found = await called(client, "suggest_citations", text="Transactions of clocks.")
        assert found["entries_in_bibliography"] == 2
        assert "which files a draft reads" in await refused(
            client, "suggest_citations", text=f"\n\n{named}\n\nClocks."
        )


@pytest.mark.parametrize(
    "draft",
    [
        "../secret.tex",
        "/etc/passwd",
        "link.tex",
        "loop.tex",
        "a\0b",
        "..",
        "no-such.tex",
        "\ud800",
        "x" * 100_000,
    ],
    ids=["above", "absolute", "symlink", "loop", "nul", "parent", "missing", "surrogate", "long"],
)
async def test_only_the_folders_that_were_named_are_read(tmp_path, draft):
    folder = written(tmp_path / "project", "Clocks.", BIB)
    (tmp_path / "secret.tex").write_text("\\cite{lamport1978}")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "loop.tex").symlink_to("loop.tex")
    async with client_of(folder) as client:
        if draft == "\ud800":  # which JSON cannot carry
            with pytest.raises(InputError, match="in the served folders"):
                Assistant([folder]).get_entry("gray1981", draft)
            return
        answer = await refused(client, "get_entry", key="gray1981", draft=draft)
        assert "in the served folders" in answer


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("suggest_citations", {"text": 3}),
        ("suggest_citations", {"text": "x", "top": 1_000}),
        ("suggest_citations", {"text": "x" * 30_000}),
        ("suggest_citations", {"line": -1}),
        ("suggest_citations", {"line": 10**9}),
        ("suggest_citations", {"text": "x", "file": "../../etc/passwd", "line": 1}),
        ("suggest_citations", {"text": "x", "file": "\0", "line": 1}),
        ("suggest_citations", {"text": "\\input{other}"}),
        ("suggest_citations", {"text": "\\bibliography{../others}"}),
        ("find_evidence", {"text": "\\addbibresource{../others.bib}", "key": "secret"}),
        ("suggest_citations", {"text": "\\end{document}"}),
        ("check_draft", {"kinds": ["x" * 100_000]}),
        ("search_library", {"words": " "}),
        ("get_entry", {}),
    ],
)
async def test_hostile_arguments_are_refused_and_the_server_goes_on(tmp_path, tool, arguments):
    (tmp_path / "others.bib").write_text("@book{secret, title={Clocks}}")
    folder = written(tmp_path / "project", "Clocks.", BIB)
    (folder / "other.tex").write_text("Other")
    async with client_of(folder) as client:
        why = await refused(client, tool, **arguments)
        assert ":" in why
        assert len(why) < 2_000
        assert (await called(client, "get_entry", key="gray1981"))["key"] == "gray1981"


async def test_without_leave_no_tool_reaches_the_network(tmp_path):
    folder = written(tmp_path, "Clocks.", BIB)
    async with client_of(folder) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "fetch_missing" not in tools
        assert all(tool.annotations.read_only_hint for tool in tools.values())
    async with client_of(folder, allow_fetch=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["fetch_missing"].annotations.open_world_hint


async def test_schemas_are_valid_and_answers_follow_them():
    async with client_of(EXAMPLES, allow_fetch=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            assert tool.description
            Draft202012Validator.check_schema(tool.input_schema)
            Draft202012Validator.check_schema(tool.output_schema)
            # An assistant reads all of this before the first question.
            assert len(json.dumps(tool.input_schema)) < 2_000
        given = {
            "suggest_citations": {"text": "Coherent texts."},
            "find_evidence": {"text": "Coherent texts.", "key": "barzilay2008coherence"},
            "search_library": {"words": "coherence"},
            "get_entry": {"key": "barzilay2008coherence"},
            "check_draft": {"kinds": ["placeholder"]},
        }
        for name, arguments in given.items():
            answer = await called(client, name, draft="survey.tex", **arguments)
            Draft202012Validator(tools[name].output_schema).validate(answer)
            assert len(json.dumps(answer)) < 12_000


async def test_answers_are_short_whatever_the_files_have(tmp_path):
    people = " and ".join(f"Author{n}, A." for n in range(3_000))
    fields = "".join(f", field{n}={{{'x ' * 500}}}" for n in range(300))
    bib = f"@misc{{many, title={{{'Title ' * 500}}}, author={{{people}}}, abstract={{{'x ' * 5_000}}}{fields}}}\n"
    bib += "".join(f"@misc{{m{n}, title={{{'Title ' * 100}}}}}\n" for n in range(1_000))
    key = "k" * 3_000
    folder = written(tmp_path, f"{'Words ' * 300}\\cite{{many,{key}}}.\n\n" * 50, bib)
    asked = {
        "suggest_citations": {"text": "Title of words. " * 1_000, "top": 10},
        "find_evidence": {"text": "Title of words. " * 1_000, "key": "many"},
        "search_library": {"words": "title"},
        "get_entry": {"key": "many"},
        "check_draft": {},
    }
    async with client_of(folder) as client:
        for name, arguments in asked.items():
            assert len(json.dumps(await called(client, name, **arguments))) < 40_000, name
        entry = await called(client, "get_entry", key="many")
        assert entry["authors"][-2:] == ["Author19, A.", "and 2980 more"]
        listed = await client.read_resource("pincite://bibliography")
        assert len(listed.contents[0].text) < 110_000
        assert listed.contents[0].text.endswith("... and 501 more: use search_library")


def test_folders_must_exist(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        Assistant([tmp_path / "none"])
    with pytest.raises(InputError, match="no such folder"):
        Assistant([tmp_path], library=[tmp_path / "none"])


async def test_papers_of_other_folders_and_of_zotero_are_read_if_the_author_wants_it(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    work = zotero.work(
        title="The transaction concept", by=[("Gray", "Jim")], date="1981-00-00 1981"
    )
    zotero.stored(
        work, "gray.md", "# The transaction concept\n\nJim Gray\n\nA transaction is atomic.\n"
    )
    zotero.close()
    papers = tmp_path / "papers of mine"
    papers.mkdir()
    paper = "# Time and clocks in a distributed system\n\nLeslie Lamport\n\nLogical clocks order the events.\n"
    (papers / "lamport1978.md").write_text(paper)
    folder = written(tmp_path / "project", "Clocks.", BIB)
    claims = {"lamport1978": "Logical clocks order events.", "gray1981": "Transactions are atomic."}

    async def verdicts(**given):
        async with client_of(folder, **given) as client:
            asked = [
                await called(client, "find_evidence", key=key, text=text)
                for key, text in claims.items()
            ]
        return [each["verdict"].partition(" ")[0] for each in asked]

    assert await verdicts() == ["not", "not"]
    assert await verdicts(library=[papers]) == ["supported", "not"]
    assert await verdicts(zotero="auto") == ["not", "supported"]


async def test_the_command_answers_over_stdio(tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "pincite", "mcp", "--library", str(tmp_path), str(tmp_path / "examples")],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    async with Client(stdio_client(command)) as client:
        sentence, key = next(iter(SENTENCES.items()))
        found = await called(client, "suggest_citations", draft="survey.tex", text=sentence)
        assert found["suggestions"][0]["key"] == key
        assert "served" in await refused(client, "get_entry", key=key, draft="../x.tex")


async def test_a_cancelled_request_does_not_stop_the_server(tmp_path):
    many = "".join(f"@misc{{m{n}, title={{Subject number {n} of many}}}}\n" for n in range(3_000))
    folder = written(tmp_path, "Subjects \\cite{m1}. " * 200, BIB + many)
    async with client_of(folder) as client:
        with anyio.move_on_after(0.05) as scope:
            await client.call_tool("suggest_citations", {"text": "A subject of many."})
        assert scope.cancelled_caught
        assert (await called(client, "get_entry", key="gray1981"))["key"] == "gray1981"


OFFLINE = """
import socket, sys
def refuse(event, given):
    if event.startswith("socket.") and event != "socket.__new__":
        sys.stderr.write(f"{event} {given}\\n"); sys.exit("a socket")
sys.addaudithook(refuse)
from pathlib import Path
from pincite.agents import Assistant
tools = Assistant([Path(sys.argv[1])])
tools.suggest_citations("survey.tex", "Coherent texts.")
tools.check_draft("survey.tex", ["placeholder"])
tools.bibliography("survey.tex")
"""


def test_no_socket_is_opened():
    assert socket.socket  # what would be needed
    command = [sys.executable, "-c", OFFLINE, str(EXAMPLES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
