import assert from 'node:assert/strict';
import test from 'node:test';

import { mayNameWork, question, rowOf } from '../src/commands/namedWork';
import type { FoundWorks } from '../src/wire';

test('the clipboard is offered where it names a work', () => {
  for (const text of [
    '@article{x,\n title = {W}}', 'TY  - JOUR\nER  -', '[{"id": "x"}]', '10.1162/coli.2008.34.1.1', 'https://doi.org/10.1000/x', 'arXiv:1706.03762',
    'https://arxiv.org/abs/1706.03762v2', 'PMID: 123', 'ISBN 978-0-306-40615-7', 'https://pubmed.ncbi.nlm.nih.gov/18271234/',
  ]) assert.ok(mayNameWork(text), text);
  for (const text of ['', 'a password', 'Some words of a draft.', 'ann@example.org', 'See 10.1000/x for more']) assert.ok(!mayNameWork(text), text);
});

test('the author is asked with all that is sent', () => {
  const found: FoundWorks = {
    works: [], plan: 'p', remarks: [], email: 'ada@example.org',
    sent: [
      { service: 'doi.org', host: 'doi.org', values: ['DOI 10.1000/x'], hasEmail: true, hasKey: false },
      { service: 'OpenAlex', host: 'api.openalex.org', values: ['DOI 10.1000/x'], hasEmail: false, hasKey: true },
    ],
  };
  const { message, detail } = question('“10.1000/x”', found);
  assert.equal(message, 'Look up “10.1000/x” on the network?');
  assert.match(detail, /\ndoi\.org: DOI 10\.1000\/x, ada@example\.org\nOpenAlex \(api\.openalex\.org\): DOI 10\.1000\/x, your key\n/);
  assert.match(detail, /Nothing of your draft is sent/);
});

test('a row has people, title and where it was found', () => {
  const work = { key: 'k', title: 'Words', authorYear: 'Ryan 1985', origin: 'Crossref', entry: '@x', meant: false };
  assert.deepEqual(rowOf(work), { label: 'Ryan 1985', description: 'Words', detail: 'from Crossref' });
  assert.equal(rowOf({ ...work, there: 'ryan' }).detail, 'in the bibliography already: ryan');
});
