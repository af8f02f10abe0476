import assert from 'node:assert/strict';
import test from 'node:test';

import { hintFor, rowOf, suggested } from '../src/commands/suggestions';
import type { Recommendations, Work } from '../src/wire';

const work: Work = {
  key: 'kusner2015wmd',
  authorYear: 'Kusner et al. 2015',
  title: 'From Word Embeddings to Document Distances',
  basis: ['full text'],
  reason: 'full text: words, distance',
};
const sentence = { text: 'Words travel\n  at the lowest cost.', score: 0.4, matched: [] };

test('a row shows who and when, what it is called, and why it is there', () => {
  assert.deepEqual(rowOf(work), {
    label: 'Kusner et al. 2015',
    description: 'From Word Embeddings to Document Distances · kusner2015wmd',
    detail: 'full text: words, distance',
  });
});

test('the best supporting sentence stands for the reason, with the page as it is printed', () => {
  const detail = (parts: Partial<Work>): string => rowOf({ ...work, ...parts }).detail;
  assert.equal(detail({ supporting: [{ ...sentence, page: 2, pageLabel: '958' }] }), 'p. 958 “Words travel at the lowest cost.”');
  assert.equal(detail({ supporting: [{ ...sentence, page: 2 }] }), 'p. 2 “Words travel at the lowest cost.”');
  assert.equal(detail({ supporting: [sentence] }), '“Words travel at the lowest cost.”');
  assert.equal(detail({ supporting: [sentence], fromLibrary: true }), 'from your library · “Words travel at the lowest cost.”');
  assert.equal(detail({ supporting: [sentence], discovered: true, reason: 'cited by 3 of the works you cite' }), 'cited by 3 of the works you cite');
});

test('without a sentence, the row states what is missing', () => {
  const remark = 'Only the title is known. Put `kusner2015wmd.pdf` into a `papers` folder.';
  assert.equal(
    rowOf({ ...work, supporting: [], remark }).detail,
    'full text: words, distance · Only the title is known. Put kusner2015wmd.pdf into a papers folder.',
  );
  assert.equal(rowOf({ ...work, reason: '' }).detail, 'Nothing in common with this text.');
});

test('an entry without author and year goes by its key, and mathematics in titles is no icon', () => {
  const { label, description } = rowOf({ ...work, authorYear: '', title: 'An $(k+1)$ bound for $(n)$ words' });
  assert.deepEqual([label, description], ['kusner2015wmd', 'An \\$(k+1)$ bound for \\$(n)$ words']);
});

test('what is cited there is not suggested', () => {
  const other = { ...work, key: 'other' };
  const ranked = { items: [work, other], cited: ['kusner2015wmd'] } as unknown as Recommendations;
  assert.deepEqual(suggested(ranked), [other]);
});

test('the hint is the citance, cut at a word', () => {
  assert.equal(hintFor('Common words carry little.'), '“Common words carry little.”');
  assert.match(hintFor('word '.repeat(60)), /^“word .{130,150} word…”$/);
  assert.equal(hintFor(''), 'Filter by author, title or key');
});
