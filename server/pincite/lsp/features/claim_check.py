"""``pincite/check``: the claim check of a whole draft, for a view of the client.

It takes seconds for a long draft: clients may cancel it, and ask for its progress.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...model.spans import TextSpan
from .. import wire
from ..documents import Lines
from ..language_server import PinciteServer
from ..progress import RequestProgress
from ..session import Project
from ..to_proto import Locations


def register(server: PinciteServer) -> None:
    """Answer ``pincite/check``."""

    @server.feature(wire.CHECK)
    async def checks(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(wire.CheckParams, params)
        uri, token = asked.text_document.uri, asked.work_done_token
        with RequestProgress(ls, token, "Pincite: checking citations") as progress:
            # Hovers do not wait behind it.
            found = ls.answer_about(findings, uri, asked.kinds, asked.report, progress)
            return wire.written(await found)


def findings(
    project: Project,
    path: Path,
    _lines: Lines,
    kinds: tuple[wire.FindingKind, ...] | None,
    report: wire.ReportFormat | None,
    progress: RequestProgress,
) -> wire.CheckedDraft | None:
    """Return the findings in the whole draft of a document; None where there is no draft.

    While papers are being read, nothing is said about them.
    """
    read = project.read_draft(path)
    whole = None if read is None else project.open_draft(read.draft.root)
    opened = whole or project.open_draft(path)
    if opened is None:
        return None
    from ...checking.draft_report import Report, relative
    from ...checking.whole_draft import KINDS, CheckedDraft, check_draft

    known = opened.bibliography
    recommender = opened.recommender if opened.complete else None
    checked = CheckedDraft(opened.draft, known.files, known.find, recommender)
    found = check_draft(checked, KINDS if kinds is None else kinds, progress)
    root, locations = opened.draft.root, Locations(project)
    written = Report.of(root.name, opened.draft, found, root.parent)
    return wire.CheckedDraft(
        draft=root.name,
        complete=opened.complete,
        findings=tuple(
            wire.DraftFinding(
                relative(each.path, root.parent),
                *(each.line, each.column, each.kind, each.key, each.message, each.excerpt),
                *(each.sentence, location),
            )
            for each in found
            if (location := locations.of(each.path, TextSpan(each.start, each.end))) is not None
        ),
        report={"html": written.html, "markdown": written.markdown}[report]() if report else None,
    )
