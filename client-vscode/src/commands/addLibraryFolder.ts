/** “Add library folder…”: choose folders with papers and add them to the setting. */

import { commands, ConfigurationTarget, type Disposable, window, workspace } from 'vscode';

import { SECTION } from '../settings';
import { messageOf } from '../wording';
import { withFolders } from './libraryFolders';

const SETTING = 'library.folders';

export function registerAddLibraryFolder(): Disposable {
  return commands.registerCommand('pincite.addLibraryFolder', async () => {
    const workspaceFolder = workspace.workspaceFolders?.[0]?.uri;
    const chosen = await window.showOpenDialog({
      title: 'Folders with your papers',
      openLabel: 'Add',
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: true,
      ...(workspaceFolder && { defaultUri: workspaceFolder }),
    });
    if (!chosen?.length) return;
    // On the computer of the server, files have the scheme `file`.
    if (chosen.some(({ scheme }) => scheme !== 'file')) {
      void window.showErrorMessage('Pincite reads papers on the computer that the draft is on. Choose a folder there.');
      return;
    }
    await add(chosen.map(({ fsPath }) => fsPath));
  });
}

async function add(chosen: readonly string[]): Promise<void> {
  const configuration = workspace.getConfiguration(SECTION);
  const { globalValue, workspaceValue } = configuration.inspect(SETTING) ?? {};
  const { level, folders, added } = withFolders(
    {
      folders: configuration.get<string[]>(SETTING, []),
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
    await configuration.update(SETTING, folders, target);
  } catch (error) {
    void window.showErrorMessage(`The folder could not be added to the settings. ${messageOf(error)}`);
    return;
  }
  const named = added.map((folder) => `“${folder}”`).join(', ');
  void window.showInformationMessage(`Pincite reads the papers in ${named} from now on.`);
}
