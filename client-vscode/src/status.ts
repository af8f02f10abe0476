/** The language status item: whether the server runs, and what is known of the draft's entries. */

import { Disposable, languages, LanguageStatusSeverity, window, workspace } from 'vscode';

import { Debounced } from './debounced';
import { isDraft, SELECTOR } from './languages';
import type { Server } from './server';
import { statusText } from './statusText';
import type { Status } from './wire';

const PAUSE_MS = 500;
const SEVERITIES = { warning: LanguageStatusSeverity.Warning, error: LanguageStatusSeverity.Error };

export function registerStatus(server: Server): Disposable {
  const item = languages.createLanguageStatusItem('pincite.status', SELECTOR);
  item.name = 'Pincite';
  let status: Status | undefined;
  let read: number | undefined;
  let asked = 0;

  const show = (): void => {
    const { text, detail, busy, severity, command } = statusText(server.state, status, read);
    // The name alone would be lost among those of other extensions.
    item.text = `Pincite: ${text}`;
    item.detail = detail ?? '';
    item.busy = busy ?? false;
    item.severity = severity ? SEVERITIES[severity] : LanguageStatusSeverity.Information;
    item.command = command;
    item.accessibilityInformation = { label: [item.text, detail].filter(Boolean).join('. ') };
  };
  const ask = async (): Promise<void> => {
    const document = window.activeTextEditor?.document;
    if (!document || !languages.match(SELECTOR, document)) return;
    const turn = (asked += 1);
    // For a bibliography, show the status of the open drafts.
    const answer = await server.status(isDraft(document) ? document.uri : undefined).catch(() => undefined);
    if (turn !== asked || !answer) return;
    status = answer;
    show();
  };
  const asking = new Debounced(() => void ask(), PAUSE_MS);
  show();
  return Disposable.from(
    item,
    asking,
    server.onDidChangeState(() => {
      [status, read] = [undefined, undefined];
      show();
      void ask();
    }),
    server.onDidReadPapers(({ done }) => {
      read = done < 1 ? done : undefined;
      show();
      if (read === undefined) void ask();
    }),
    window.onDidChangeActiveTextEditor(() => void ask()),
    workspace.onDidSaveTextDocument(() => { asking.request(); }),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (document.languageId === 'bibtex') asking.request();
    }),
  );
}
