/** “Add library folder…”: choose folders with papers and add them to the setting. */

import { commands, ConfigurationTarget, type Disposable, type OpenDialogOptions, window, workspace } from 'vscode';

import { SECTION } from '../settings';
import { messageOf } from '../wording';
import { withFolders } from './libraryFolders';

/** A setting with folders, to which folders are added. */
type Setting = 'library.folders' | 'library.baseFolders';

export function registerAddLibraryFolder(): Disposable {
  return commands.registerCommand('pincite.addLibraryFolder', async () => {
    const chosen = await chooseFolders({ title: 'Folders with your papers', openLabel: 'Add', canSelectMany: true });
    if (!chosen) return;
    await addFolders('library.folders', chosen, (added) => {
      const named = added.map((folder) => `“${folder}”`).join(', ');
      return `Pincite now reads the papers in ${named}.`;
    });
  });
}

/** Ask for folders on the computer of the server; undefined without an answer. */
export async function chooseFolders(options: OpenDialogOptions): Promise<string[] | undefined> {
  const workspaceFolder = workspace.workspaceFolders?.[0]?.uri;
  const chosen = await window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    ...(workspaceFolder?.scheme === 'file' && { defaultUri: workspaceFolder }),
    ...options,
  });
  if (!chosen?.length) return undefined;
  // On the computer of the server, files have the scheme `file`.
  if (chosen.some(({ scheme }) => scheme !== 'file')) {
    void window.showErrorMessage('Pincite reads papers on the computer that the draft is on. Choose a folder there.');
    return undefined;
  }
  return chosen.map(({ fsPath }) => fsPath);
}

/** Add folders to a setting, and show it; `done` is the message, by the folders that are new. */
export async function addFolders(setting: Setting, chosen: readonly string[], done: (added: readonly string[]) => string): Promise<void> {
  const configuration = workspace.getConfiguration(SECTION);
  const { globalValue, workspaceValue } = configuration.inspect(setting) ?? {};
  const { level, folders, added } = withFolders(
    {
      folders: configuration.get<string[]>(setting, []),
      byUser: globalValue !== undefined,
      byWorkspace: workspace.isTrusted && workspaceValue !== undefined,
      workspaceFolder: workspace.isTrusted ? workspace.workspaceFolders?.[0]?.uri.fsPath : undefined,
    },
    chosen,
  );
  if (added.length === 0) {
    void window.showInformationMessage('Pincite already reads the papers of this folder.');
    return;
  }
  const target = level === 'workspace' ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  try {
    await configuration.update(setting, folders, target);
  } catch (error) {
    void window.showErrorMessage(`The folder could not be added to the settings. ${messageOf(error)}`);
    return;
  }
  void window.showInformationMessage(done(added));
}
