import assert from 'node:assert/strict';
import test from 'node:test';
import type { TextDocument } from 'vscode';

import manifest from '../package.json';
import { beginsToCite, DRAFTS, endsInCitation, isDocument, isDraft, isServed, LANGUAGES, mayCiteNothing, namesBibliography } from '../src/languages';

const document = (languageId: string, path: string, scheme = 'file'): TextDocument =>
  ({ languageId, uri: { path, scheme } as unknown }) as TextDocument;

test('a draft is known by its language, and in Quarto, R Markdown and Typst by its name', () => {
  const drafts = [['latex', '/a.tex'], ['markdown', '/a.md'], ['quarto', '/a.qmd'], ['plaintext', '/a.qmd'], ['r', '/a.Rmd'],
    ['typst', '/a.typ'], ['plaintext', '/a.typ'], ['typst', 'Untitled-1']] as const;
  for (const [language, path] of drafts) assert.ok(isDraft(document(language, path)), `${language} ${path}`);
  for (const [language, path] of [['plaintext', '/a.md'], ['bibtex', '/refs.bib'], ['yaml', '/refs.yml'], ['typescript', '/a.ts']] as const) {
    assert.ok(!isDraft(document(language, path)), `${language} ${path}`);
  }
  assert.ok(!isDraft(document('typst', '/a.typ', 'git')));
  for (const scheme of ['overleaf-workshop', 'vscode-vfs', 'untitled']) assert.ok(isDraft(document('latex', '/a.tex', scheme)), scheme);
  for (const scheme of ['output', 'vscode-notebook-cell', 'vscode-chat-code-block']) {
    assert.ok(!isDocument(document('latex', '/a.tex', scheme)) && !isDraft(document('latex', '/a.tex', scheme)), scheme);
  }
  assert.ok(isServed(document('bibtex', '/refs.bib')) && isServed(document('plaintext', '/a.typ')));
});

test('in Markdown and Typst a document may cite nothing, in LaTeX it is a draft', () => {
  for (const one of [document('markdown', '/README.md'), document('plaintext', '/slides.typ'), document('typst', '/cv.typ')]) {
    assert.ok(mayCiteNothing(one));
  }
  assert.ok(!mayCiteNothing(document('latex', '/a.tex')));
});

test('what names the bibliography', () => {
  const named = ['---\ntitle: T\nbibliography: refs.bib\n---\n', '---\nreferences:\n- id: a\n---\n', '#bibliography("refs.bib")\n',
    `${'= Words\n\nMany.\n'.repeat(5_000)}#bibliography("refs.yml", style: "apa")\n`];
  for (const text of named) assert.ok(namesBibliography(text), text.slice(0, 60));
  for (const text of ['# A tool\n\nSee the bibliography: none.\n', 'references: see below\n', '= Slides\n\nNo @key here.\n']) {
    assert.ok(!namesBibliography(text), text);
  }
});

test('every language begins the extension, and every draft has the commands', () => {
  for (const language of LANGUAGES) assert.ok(manifest.activationEvents.includes(`onLanguage:${language}`), language);
  const { keybindings, menus } = manifest.contributes;
  const when = [...keybindings, ...menus.commandPalette, ...menus['editor/context']]
    .filter(({ command }) => ['pincite.suggestHere', 'pincite.suggestDiscovered', 'pincite.showEvidence'].includes(command)).map((one) => one.when);
  assert.equal(when.length, 7);
  for (const condition of when) {
    const patterns = [...condition.matchAll(/(\w+) =~ \/(.*?)\/ *(?:\|\||$)/g)].map(([, name, pattern]) => ({ name, pattern: new RegExp(pattern ?? '') }));
    const holds = (value: string, name: string): boolean => patterns.some((one) => one.name === name && one.pattern.test(value));
    for (const language of DRAFTS) assert.ok(holds(language, 'editorLangId'), `${language} in ${condition}`);
    for (const suffix of ['.md', '.qmd', '.Rmd', '.typ']) assert.ok(holds(suffix, 'resourceExtname'), `${suffix} in ${condition}`);
    assert.ok(!holds('typescript', 'editorLangId') && !holds('.txt', 'resourceExtname'));
  }
});

test('a document begins to cite in brackets or with a call, and a README does not', () => {
  const paper = document('markdown', '/paper.md');
  for (const text of ['Words [@', 'Words [see -@\nMore', '[@key]', '[@one; @two]', 'Words {cite:p}`', '#cite(<']) assert.ok(beginsToCite(paper, text), text);
  for (const text of ['Thanks to @', 'a@', '[me@x.org]', '[there](x) @', '[@bob](https://x.org)', '[@bob]: https://x.org', '`']) {
    assert.ok(!beginsToCite(paper, text), text);
  }
  assert.ok(!beginsToCite(document('markdown', '/README.md'), 'Thanks to [@'));
});

test('a citation that is begun and not closed', () => {
  const begun = ['Moves \\cite{', '\\citep[see][p. 2]{a, b', '\\textcite*{', '\\Parencites{', 'Moves [@', 'Moves [see @a; -@to', 'Moves #cite(<', '#cite(<to'];
  for (const text of begun) assert.ok(endsInCitation(text), text);
  for (const text of ['', 'Moves \\cite', '\\cite{a}', '\\cite{a} and {', '\\section{', 'me@', '[@a] ', '[a](b)', '#cite(<a>)', `\\cite{${'a'.repeat(300)}`]) {
    assert.ok(!endsInCitation(text), text);
  }
});
