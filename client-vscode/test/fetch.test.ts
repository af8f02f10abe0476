import assert from 'node:assert/strict';
import test from 'node:test';

import { cameBack, choiceItem, discoveryQuestion, everything, everythingToDiscover, question } from '../src/library/sent';
import type { Discovery, Fetched, Missing } from '../src/wire';

const MISSING: Missing = {
  draft: 'survey.tex', plan: 'p', entries: 9, withoutAbstract: 1, unanswered: 4,
  sent: [
    { service: 'OpenAlex', host: 'api.openalex.org', dois: ['10.1/a', '10.1/b'], titles: [], hasEmail: false, hasKey: false },
    { service: 'Crossref', host: 'api.crossref.org', dois: [], titles: ['Of ponds'], hasEmail: false, hasKey: false },
  ],
};
const fetched = (more: Partial<Fetched>): Fetched => ({ changed: false, found: [], wrongDois: [], failures: [], ...more });

test('the author is asked with what is sent to whom', () => {
  const { message, detail } = question(MISSING);
  assert.equal(message, 'Look up abstracts and citing sentences for 4 entries of survey.tex on the network?');
  assert.match(detail, /^At most, this will be sent:/);
  assert.match(detail, /\n\nOpenAlex \(api\.openalex\.org\): 2 DOIs\nCrossref \(api\.crossref\.org\): 1 title\n\n/);
  assert.match(detail, /Nothing from your draft is sent/);
});

test('abstracts and citing sentences are chosen apart, each with its number', () => {
  const choice = { ...MISSING, only: 'abstracts', unanswered: 1 } as const;
  assert.deepEqual(choiceItem(choice), { label: 'Abstracts: 1 entry', description: 'of works with neither abstract nor full text' });
  assert.equal(question(choice).message, 'Look up abstracts for 1 entry of survey.tex on the network?');
  assert.equal(choiceItem({ ...MISSING, only: 'citing' }).label, 'Citing sentences: 4 entries');
});

test('the DOI of a publication is announced where references are checked', () => {
  const sentence = /For a preprint, the DOI of its published version is sent, too\./;
  const references = { ...MISSING, only: 'references' } as const;
  for (const text of [question(references).detail, everything(references)]) assert.match(text, sentence);
  for (const text of [question(MISSING).detail, everything(MISSING)]) assert.doesNotMatch(text, sentence);
});

test('all of it can be read', () => {
  const text = everything(MISSING);
  for (const part of ['- 10.1/a\n- 10.1/b', '## Crossref (api.crossref.org)\n- Of ponds']) assert.ok(text.includes(part), part);
});

test('the author is asked with the services that learn which works they cite', () => {
  const [openalex] = MISSING.sent;
  assert.ok(openalex);
  const semantic = { ...openalex, service: 'Semantic Scholar', host: 'api.semanticscholar.org' };
  const planned: Discovery = { draft: 'survey.tex', plan: 'p', entries: 3, unidentified: ['a'], requests: 54, sent: [openalex, semantic] };
  const { message, detail } = discoveryQuestion(planned);
  assert.equal(message, 'Ask OpenAlex and Semantic Scholar for the works around those that survey.tex cites?');
  assert.match(detail, /in at most 54 requests:\n\nOpenAlex \(api\.openalex\.org\): 2 DOIs\nSemantic Scholar \(api\.semanticscholar\.org\): 2 DOIs\n\n/);
  assert.match(detail, /OpenAlex and Semantic Scholar learn which works you cite\./);
  assert.match(discoveryQuestion({ ...planned, sent: [semantic] }).detail, /Semantic Scholar learns which/);
  assert.match(everythingToDiscover(planned), /## Semantic Scholar \(api\.semanticscholar\.org\)\n- 10\.1\/a\n- 10\.1\/b\n/);
});

test('the e-mail address and the key are shown where they are sent', () => {
  const sent = MISSING.sent.map((one, rank) => ({ ...one, hasEmail: rank === 0, hasKey: rank === 1 }));
  const missing = { ...MISSING, sent, email: 'ada@example.org' };
  assert.match(question(missing).detail, /\(api\.openalex\.org\): 2 DOIs, ada@example\.org\nCrossref \(api\.crossref\.org\): 1 title, your key\n/);
  assert.match(everything(missing), /- 10\.1\/b\n- ada@example\.org\n/);
});

test('what came back is reported by service, with what did not answer', () => {
  assert.equal(cameBack(fetched({})), 'Nothing new was found.');
  assert.equal(
    cameBack(fetched({
      found: [{ service: 'OpenAlex', abstracts: 2, sentences: 0 }, { service: 'Semantic Scholar', abstracts: 1, sentences: 12 }],
      failures: ['Crossref cannot be asked now: status 503'],
    })),
    'Found 2 abstracts from OpenAlex, 1 abstract and 12 citing sentences from Semantic Scholar. ' +
    'Crossref cannot be asked now: status 503. Fetch again later to resume from here.',
  );
});
