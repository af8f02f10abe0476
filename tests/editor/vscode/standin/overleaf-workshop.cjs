// Has a project that is on no disk, as the extension of this name has those of Overleaf: the query of an address is the number of a project.
const vscode = require('vscode');

const PROJECT = 'user=1&project=2';
const files = new Map(Object.entries({
  '/Thesis/main.tex': '\\documentclass{article}\n\\begin{document}\n\\input{parts/moves}\n\\bibliography{lists/refs}\n\\end{document}\n',
  '/Thesis/parts/moves.tex': 'The moves of an argument \\cite{}, and \\cite{toulmin1958uses}.\n',
  '/Thesis/lists/refs.bib': '@book{toulmin1958uses, author = {Toulmin, Stephen}, title = {The Uses of Argument}, year = {1958}}\n',
}).map(([name, text]) => [name, Buffer.from(text)]));

function within(uri, isIn) {
  if (uri.query !== PROJECT || !isIn(uri.path)) throw vscode.FileSystemError.FileNotFound(uri);
  return uri.path;
}

const changes = new vscode.EventEmitter();
const isFile = (path) => files.has(path);
const below = (folder) => [...files.keys()].filter((name) => name.startsWith(`${folder}/`)).map((name) => name.slice(folder.length + 1).split('/'));

exports.activate = ({ subscriptions }) => {
  subscriptions.push(vscode.workspace.registerFileSystemProvider('overleaf-workshop', {
    onDidChangeFile: changes.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: (uri) => {
      const path = within(uri, (name) => isFile(name) || below(name).length > 0);
      const [type, size] = isFile(path) ? [vscode.FileType.File, files.get(path).length] : [vscode.FileType.Directory, 0];
      return { type, size, ctime: 0, mtime: Date.now() };
    },
    readDirectory: (uri) => {
      const entries = below(within(uri, (name) => below(name).length > 0));
      return [...new Map(entries.map(([name, ...rest]) => [name, rest.length ? vscode.FileType.Directory : vscode.FileType.File]))];
    },
    readFile: (uri) => files.get(within(uri, isFile)),
    writeFile: (uri, content) => { files.set(within(uri, () => true), content); },
    createDirectory: () => undefined,
    delete: (uri) => { files.delete(uri.path); },
    rename: () => { throw vscode.FileSystemError.NoPermissions(); },
  }));
};
