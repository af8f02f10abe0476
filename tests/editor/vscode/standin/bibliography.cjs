// What the stand-ins know: the entries beside a document, and the key at a position.
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const ENTRY = /^@(\w+)\s*\{\s*([^,\s]+)\s*,([\s\S]*?)(?=^@|(?![\s\S]))/gm;
const FIELD = /(\w+)\s*=\s*[{"]?(.*?)[}"]?,?\s*$/gm;
const CITATION = /\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\]){0,2}\{([^}\n]*)\}?/g;

exports.drafts = ['latex', 'tex'].map((language) => ({ scheme: 'file', language }));
exports.all = [...exports.drafts, { scheme: 'file', language: 'bibtex' }];

/** The files of a kind beside a document, with their unsaved text. */
exports.beside = (document, suffix) => {
  const folder = path.dirname(document.uri.fsPath);
  return fs.readdirSync(folder).filter((name) => name.endsWith(suffix)).map((name) => {
    const uri = vscode.Uri.file(path.join(folder, name));
    const open = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === uri.fsPath);
    return { uri: open?.uri ?? uri, text: open?.getText() ?? fs.readFileSync(uri.fsPath, 'utf8') };
  });
};

exports.entries = (document) => exports.beside(document, '.bib').flatMap(({ uri, text }) =>
  [...text.matchAll(ENTRY)].map(([whole, kind, key, body]) => {
    const start = text.indexOf(whole);
    const fields = Object.fromEntries([...body.matchAll(FIELD)].map(([, name, value]) => [name, value.replaceAll(/[{}]/g, '')]));
    return { uri, text, kind, key, fields, start, keyStart: text.indexOf(key, start) };
  }));

exports.position = (text, offset) => {
  const lines = text.slice(0, offset).split('\n');
  return new vscode.Position(lines.length - 1, lines.at(-1).length);
};

exports.range = (text, start, length) =>
  new vscode.Range(exports.position(text, start), exports.position(text, start + length));

/** The keys of all citations of a text, with where they start. */
exports.citedKeys = (text) => [...text.matchAll(CITATION)].flatMap((citation) => {
  const list = citation.index + citation[0].lastIndexOf('{') + 1;
  return [...citation[1].matchAll(/[^,\s]+/g)].map((key) => ({ key: key[0], start: list + key.index }));
});

/** The key at a position, its range and its entry; undefined outside of citations. */
exports.citedAt = (document, position) => {
  const text = document.getText();
  const at = document.offsetAt(position);
  const inside = [...text.matchAll(CITATION)].some((one) => {
    const list = one.index + one[0].lastIndexOf('{') + 1;
    return list <= at && at <= list + one[1].length;
  });
  if (!inside) return undefined;
  const found = exports.citedKeys(text).find(({ key, start }) => start <= at && at <= start + key.length);
  const { key, start } = found ?? { key: '', start: at };
  const entry = exports.entries(document).find((one) => one.key === key);
  return { key, typed: text.slice(start, at), range: exports.range(text, start, key.length), entry };
};
