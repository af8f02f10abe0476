// Does for citations what texlab does: keys by fuzzy match, in its order; references in hovers; definitions,
// references, renaming and undefined keys.
const vscode = require('vscode');
const { all, beside, citedAt, citedKeys, drafts, entries, range } = require('./bibliography.cjs');

const MAX_ITEMS = 50;

const formatted = ({ fields: { author, title, journal, booktitle, year } }) =>
  `${[author, title, journal ?? booktitle, year].filter(Boolean).join('. ')}.`;

const matches = (typed, key) => {
  let rest = key.toLowerCase();
  return [...typed.toLowerCase()].every((letter) => {
    const at = rest.indexOf(letter);
    rest = rest.slice(at + 1);
    return at >= 0;
  });
};

function completions(document, at) {
  const cited = citedAt(document, at);
  if (!cited) return undefined;
  const matching = entries(document).filter(({ key }) => matches(cited.typed, key)).slice(0, MAX_ITEMS);
  return new vscode.CompletionList(matching.map((entry, rank) => Object.assign(
    new vscode.CompletionItem(entry.key, vscode.CompletionItemKind.Interface),
    { sortText: String(rank).padStart(2, '0'), preselect: false, range: cited.range, insertText: entry.key,
      filterText: [entry.key, entry.kind, ...Object.values(entry.fields)].join(' '),
      documentation: new vscode.MarkdownString(formatted(entry)) })), true);
}

/** The key at a position of a draft or a bibliography. */
function keyAt(document, at) {
  if (document.languageId !== 'bibtex') return citedAt(document, at)?.key;
  const offset = document.offsetAt(at);
  return entries(document).find(({ uri, keyStart, key }) =>
    uri.fsPath === document.uri.fsPath && keyStart <= offset && offset <= keyStart + key.length)?.key;
}

function places(document, wanted) {
  const declared = entries(document).filter(({ key }) => key === wanted)
    .map(({ uri, text, key, keyStart }) => new vscode.Location(uri, range(text, keyStart, key.length)));
  const cited = beside(document, '.tex').flatMap(({ uri, text }) => citedKeys(text).filter(({ key }) => key === wanted)
    .map(({ key, start }) => new vscode.Location(uri, range(text, start, key.length))));
  return { declared, cited };
}

/** The places of the key at a position that are in its document. */
function placesHere(document, at) {
  const { declared, cited } = places(document, keyAt(document, at));
  return [...declared, ...cited].filter(({ uri }) => uri.fsPath === document.uri.fsPath);
}

exports.activate = ({ subscriptions }) => {
  const undefinedKeys = vscode.languages.createDiagnosticCollection('texlab');
  const publish = (document) => {
    if (!['latex', 'tex'].includes(document.languageId)) return;
    const known = new Set(entries(document).map(({ key }) => key));
    undefinedKeys.set(document.uri, citedKeys(document.getText()).filter(({ key }) => !known.has(key)).map(({ key, start }) =>
      Object.assign(new vscode.Diagnostic(range(document.getText(), start, key.length), 'Undefined reference'), { source: 'texlab' })));
  };
  vscode.workspace.textDocuments.forEach(publish);
  subscriptions.push(
    undefinedKeys,
    vscode.workspace.onDidOpenTextDocument(publish),
    vscode.workspace.onDidChangeTextDocument(({ document }) => publish(document)),
    vscode.languages.registerCompletionItemProvider(drafts, { provideCompletionItems: completions }, '\\', '{', '}', '@', '/', ' '),
    vscode.languages.registerHoverProvider(drafts, { provideHover(document, at) {
      const cited = citedAt(document, at);
      return cited?.entry && new vscode.Hover(new vscode.MarkdownString(formatted(cited.entry)), cited.range);
    } }),
    vscode.languages.registerDefinitionProvider(all, { provideDefinition: (document, at) => places(document, keyAt(document, at)).declared }),
    vscode.languages.registerReferenceProvider(all, { provideReferences(document, at, { includeDeclaration }) {
      const { declared, cited } = places(document, keyAt(document, at));
      return includeDeclaration ? [...cited, ...declared] : cited;
    } }),
    vscode.languages.registerRenameProvider(all, {
      prepareRename: (document, at) => placesHere(document, at).find(({ range: { start, end } }) => start.isBeforeOrEqual(at) && end.isAfterOrEqual(at))?.range,
      provideRenameEdits(document, at, name) {
        const edit = new vscode.WorkspaceEdit();
        const { declared, cited } = places(document, keyAt(document, at));
        for (const place of [...declared, ...cited]) edit.replace(place.uri, place.range, name);
        return edit;
      },
    }),
  );
};
