/** Whether there is anything to do: a README without a bibliography does not start the extension. */

import { commands, Disposable, type ExtensionContext, languages, type TextDocument, window, workspace } from 'vscode';

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

/** Call `begin` once, when a draft comes in sight or one of our commands is executed. */
export function whenInSight(context: ExtensionContext, begin: () => Promise<void>): void {
  const waiting: Disposable[] = [];
  let begun: Promise<void> | undefined;
  const start = (): Promise<void> => {
    for (const each of waiting.splice(0)) each.dispose();
    return begun ??= begin();
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
      if (change && mayBeServed(document) && beginsToCite(document, document.lineAt(change.range.start).text)) {
        // Meanwhile the editor has shown its own list of words, and does not ask again.
        void start().then(() => window.activeTextEditor?.document === document && commands.executeCommand('editor.action.triggerSuggest'));
      }
    }),
    ...contributes.commands.map(({ command }) => commands.registerCommand(command, async (...given: unknown[]) => {
      await start();
      return commands.executeCommand(command, ...given);
    })),
  );
  context.subscriptions.push(new Disposable(() => { for (const each of waiting.splice(0)) each.dispose(); }));
}
