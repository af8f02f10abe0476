/** “Discover works around this bibliography…”: show what would be sent, ask, and have it sent. */

import { ProgressLocation, type Uri, window, workspace } from 'vscode';

import type { Server } from '../server';
import type { Discovery } from '../wire';
import { messageOf } from '../wording';
import { discoveredWorks, discoveryQuestion, everythingToDiscover } from './sent';

const DISCOVER = 'Discover';
const SHOW = 'Show Everything';

/** Find works around those of a draft, if the author agrees. */
export async function discoverWorks(server: Server, uri: Uri | undefined): Promise<void> {
  if (!workspace.isTrusted) {
    void window.showInformationMessage('Nothing is sent from a workspace that you do not trust.');
    return;
  }
  const planned = uri && (await server.discovery(uri));
  if (!planned) {
    void window.showInformationMessage('Open a draft to discover works around those that it cites.');
  } else if (planned.problem !== undefined) {
    void window.showWarningMessage(planned.problem.replaceAll('`', ''));
  } else if (planned.sent.length === 0) {
    void window.showInformationMessage('Pincite can ask only about works with a DOI or an arXiv identifier, and this draft cites none.');
  } else if (await isAgreed(planned)) {
    await discover(server, uri, planned);
  }
}

async function isAgreed(planned: Discovery): Promise<boolean> {
  const { message, detail } = discoveryQuestion(planned);
  const answer = await window.showInformationMessage(message, { modal: true, detail }, DISCOVER, SHOW);
  if (answer === SHOW) {
    await window.showTextDocument(await workspace.openTextDocument({ language: 'markdown', content: everythingToDiscover(planned) }));
  }
  return answer === DISCOVER;
}

async function discover(server: Server, uri: Uri, { plan }: Discovery): Promise<void> {
  const options = { location: ProgressLocation.Notification, title: 'Pincite: discovering works', cancellable: true };
  try {
    const found = await window.withProgress(options, (progress, token) => {
      let before = 0;
      const report = (percent: number): void => {
        progress.report({ increment: percent - before });
        before = percent;
      };
      return server.discover(uri, plan, report, token).catch((error: unknown) => {
        if (token.isCancellationRequested) return undefined;
        throw error;
      });
    });
    // The draft cites something else by now: the author sees what would be sent.
    if (found?.changed) await discoverWorks(server, uri);
    else if (found) void window.showInformationMessage(discoveredWorks(found));
  } catch (error) {
    void window.showErrorMessage(`Nothing more could be discovered: ${messageOf(error)}`);
  }
}
