/** Opens the settings editor at a setting, where its value comes from. */

import { commands, env, type Extension, workspace } from 'vscode';

interface Manifest {
  contributes: { configuration: { properties: Record<string, { scope?: string }> }[] };
}

export async function openSetting(setting: string, { packageJSON }: Extension<unknown>): Promise<void> {
  const { workspaceValue, workspaceFolderValue } = workspace.getConfiguration().inspect(setting) ?? {};
  const { contributes } = packageJSON as Manifest;
  const scope = contributes.configuration.map(({ properties }) => properties[setting]?.scope).find((one) => one !== undefined);
  const where =
    (workspaceFolderValue ?? workspaceValue) !== undefined
      ? 'openWorkspaceSettings'
      // On a remote computer, the user's own settings have no paths and programs.
      : env.remoteName !== undefined && scope?.startsWith('machine')
        ? 'openRemoteSettings'
        : 'openSettings';
  await commands.executeCommand(`workbench.action.${where}`, { query: setting });
}
