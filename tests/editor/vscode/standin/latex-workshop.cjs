// Does for citations what LaTeX Workshop does: every entry, unsorted; its fields in hovers; definitions.
const vscode = require('vscode');
const { citedAt, drafts, entries, position } = require('./bibliography.cjs');

const COMMANDS = ['cite', 'citep', 'section', 'emph', 'includegraphics'];

const fields = (entry) => Object.entries(entry.fields).map(([name, value]) => `*${name}*: ${value}`).join('\n\n');

function completions(document, at) {
  const before = document.lineAt(at).text.slice(0, at.character);
  const command = /\\([A-Za-z]*)$/.exec(before);
  if (command) {
    return COMMANDS.map((name) => Object.assign(new vscode.CompletionItem(`\\${name}`, vscode.CompletionItemKind.Function),
      { range: new vscode.Range(at.translate(0, -command[0].length), at), insertText: new vscode.SnippetString(`\\\\${name}{$1}`) }));
  }
  const cited = citedAt(document, at);
  return cited && entries(document).map((entry) => Object.assign(
    new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Reference),
    { detail: entry.fields.title, documentation: new vscode.MarkdownString(fields(entry)), range: cited.range,
      filterText: [entry.key, entry.fields.title, entry.fields.author].join(' '), insertText: entry.key }));
}

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.languages.registerCompletionItemProvider(drafts, { provideCompletionItems: completions }, '\\', ',', '{', '}'),
    vscode.languages.registerHoverProvider(drafts, { provideHover(document, at) {
      const cited = citedAt(document, at);
      return cited?.entry && new vscode.Hover(new vscode.MarkdownString(fields(cited.entry)), cited.range);
    } }),
    vscode.languages.registerDefinitionProvider(drafts, { provideDefinition(document, at) {
      const entry = citedAt(document, at)?.entry;
      return entry && new vscode.Location(entry.uri, position(entry.text, entry.start));
    } }),
  );
};
