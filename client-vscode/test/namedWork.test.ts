import assert from 'node:assert/strict';
import test from 'node:test';

import { question, rowOf } from '../src/commands/namedWork';
import type { FoundWorks } from '../src/wire';

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
  assert.match(detail, /Nothing from your draft is sent/);
});

test('a row has people, title and where it was found', () => {
  const work = { key: 'k', title: 'Words', authorYear: 'Ryan 1985', origin: 'Crossref', entry: '@x', meant: false };
  assert.deepEqual(rowOf(work), { label: 'Ryan 1985', description: 'Words', detail: 'from Crossref' });
  assert.equal(rowOf({ ...work, there: 'ryan' }).detail, 'in the bibliography already: ryan');
});
