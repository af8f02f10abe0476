// Names the project's own Python as the chosen one, as Microsoft's extension does for a folder with `.venv` in it.
const path = require('node:path');
const vscode = require('vscode');

exports.activate = () => ({
  getEnvironment: async () => {
    const [{ uri }] = vscode.workspace.workspaceFolders;
    return { execInfo: { run: { executable: path.join(uri.fsPath, '.venv/bin/python') } } };
  },
});
