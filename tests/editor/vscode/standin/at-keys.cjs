// What the stand-ins for Quarto and Tinymist share: keys behind an @, and references where one is pointed at.
const vscode = require('vscode');
const { entries, position } = require('./bibliography.cjs');

const KEY = /@[\w:.-]*/;

const reference = ({ fields }) => `${fields.author}. ${fields.year}. “${fields.title}.”`;

/** Serve a language; `defines` says whether one can go from a key to its entry. */
exports.serve = ({ subscriptions }, language, { defines }) => {
  const keyAt = (document, at) => {
    const range = document.getWordRangeAtPosition(at, KEY);
    return range && { range, key: document.getText(range).slice(1) };
  };
  const entryAt = (document, at) => entries(document).find(({ key }) => key === keyAt(document, at)?.key);
  subscriptions.push(
    vscode.languages.registerCompletionItemProvider(language, {
      provideCompletionItems(document, at) {
        const found = keyAt(document, at);
        const typed = found && document.getText(new vscode.Range(found.range.start.translate(0, 1), at));
        return found && entries(document).filter(({ key }) => key.startsWith(typed)).map((entry) => Object.assign(
          new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Constant),
          { documentation: new vscode.MarkdownString(reference(entry)) }));
      },
    }, '@'),
    vscode.languages.registerHoverProvider(language, { provideHover(document, at) {
      const entry = entryAt(document, at);
      return entry && new vscode.Hover(new vscode.MarkdownString(reference(entry)), keyAt(document, at).range);
    } }),
  );
  if (!defines) return;
  subscriptions.push(vscode.languages.registerDefinitionProvider(language, { provideDefinition(document, at) {
    const entry = entryAt(document, at);
    return entry && new vscode.Location(entry.uri, position(entry.text, entry.start));
  } }));
};
