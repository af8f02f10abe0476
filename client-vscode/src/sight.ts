/** Whether there is anything to do: a README without a bibliography does not start the extension. */

import { commands, Disposable, type ExtensionContext, languages, type TextDocument, type TreeItem, type WebviewView, window, workspace } from 'vscode';

import { beginsToCite, isDocument, mayCiteNothing, namesBibliography, SELECTOR } from './languages';

const mayBeServed = (document: TextDocument): boolean => isDocument(document) && languages.match(SELECTOR, document) > 0;

/** Return whether a draft is open, or a document that may be one and a bibliography for it, or a citation in it. */
export async function draftInSight(): Promise<boolean> {
  const documents = workspace.textDocuments.filter(mayBeServed);
  const isBegun = (document: TextDocument): boolean => namesBibliography(document.getText()) || beginsToCite(document, document.getText());
  if (!documents.every(mayCiteNothing) || documents.some(isBegun) || await has('**/*.bib')) return true;
  // Without a document, the author has asked for the extension in another way, or the folder has drafts in Quarto or Typst.
  const isAsked = documents.length === 0 && !await has('**/*.{qmd,Rmd,typ}');
  // While files were looked for, the author may have begun a citation.
  return isAsked || documents.some(isBegun);
}

async function has(pattern: string): Promise<boolean> {
  return (await workspace.findFiles(pattern, '**/node_modules/**', 1)).length > 0;
}

/** Call `begin` once, when a draft comes in sight, one of our commands is executed or one of our views is opened. */
export function whenInSight(context: ExtensionContext, begin: (evidence?: WebviewView) => Promise<void>): void {
  const waiting: Disposable[] = [];
  let begun: Promise<void> | undefined;
  const start = (evidence?: WebviewView): Promise<void> => {
    const stopped = waiting.splice(0).map((each) => each.dispose() as unknown);
    // A tree is gone some time later, and would take the next one of its name with it.
    return begun ??= Promise.all(stopped).then(() => begin(evidence));
  };
  const look = (document: TextDocument): void => {
    if (mayBeServed(document)) void draftInSight().then((is) => is ? start() : undefined);
  };
  const { contributes } = context.extension.packageJSON as { contributes: { commands: { command: string }[] } };
  waiting.push(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidSaveTextDocument(look),
    // An author who begins without a bibliography is offered one by the list of keys.
    workspace.onDidChangeTextDocument(({ document, contentChanges: [change] }) => {
      if (change && mayBeServed(document) && beginsToCite(document, document.lineAt(change.range.start).text)) void start();
    }),
    // The editor asks for what a view shows once, so the Evidence view is handed on.
    window.registerWebviewViewProvider('pincite.evidenceView', { resolveWebviewView: (view) => void start(view) }),
    ...['pincite.checkView', 'pincite.libraryView'].map((id) => window.registerTreeDataProvider<TreeItem>(id, {
      getChildren: () => void start(),
      getTreeItem: (item) => item,
    })),
    ...contributes.commands.map(({ command }) => commands.registerCommand(command, async (...given: unknown[]) => {
      await start();
      return commands.executeCommand(command, ...given);
    })),
  );
  context.subscriptions.push(new Disposable(() => { for (const each of waiting.splice(0)) each.dispose(); }));
}
