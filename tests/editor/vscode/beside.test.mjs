// Beside LaTeX Workshop, and beside texlab: stand-ins that do what those do for citations.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const GAP = 'shuffled ones \\citep{';
const MISSPELT = 'The entity grid tells a text from its shuffled versions \\citep{barzilay2008coherense}.\n\n';

/** What holds beside either of them; `left` is what we leave to this one. */
function beside(peer, left) {
  describe(`beside ${peer}`, () => {
    let editor;
    before(async () => {
      editor = await Editor.onExamples({
        standins: [peer],
        prepare({ workspace }) {
          const draft = path.join(workspace, 'survey.tex');
          fs.writeFileSync(draft, fs.readFileSync(draft, 'utf8').replace('\\bibliographystyle', () => `${MISSPELT}\\bibliographystyle`));
        },
      });
    }, { timeout: 180_000 });
    afterEach((t) => pictureOfFailure(editor, t));
    after(() => editor?.stop());

    /** The list as it is: which rows are ours, and how many. */
    const shown = async () => {
      const rows = await editor.list();
      const ours = rows.filter(({ authorYear }) => authorYear !== '');
      return { rows, ours, first: rows[0]?.key, oursComeFirst: ours.length > 0 && rows.slice(0, ours.length).every((row) => ours.includes(row)) };
    };

    test('our suggestions come first, and the first one is chosen', async () => {
      const ranking = await editor.ranking(GAP);
      await editor.goBehind(GAP);
      await eventually(async () => (await editor.suggest()).slice(0, 10).map(({ key }) => key), ranking.slice(0, 10));
      const { rows } = await shown();
      assert.ok(rows.every(({ authorYear }) => authorYear !== ''), 'ours fill the window');
      assert.ok(rows[0].focused);
      await editor.screenshot(`beside-${peer}`);
      await editor.hit('Escape');
    });

    test('so they do at \\cite{, and when letters are typed; the others follow', async () => {
      await editor.goBehind('An older line of work\nlabels whole sentences');
      await editor.type(' \\cite{');
      await until(async () => (await shown()).ours.length, 30_000, 'a list at \\cite{');
      assert.ok((await shown()).oursComeFirst);
      assert.ok((await shown()).rows[0].focused);
      await editor.type('teu');
      await eventually(async () => {
        const { rows, ours, oursComeFirst } = await shown();
        return { keys: ours.map(({ key }) => key).sort(), others: rows.length > ours.length, oursComeFirst, focused: rows[0]?.focused };
      }, { keys: ['teufel2002zoning', 'teufel2006function'], others: true, oursComeFirst: true, focused: true });
      await editor.screenshot(`beside-${peer}-letters`);
      const first = (await shown()).first;
      await editor.hit('Tab');
      assert.ok((await editor.saved()).includes(`sentences \\cite{${first}}:`));
    });

    test('prose is left alone', async () => {
      await editor.goBehind('In the opening of an article,');
      await editor.type(' however, ');
      assert.deepEqual((await shown()).ours, []);
      await editor.suggest();
      assert.deepEqual((await shown()).ours, []);
      await editor.hit('Escape');
      assert.ok((await editor.saved()).includes('In the opening of an article, however, \n'));
    });

    test('of two hovers ours has the evidence, the other one the reference', async () => {
      await editor.goBehind('from days to seconds \\citep{rei');
      const parts = await editor.hover(/some 65 hours on a modern graphics processor/);
      const ours = parts.filter((part) => part.includes('some 65 hours'));
      const theirs = parts.filter((part) => part.includes('Sentence Embeddings using Siamese'));
      assert.deepEqual([parts.length, ours.length, theirs.length], [2, 1, 1]);
      assert.ok(!ours[0].includes('Sentence Embeddings using Siamese'));
      await editor.screenshot(`beside-${peer}-hover`);
      await editor.hit('Escape');
    });

    test('an undefined key is marked once', async () => {
      const marks = await until(async () => {
        const lines = (await editor.problems()).filter((text) => text.includes(` at line ${editor.behind('coherense').line} `));
        return lines.length && lines;
      }, 30_000, 'the mark of an undefined key');
      assert.equal(marks.length, 1);
      assert.match(marks[0], left.includes('diagnostics') ? /Undefined reference/ : /barzilay2008coherense/);
    });

    test('from a key to its entry, without a question', async () => {
      await editor.goBehind('{he2010');
      await editor.hit('F12');
      await eventually(() => editor.activeTab(), 'references.bib');
      await eventually(() => editor.line(), editor.behind('{he2010context', 'references.bib').line);
      await editor.run('View: Close Editor');
    });

    test('each place of a key is listed once', async () => {
      // The stand-in for texlab looks at all drafts of the folder, we at those that the draft is made of.
      const drafts = left.includes('references') ? ['survey.tex', 'earlier-draft.tex'] : ['survey.tex', ...sections(editor)];
      const files = [...drafts, 'references.bib'];
      const places = files.flatMap((file) => [...fs.readFileSync(editor.path(file), 'utf8').matchAll(/\{(?:[^}]*,)?duma2014resolution/g)]);
      await editor.goBehind('better than either alone \\citep[p.~362]{duma');
      await editor.hit('Shift+F12');
      await editor.page.locator('.peekview-title', { hasText: `References (${places.length})` }).waitFor();
      await editor.hit('Escape');
    });

    test('a key is renamed, once, in the draft and in the bibliography', async () => {
      await editor.goBehind('{swales');
      await editor.hit('F2');
      await editor.page.locator('.rename-box input').fill('swales1990moves');
      await editor.hit('Enter');
      await editor.page.locator('.view-line', { hasText: '\\citep{swales1990moves}.' }).waitFor();
      await editor.saved();
      await eventually(() => fs.readFileSync(editor.path('references.bib'), 'utf8').split('swales1990moves').length, 2);
      assert.doesNotMatch(fs.readFileSync(editor.path('references.bib'), 'utf8'), /swales1990genre/);
      assert.deepEqual(await editor.messages(), []);
    });
  });
}

const sections = (editor) => fs.readdirSync(editor.path('sections')).map((name) => `sections/${name}`);

beside('latex-workshop', ['definition']);
beside('texlab', ['definition', 'references', 'rename', 'diagnostics']);
