// Does for citations what Quarto's extension does: keys that begin with what is typed, with neither order nor range; formatted
// references in hovers; no definitions of keys.
const vscode = require('vscode');
const { entries } = require('./bibliography.cjs');
const { keyAt } = require('./at-keys.cjs');

const SELECTOR = { scheme: '*', language: 'quarto' };

const formatted = ({ fields: { author, title, journal, booktitle, year } }) =>
  `${[author, year, `“${title}”`, journal ?? booktitle].filter(Boolean).join('. ')}.`;

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.languages.registerCompletionItemProvider(SELECTOR, { provideCompletionItems(document, at) {
      const found = keyAt(document, at);
      return found && entries(document).filter(({ key }) => key.startsWith(found.typed)).map((entry) => Object.assign(
        new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Constant),
        { documentation: new vscode.MarkdownString(formatted(entry)) }));
    } }, '.', '$', '@', ':', '\\', '=', '/', '#'),
    vscode.languages.registerHoverProvider(SELECTOR, { provideHover(document, at) {
      const found = keyAt(document, at);
      return found?.entry && new vscode.Hover(new vscode.MarkdownString(formatted(found.entry)),
        new vscode.Range(found.line, found.start - 1, found.line, found.start + found.entry.key.length));
    } }),
  );
};
