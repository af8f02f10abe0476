/** A citation that was begun before the server ran: the editor has shown its own list of words, and does not ask again. */

import { commands, window } from 'vscode';

import { endsInCitation, isDraft } from './languages';

/** Ask for suggestions if the author has just begun a citation at the cursor. */
export async function suggestAtBegunCitation(): Promise<void> {
  const editor = window.activeTextEditor;
  // In a draft without changes, the cursor only happens to be there.
  if (!editor?.document.isDirty || !isDraft(editor.document)) return;
  const { line, character } = editor.selection.active;
  if (endsInCitation(editor.document.lineAt(line).text.slice(0, character))) await commands.executeCommand('editor.action.triggerSuggest');
}
