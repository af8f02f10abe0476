/** “Fetch abstracts and citing sentences…”: show what would be sent to whom, ask, and have it fetched. */

import { ProgressLocation, type Uri, window, workspace } from 'vscode';

import { placeOf } from '../rowTree';
import type { Server } from '../server';
import type { Fetchable, Fetched, Missing } from '../wire';
import { messageOf, onOneLine } from '../wording';
import { cameBack, choiceItem, type Chosen, everything, question } from './sent';

const FETCH = 'Fetch';
const SHOW = 'Show Everything';
const CANCELLED = 'cancelled' as const;

/** Fetch abstracts and citing sentences for a draft's entries, or only one kind, if the author agrees; return whether that was done. */
export async function fetchMissing(server: Server, uri: Uri | undefined, only?: Fetchable): Promise<boolean> {
  if (!workspace.isTrusted) {
    void window.showInformationMessage('Nothing is sent from a workspace that you do not trust.');
    return false;
  }
  const missing = uri && (await server.missing(uri, only));
  if (!missing) {
    void window.showInformationMessage('Open a draft to fetch what its references lack.');
  } else if (missing.problem !== undefined) {
    void window.showWarningMessage(missing.problem.replaceAll('`', ''));
  } else {
    const chosen = missing.unanswered === 0 || only ? { ...missing, ...(only && { only }) } : await choose(server, uri, missing);
    if (chosen && (chosen.unanswered === 0 || (await isAgreed(chosen)))) {
      await fetch(server, uri, chosen, chosen.only);
      return true;
    }
  }
  return false;
}

/** Let the author choose between abstracts and citing sentences, where there is a choice. */
async function choose(server: Server, uri: Uri, both: Missing): Promise<Chosen | undefined> {
  const each = await Promise.all((['abstracts', 'citing'] as const).map(async (only) => ({ only, ...(await server.missing(uri, only)) })));
  const choices = each.filter((one): one is Missing & { only: typeof one.only } => one.unanswered !== undefined && one.unanswered > 0);
  const [first, second] = choices;
  if (!first || !second) return first ?? both;
  const items = choices.map((choice) => ({ ...choiceItem(choice), choice, picked: true }));
  const picked = await window.showQuickPick(items, { title: `What to look up for ${both.draft}`, canPickMany: true });
  return picked && (picked.length === items.length ? both : picked[0]?.choice);
}

async function isAgreed(missing: Chosen): Promise<boolean> {
  const { message, detail } = question(missing);
  const answer = await window.showInformationMessage(message, { modal: true, detail }, FETCH, SHOW);
  if (answer === SHOW) {
    const document = await workspace.openTextDocument({ language: 'markdown', content: everything(missing) });
    await window.showTextDocument(document);
  }
  return answer === FETCH;
}

async function fetch(server: Server, uri: Uri, { plan }: Missing, only?: Fetchable): Promise<void> {
  const options = { location: ProgressLocation.Notification, title: 'Pincite: fetching what is missing', cancellable: true };
  try {
    const fetched = await window.withProgress(options, (progress, token) => {
      let before = 0;
      const report = (percent: number): void => {
        progress.report({ increment: percent - before });
        before = percent;
      };
      return server.fetch(uri, plan, only, report, token).catch((error: unknown) => {
        // Earlier results are stored.
        if (token.isCancellationRequested) return CANCELLED;
        throw error;
      });
    });
    if (fetched === CANCELLED) return;
    if (fetched) await showResult(server, uri, fetched, only);
    else void window.showErrorMessage('Nothing could be fetched. Run “Pincite: Show logs” to see why.');
  } catch (error) {
    void window.showErrorMessage(`Nothing more could be fetched: ${messageOf(error)}`);
  }
}

async function showResult(server: Server, uri: Uri, fetched: Fetched, only?: Fetchable): Promise<void> {
  if (fetched.changed) {
    // The bibliography was edited meanwhile: the author sees what would be sent now.
    await fetchMissing(server, uri, only);
    return;
  }
  // The claim check shows what came of it.
  if (only === 'references' && fetched.failures.length === 0) return;
  const { wrongDois } = fetched;
  const show = wrongDois.length === 1 ? 'Show the Wrong DOI' : `Show ${wrongDois.length} Wrong DOIs`;
  const answer = await window.showInformationMessage(cameBack(fetched), ...(wrongDois.length > 0 ? [show] : []));
  if (answer !== show) return;
  const items = wrongDois.map(({ key, message, entry }) => ({ label: key, detail: onOneLine(message.replace(`${key}: `, '')), entry }));
  const chosen = await window.showQuickPick(items, { title: 'DOIs that do not belong to their entries', matchOnDetail: true });
  if (!chosen?.entry) return;
  const { uri: bibliography, selection } = placeOf(chosen.entry);
  await window.showTextDocument(bibliography, { selection });
}
