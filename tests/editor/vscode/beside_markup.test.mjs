// Beside the extensions of Quarto and of Typst: stand-ins that do what those do for citations.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

/** How long starting, and reading the papers, may take. */
const READ_MS = 120_000;

/** What holds beside either of them, in its draft of `examples/`, in which `gap` is an empty citation. */
function beside(peer, draft, { gap, best, cited, typed }) {
  describe(`beside ${peer}`, () => {
    let editor;
    before(async () => {
      editor = await Editor.onExamples({ file: draft, standins: [peer] });
    }, { timeout: 180_000 });
    afterEach((t) => pictureOfFailure(editor, t));
    after(() => editor?.stop());

    const isOurs = ({ authorYear }) => authorYear !== '';

    test('our suggestions come first, and the first one is chosen', async () => {
      await editor.goBehind(gap, draft);
      await eventually(async () => (await editor.suggest())[0]?.key, best, READ_MS); // once the papers are read
      const rows = await editor.list();
      assert.ok(rows[0].focused);
      assert.ok(rows.every(isOurs), 'ours fill the window');
      await editor.screenshot(`beside-${peer}`);
      await editor.hit('Escape');
    });

    test('so they do when letters are typed; the others follow', async () => {
      await editor.goBehind(typed, draft);
      await editor.type(' @teufel');
      await until(async () => (await editor.list()).filter(isOurs).length === 2, 30_000, 'two works of Teufel');
      const rows = await editor.list();
      assert.deepEqual(rows.map(isOurs), [true, true, false, false]);
      assert.ok(rows[0].focused);
      await editor.screenshot(`beside-${peer}-letters`);
      await editor.hit('Tab');
      assert.ok((await editor.saved(draft)).includes(`${typed} @${rows[0].key}`));
    });

    test('of two hovers ours has the evidence, the other one the reference', async () => {
      await editor.goBehind(cited, draft);
      const parts = await editor.hover(/— (strong|partial|weak)/);
      const ours = parts.filter((part) => /— (strong|partial|weak)/.test(part));
      assert.deepEqual([parts.length, ours.length], [2, 1]);
      const [theirs] = parts.filter((part) => !ours.includes(part));
      const [, title] = /“(.*)\.”/.exec(theirs);
      assert.ok(!ours[0].includes(title));
      await editor.screenshot(`beside-${peer}-hover`);
      await editor.hit('Escape');
    });

    test('from a key to its entry, without a question', async () => {
      await editor.goBehind(cited, draft);
      await editor.hit('F12');
      await eventually(() => editor.activeTab(), 'references.bib');
      await editor.run('View: Close Editor');
    });
  });
}

beside('quarto', 'notes.qmd', {
  gap: 'a problem of transport [@',
  best: 'kusner2015wmd',
  cited: 'one answer [@qazvinian',
  typed: 'how long the document is, as derived',
});
