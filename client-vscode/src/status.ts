/** Follows the server's state and what it knows of the draft, and shows the state of the set-up as a language status item. */

import { isDeepStrictEqual } from 'node:util';

import { Disposable, languages, LanguageStatusSeverity, window, workspace } from 'vscode';

import { Debounced } from './debounced';
import { isDraft, SELECTOR } from './languages';
import { showState } from './messages';
import type { Server } from './server';
import { type SetupHolder, setupText } from './setupState';
import type { WrongSetting } from './wire';

const PAUSE_MS = 500;
const SEVERITIES = { warning: LanguageStatusSeverity.Warning, error: LanguageStatusSeverity.Error };

/** Keep the holder up to date. */
export function followServer(server: Server, setup: SetupHolder): Disposable {
  let asked = 0;
  /** What has been reported; a problem that comes back after being fixed is reported again. */
  let reported: readonly WrongSetting[] = [];
  const ask = async (): Promise<void> => {
    const document = window.activeTextEditor?.document;
    const turn = (asked += 1);
    // Elsewhere than in a draft, all open ones count.
    const known = await server.status(document && isDraft(document) ? document.uri : undefined).catch(() => undefined);
    if (turn === asked && known) setup.update({ known });
  };
  const asking = new Debounced(() => void ask(), PAUSE_MS);
  return Disposable.from(
    asking,
    server.onDidChangeState((state) => {
      asked += 1;
      setup.update({ server: state, reading: undefined, known: undefined, ...(state !== 'running' && { wrong: [] }) });
      void ask();
    }),
    server.onDidReadPapers(({ done, read, papers }) => {
      setup.update({ reading: done < 1 ? { read, papers } : undefined });
      if (done >= 1) void ask();
    }),
    server.onDidFindWrongSettings((wrong) => {
      setup.update({ wrong });
      const fresh = wrong.filter((one) => !reported.some((other) => isDeepStrictEqual(one, other)));
      reported = wrong;
      for (const one of fresh) void showState({ kind: 'wrong setting', ...one });
    }),
    window.onDidChangeActiveTextEditor((editor) => {
      if (editor && languages.match(SELECTOR, editor.document)) void ask();
    }),
    workspace.onDidSaveTextDocument(() => { asking.request(); }),
    // A bibliography may change outside the editor.
    server.onDidChangeFiles(() => { asking.request(); }),
    languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some(({ path }) => /\.(bib|json|ya?ml)$/i.test(path))) asking.request();
    }),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (document.languageId === 'bibtex') asking.request();
    }),
  );
}

export function registerStatus(setup: SetupHolder): Disposable {
  const item = languages.createLanguageStatusItem('pincite.status', SELECTOR);
  item.name = 'Pincite';
  const show = (): void => {
    const { title, text, offers: [first], busy, severity } = setupText(setup.current);
    // The title alone would be lost among those of other extensions.
    item.text = `Pincite: ${title}`;
    item.detail = text;
    item.busy = busy ?? false;
    item.severity = severity ? SEVERITIES[severity] : LanguageStatusSeverity.Information;
    item.command = first && { title: first.label, command: first.command };
    item.accessibilityInformation = { label: [item.text, text].filter(Boolean).join('. ') };
  };
  show();
  return Disposable.from(item, setup.onDidChange(show));
}
