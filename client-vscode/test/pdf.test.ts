import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import test from 'node:test';

import { placeIn } from '../src/pdf/place';
import { findSentence } from '../src/pdf/sentences';
import { viewerCommand } from '../src/pdf/viewer';

test('a place is an address, with its page beside or after it', () => {
  const uri = 'file:///papers/kusner%202015.pdf';
  assert.deepEqual(placeIn({ uri }), { uri });
  assert.deepEqual(placeIn({ uri, page: 2 }), { uri, page: 2 });
  assert.deepEqual(placeIn({ uri: `${uri}#page=7` }), { uri, page: 7 });
  assert.deepEqual(placeIn({ uri: `${uri}#zoom=page-fit&page=7` }), { uri, page: 7 });
  assert.deepEqual(placeIn({ uri: `${uri}#page=7`, page: 2, sentence: 'Moving words.' }), {
    uri,
    page: 2,
    sentence: 'Moving words.',
  });
});

test('what is no page and no sentence is left out, and what is no place is none', () => {
  const uri = 'file:///papers/a.pdf';
  for (const page of [0, -1, 1.5, NaN, '3', null]) assert.deepEqual(placeIn({ uri, page }), { uri });
  assert.deepEqual(placeIn({ uri: `${uri}#page=0`, sentence: ' ' }), { uri });
  for (const argument of [undefined, null, 'file:///a.pdf', {}, { uri: 1 }, { uri: '' }, { uri: 'papers/a.pdf' }]) {
    assert.equal(placeIn(argument), undefined);
  }
});

test("the author's viewer gets the file and the page where its command has them", () => {
  const file = '/papers/with {page} & $(spaces) in it.pdf';
  assert.deepEqual(viewerCommand(['zathura', '--page={page}', '{file}'], file, 7, undefined), {
    command: 'zathura',
    args: ['--page=7', file],
  });
  assert.deepEqual(viewerCommand(['sumatrapdf', '-page', '{page}'], file, 7, undefined)?.args, ['-page', '7', file]);
  assert.deepEqual(viewerCommand(['open'], file, 7, undefined), { command: 'open', args: [file] });
  assert.deepEqual(viewerCommand(['~/bin/view', '{file}#page={page}'], '/a.pdf', 1, '/drafts'), {
    command: `${homedir()}/bin/view`,
    args: ['/a.pdf#page=1'],
  });
});

test('without a viewer in the settings there is no command', () => {
  for (const setting of [undefined, null, 'zathura', [], [''], [1, true]]) {
    assert.equal(viewerCommand(setting, '/a.pdf', 1, undefined), undefined);
  }
});

const SENTENCE = 'This is a linear programme, a special case of the efficient optimal transport problem.';

function foundIn(text: string, sentence = SENTENCE): string[] {
  return findSentence(sentence, text).map(({ index, length }) => text.slice(index, index + length));
}

test('a sentence is found across line breaks, hyphens, ligatures, accents and case', () => {
  const there = 'This  is a lin-\near programme, a special\ncase of the eﬃcient opti\u00admal transport problém';
  assert.deepEqual(foundIn(`Flows. ${there}, for which`), [there]);
  assert.deepEqual(foundIn('THIS IS BOLD: **bold** text.', 'this is bold bold'), ['THIS IS BOLD: **bold']);
});

test('letters of more than one code unit keep the places of the others', () => {
  assert.deepEqual(foundIn('𝒳𝒴 is the set of all 𝑛 words.', 'xy is the set of all n'), ['𝒳𝒴 is the set of all 𝑛']);
});

test('what is in the middle of a sentence on the page is passed over', () => {
  const [one, other] = ['This is a linear programme, a special case', 'of the efficient optimal transport problem'];
  assert.deepEqual(foundIn(`${one}\n12 M. J. Kusner et al.\n${other}.`), [one, other]);
  assert.deepEqual(foundIn(`Overleaf ends ${one}`), [one]);
  assert.deepEqual(foundIn(`${other}. So it goes on.`), [other]);
});

test('a few words that are elsewhere by chance are not the sentence', () => {
  assert.deepEqual(foundIn('Another one is a special case of the rule.'), []);
  assert.deepEqual(foundIn(''), []);
  assert.deepEqual(foundIn('Anything at all.', '…'), []);
  assert.deepEqual(foundIn('The words that are short.', 'Short.'), ['short']);
});
