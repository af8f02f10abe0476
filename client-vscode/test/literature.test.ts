import assert from 'node:assert/strict';
import test from 'node:test';

import { foundRow, problemWith, promptFor } from '../src/commands/literature';
import type { Literature } from '../src/wire';

const services = ['OpenAlex', 'Crossref', 'arXiv'].map((service) => ({ service, host: service, hasEmail: false, hasKey: false }));
const proposed: Literature = { words: 'meadows sediment', sent: services };

test('the prompt names who gets the words, the address and the key', () => {
  assert.equal(promptFor(proposed), 'These words are sent to OpenAlex, Crossref and arXiv. Nothing else from your draft is sent.');
  const [openAlex, crossref, arXiv] = services as [typeof services[0], typeof services[0], typeof services[0]];
  const sent = [{ ...openAlex, hasEmail: true, hasKey: true }, { ...crossref, hasEmail: true }, arXiv];
  assert.equal(
    promptFor({ ...proposed, sent, email: 'ann@example.org' }),
    'These words are sent to OpenAlex, Crossref and arXiv, OpenAlex and Crossref also your address ann@example.org, OpenAlex also your key. ' +
      'Nothing else from your draft is sent.',
  );
});

test('words have a letter or a digit, of any script', () => {
  for (const words of ['ponds', '1950', 'Ö', '漢字']) assert.equal(problemWith(words), undefined);
  for (const words of ['', '  ', '?!']) assert.equal(problemWith(words), 'Enter words to search for.');
});

test('a row shows who, when and what, why it is there, and what it is in', () => {
  const work = { key: 'elder1950', authorYear: 'Elder 1950', title: 'Meadows', basis: [], discovered: true, reason: 'found by arXiv' };
  assert.deepEqual(foundRow({ ...work, venue: 'Journal of\n$(n) meadows' }), {
    label: 'Elder 1950', description: 'Meadows · elder1950', detail: 'found by arXiv · Journal of \\$(n) meadows',
  });
  assert.equal(foundRow(work).detail, 'found by arXiv');
});
