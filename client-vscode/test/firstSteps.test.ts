import assert from 'node:assert/strict';
import test from 'node:test';

import { firstSteps } from '../src/firstSteps';
import { shownFirstSteps } from '../src/rows';
import { KNOWN } from './states';

const CREATE = { title: 'Create references.bib and name it', why: 'main.tex names no bibliography.', command: 'pincite.createBibliography', arguments: [{ uri: 'file:///main.tex' }] };
const EMPTY = { ...KNOWN, entries: 0, fullTexts: 0, abstracts: 0, titles: 0, broken: 0 };

test('a draft without a bibliography gets what the server offers', () => {
  const steps = firstSteps({ ...EMPTY, offers: [CREATE] });
  assert.equal(steps?.why, CREATE.why);
  assert.deepEqual(steps.offers.map(({ label }) => label), [CREATE.title]);
});

test('where nothing is offered, as beside a README, the view shows how to get one, once all is read', () => {
  assert.match(firstSteps(EMPTY)?.why ?? '', /^There is no bibliography with an entry yet\. Begin a citation/);
  assert.equal(firstSteps({ ...EMPTY, state: 'reading' }), undefined);
  assert.equal(firstSteps(KNOWN), undefined);
  assert.equal(firstSteps(undefined), undefined);
});

test('as rows they do the same', () => {
  const steps = firstSteps({ ...EMPTY, offers: [CREATE] });
  assert.ok(steps);
  const { message, rows } = shownFirstSteps(steps);
  assert.equal(message, CREATE.why);
  assert.deepEqual(rows.map(({ click }) => click), [{ command: CREATE.command, argument: CREATE.arguments[0] }]);
});
