// Beside Quarto's extension, Pandoc Citer and Tinymist: stand-ins that do what those do for citations in Markdown and Typst.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

/** How long starting, and reading the papers, may take. */
const READ_MS = 120_000;

/** What the drafts have: an empty citation, where one can be typed, and a key with the author, the title and the place of its work. */
const IN_QUARTO = {
  gap: 'the cost of moving them [@', typed: 'how long the document is, as derived',
  cited: 'one answer [@qazv', work: 'Qazvinian and Radev 2008', title: 'Scientific Paper Summarization', entry: '{qazvinian2008networks',
};
const IN_TYPST = {
  gap: 'text have to be moved @', typed: 'is the oldest of them',
  cited: 'agreement and learned @teufel', work: 'Teufel et al. 2006', title: 'Automatic Classification of Citation Function', entry: '{teufel2006function',
};

function beside(peer, draft, { gap, typed, cited, work, title, entry }) {
  describe(`beside ${peer}`, () => {
    let editor;
    before(async () => {
      editor = await Editor.onExamples({
        file: draft,
        standins: [peer],
        prepare({ workspace }) {
          if (draft === 'paper.md') fs.renameSync(path.join(workspace, 'notes.qmd'), path.join(workspace, draft));
          if (gap === IN_TYPST.gap) {
            const text = fs.readFileSync(path.join(workspace, draft), 'utf8');
            fs.writeFileSync(path.join(workspace, draft), text.replace('= What can', () => `The words of a ${gap}.\n\n= What can`));
          }
        },
      });
    }, { timeout: 180_000 });
    afterEach((t) => pictureOfFailure(editor, t));
    after(() => editor?.stop());

    const isOurs = ({ authorYear }) => authorYear !== '';

    test('our suggestions come first, and the first one is chosen', async () => {
      await editor.goBehind(gap, draft);
      const rows = await until(async () => {
        const shown = await editor.suggest();
        return shown.some(isOurs) && shown;
      }, READ_MS, 'a list of ours');
      assert.ok(rows.every(isOurs), 'ours fill the window');
      assert.ok(rows[0].focused);
      await editor.screenshot(`beside-${peer}`);
      await editor.hit('Escape');
    });

    test('so they do when letters are typed; each of ours is there once, the others follow', async () => {
      await editor.goBehind(typed, draft);
      await editor.type(' anew by @teu');
      await eventually(async () => {
        const rows = await editor.list();
        const ours = rows.filter(isOurs);
        const oursComeFirst = rows.slice(0, ours.length).every(isOurs);
        return { keys: ours.map(({ key }) => key).sort(), others: rows.length > ours.length, oursComeFirst, focused: rows[0]?.focused };
      }, { keys: ['teufel2002zoning', 'teufel2006function'], others: true, oursComeFirst: true, focused: true });
      await editor.screenshot(`beside-${peer}-letters`);
      const [{ key }] = await editor.list();
      await editor.hit('Tab');
      assert.ok((await editor.saved(draft)).includes(`${typed} anew by @${key}`));
    });

    test('of two hovers ours has the evidence, the other one the reference', async () => {
      await editor.goBehind(cited, draft);
      const parts = await until(async () => {
        const shown = await editor.hover(new RegExp(work));
        return shown.length > 1 && shown;
      }, READ_MS, 'two hovers');
      assert.deepEqual(parts.map((part) => [part.includes(work), part.includes(title)]).sort(), [[false, true], [true, false]]);
      await editor.screenshot(`beside-${peer}-hover`);
      await editor.hit('Escape');
    });

    test('from a key to its entry, without a question', async () => {
      await editor.goBehind(cited, draft);
      await editor.hit('F12');
      await eventually(() => editor.activeTab(), 'references.bib');
      await eventually(() => editor.line(), editor.behind(entry, 'references.bib').line);
      await editor.run('View: Close Editor');
    });
  });
}

beside('quarto', 'notes.qmd', IN_QUARTO);
beside('pandoc-citer', 'paper.md', IN_QUARTO);
beside('tinymist', 'notes.typ', IN_TYPST);
