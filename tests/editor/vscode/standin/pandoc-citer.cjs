// Does for citations what Pandoc Citer does: every entry, to be found by author and title, too; its fields in hovers; definitions.
const vscode = require('vscode');
const { entries, position } = require('./bibliography.cjs');
const { keyAt } = require('./at-keys.cjs');

const SELECTOR = ['markdown', 'rmd', 'quarto'].map((language) => ({ scheme: 'file', language }));

const fields = (entry) => Object.entries(entry.fields).map(([name, value]) => `${name}: ${value}`).join('\n\n');

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.languages.registerCompletionItemProvider(SELECTOR, { provideCompletionItems(document, at) {
      return keyAt(document, at) && entries(document).map((entry) => Object.assign(
        new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Reference),
        { detail: entry.fields.title, documentation: fields(entry), insertText: entry.key,
          filterText: [entry.key, entry.fields.author, entry.fields.title, entry.fields.journal].join(' ') }));
    } }, '@'),
    vscode.languages.registerHoverProvider(SELECTOR, { provideHover(document, at) {
      const found = keyAt(document, at);
      return found?.entry && new vscode.Hover(new vscode.MarkdownString(fields(found.entry)),
        new vscode.Range(found.line, found.start, found.line, found.start + found.entry.key.length));
    } }),
    vscode.languages.registerDefinitionProvider(SELECTOR, { provideDefinition(document, at) {
      const entry = keyAt(document, at)?.entry;
      return entry && new vscode.Location(entry.uri, position(entry.text, entry.start));
    } }),
  );
};
