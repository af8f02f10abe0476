// Does for citations what Tinymist does: keys behind an @, formatted references in hovers, and definitions.
const vscode = require('vscode');
const { entries, position } = require('./bibliography.cjs');
const { keyAt } = require('./at-keys.cjs');

const SELECTOR = { scheme: '*', language: 'typst' };

const formatted = ({ fields: { author, title, year } }) => `${author}. “${title}.” ${year}.`;

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.languages.registerCompletionItemProvider(SELECTOR, { provideCompletionItems(document, at) {
      return keyAt(document, at) && entries(document).map((entry) => Object.assign(
        new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Reference), { detail: entry.fields.title }));
    } }, '#', '(', '<', ',', '.', ':', '/', '"', '@'),
    vscode.languages.registerHoverProvider(SELECTOR, { provideHover(document, at) {
      const found = keyAt(document, at);
      return found?.entry && new vscode.Hover(new vscode.MarkdownString(formatted(found.entry)),
        new vscode.Range(found.line, found.start - 1, found.line, found.start + found.entry.key.length));
    } }),
    vscode.languages.registerDefinitionProvider(SELECTOR, { provideDefinition(document, at) {
      const entry = keyAt(document, at)?.entry;
      return entry && new vscode.Location(entry.uri, position(entry.text, entry.start));
    } }),
  );
};
