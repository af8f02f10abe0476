import assert from 'node:assert/strict';
import test from 'node:test';

import { COMMANDS, content, marked, page, shortened } from '../src/evidence/page';
import { escaped } from '../src/html';
import { type Citation, NOTHING_OPENED, type Placeholder } from '../src/evidence/state';
import type { Status, Supporting, Work } from '../src/wire';
import { STATES } from './states';

const KNOWN = { state: 'ready', entries: 25, fullTexts: 13, abstracts: 7, titles: 5, broken: 0 } as const;
const SENTENCE: Supporting = { text: 'Rare words count.', score: 0.4, matched: [[0, 4]], page: 2, pageLabel: '958', section: '3 Weights' };
const WORK: Work = {
  key: 'kusner2015wmd',
  authorYear: 'Kusner et al. 2015',
  title: 'From Word Embeddings to Document Distances',
  basis: ['full text'],
  supporting: [SENTENCE],
  file: 'file:///papers/kusner.pdf',
  entry: { uri: 'file:///references.bib', range: { start: { line: 1, character: 9 }, end: { line: 1, character: 22 } } },
};
const PLACE = { uri: 'file:///draft.tex', start: { line: 3, character: 7 }, complete: true, known: KNOWN, citance: 'Words count.', opened: NOTHING_OPENED };
const citation = (works: Work[], more: Partial<Citation> = {}): string => content({ kind: 'citation', ...PLACE, works, ...more });
const placeholder = (works: Work[], more: Partial<Placeholder> = {}): string => content({ kind: 'placeholder', ...PLACE, works, ...more });

/** What a reader sees. */
function text(html: string): string {
  return html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ').trim();
}

test('matched words are marked, by UTF-16 code units', () => {
  assert.equal(marked('An 😀 idea', [[6, 10]]), 'An 😀 <mark>idea</mark>');
  assert.equal(marked('one two', [[4, 7], [0, 3]]), '<mark>one</mark> <mark>two</mark>');
});

test('ranges that a text does not have leave it as it is', () => {
  for (const ranges of [[[2, 2]], [[3, 1]], [[0, 99]], [[-4, 2]]] as [number, number][][]) assert.equal(marked('words', ranges), 'words');
  assert.equal(marked('words', [[0, 3], [2, 5]]), '<mark>wor</mark>ds');
});

test('nothing that papers, entries and drafts hold becomes markup', () => {
  const evil = `<img src=x onerror="a('b')">&amp;`;
  const work: Work = {
    ...WORK, key: evil, authorYear: evil, title: evil, reason: evil, remark: evil, doi: evil, basis: [],
    supporting: [{ text: evil, score: 0, strength: evil as 'partial', matched: [[0, 4]], section: evil, page: 1, pageLabel: evil }],
  };
  const shown = [
    citation([work, WORK], { citance: evil, key: evil, others: [work], opened: { others: true, keys: new Set([evil]) } }),
    placeholder([work, { ...work, fromLibrary: true }], { citance: evil }),
    content({ kind: 'preview', work }),
  ];
  for (const html of shown) {
    assert.doesNotMatch(html, /<img|&(?!amp;|lt;|gt;|quot;|#39;)/);
    for (const [tag] of html.matchAll(/<[^>]*>/g)) assert.match(tag, /^<\/?[a-z][a-z0-9]*( [a-z-]+="[^"<>]*"| hidden)*>$/);
  }
});

test('a screen reader pauses between the facts of a work', () => {
  const spoken = citation([{ ...WORK, doi: '10.1/2' }]).replace(/<span[^>]*aria-hidden="true"[^>]*>[^<]*<\/span>/g, '');
  assert.match(text(spoken), /kusner2015wmd , PDF , DOI/);
});

test('an id has no white space, which would make two of it', () => {
  const html = citation([{ ...WORK, key: 'two words' }]);
  for (const [, id] of html.matchAll(/ (?:id|aria-labelledby|aria-controls)="([^"]*)"/g)) assert.doesNotMatch(id ?? '', /\s/);
});

test('a citation shows what its works say, and where', () => {
  const html = citation([WORK]);
  assert.match(html, /<blockquote[^>]*><mark>Rare<\/mark> words count\.<\/blockquote>/);
  assert.match(text(html), /^Supporting sentences “Words count.” Kusner et al. 2015 From Word Embeddings to Document Distances/);
  // The link opens the page of the file.
  assert.match(text(html), /p\. 958 , 3 Weights Pin page 958/);
  assert.match(html, /aria-label="Pin page 958 in the citation of Kusner et al. 2015"/);
  assert.match(html, /<h2 id="name-kusner2015wmd">/);
});

test('how strong a sentence is, is stated and seen', () => {
  const html = citation([{ ...WORK, supporting: [{ ...SENTENCE, strength: 'partial', probability: 0.52 }] }]);
  assert.match(html, /<li class="partial">/);
  assert.match(text(html), /partial support , p\. 958/);
});

test('a sentence of a file in Zotero has a link that opens it there', () => {
  const html = citation([{ ...WORK, supporting: [{ ...SENTENCE, zotero: 'zotero://open-pdf/library/items/ABCDEFGH?page=958' }] }]);
  assert.match(html, /<button type="button" class="link" data-action="zotero"[^>]*data-sentence="0"[^>]*>Zotero<\/button>/);
  assert.doesNotMatch(citation([{ ...WORK, supporting: [SENTENCE] }]), /zotero/i);
});

test('what the author highlighted is marked as such', () => {
  const html = citation([{ ...WORK, supporting: [{ ...SENTENCE, strength: 'strong', highlighted: true }] }]);
  assert.match(text(html), /strong support , you highlighted this, p\. 958/);
  const noted = citation([{ ...WORK, supporting: [{ ...SENTENCE, highlighted: true, comment: 'for <chapter> 2' }] }]);
  assert.match(noted, /you highlighted this: “for &lt;chapter&gt; 2”, /);
});

test('a full text without pages opens at its section', () => {
  const { text: words, score, matched, section = '' } = SENTENCE;
  const pageless = { text: words, score, matched, section };
  const html = citation([{ ...WORK, supporting: [pageless] }]);
  assert.match(html, /data-sentence="0" aria-label="3 Weights, open Kusner et al\. 2015 there">3 Weights<\/button>/);
  assert.doesNotMatch(html, /data-action="pin"/);
});

test('the work at the cursor is marked among several', () => {
  const other = { ...WORK, key: 'other' };
  assert.match(citation([WORK, other], { key: 'other' }), /<article id="work-other"[^>]* aria-current="true"/);
  assert.doesNotMatch(citation([WORK], { key: WORK.key }), /aria-current/);
});

test('what is not there leaves no trace', () => {
  const html = citation([{ key: 'ghost', authorYear: '', title: '', basis: [], remark: 'No bibliography of the draft has the key `ghost`.' }]);
  assert.match(html, /has the key <code>ghost<\/code>\./);
  assert.doesNotMatch(html, /undefined|class="(facts|title)"|data-action="(entry|file|doi|pin)"/);
  const { file, ...noFile } = WORK;
  assert.ok(file);
  assert.doesNotMatch(citation([noFile]), /data-action="file"/);
});

test('a remark keeps a single backtick', () => {
  assert.match(citation([{ ...WORK, remark: 'Odd ` and `a&b`' }]), /Odd <code> and <\/code>a&amp;b`/);
});

test('a placeholder shows the ranked works with the reason and a way to insert each', () => {
  const html = placeholder([{ ...WORK, reason: 'full text: rare, words' }, { ...WORK, key: 'mine', fromLibrary: true }]);
  assert.match(text(html), /^Works that fit here/);
  assert.match(text(html), /full text: rare, words/);
  assert.match(html, /class="small" data-action="insert" data-key="kusner2015wmd" aria-label="Insert Kusner et al. 2015"/);
  assert.match(html, /aria-label="Insert Kusner et al. 2015, and add its entry to the bibliography"/);
  assert.doesNotMatch(html, /data-action="pin"/);
});

test('works without sentences are opened by the author', () => {
  const { supporting, ...bare } = WORK;
  assert.ok(supporting);
  assert.match(placeholder([bare]), /aria-expanded="false" aria-controls="more-kusner2015wmd" data-action="unfold"/);
  assert.match(placeholder([bare]), /<div id="more-kusner2015wmd" class="folded" hidden>/);
  const opened = { others: false, keys: new Set([WORK.key]) };
  assert.match(text(placeholder([bare], { opened })), /Looking…/);
  assert.match(placeholder([WORK], { opened }), /aria-expanded="true"[^]*<blockquote/);
});

test('other works come under those that are cited, once they are opened', () => {
  assert.match(citation([WORK]), /aria-expanded="false" aria-controls="others"/);
  const others = [{ ...WORK, key: 'other' }];
  const html = citation([WORK], { others, opened: { others: true, keys: new Set() } });
  assert.match(html, /<h3 id="name-other">/);
  assert.match(html, /aria-label="Also cite Kusner et al. 2015"/);
  assert.match(text(citation([WORK], { others: [], opened: { others: true, keys: new Set() } })), /No other work in your bibliography fits here\.$/);
});

test('for a draft without entries, or without papers, the page states what it lacks', () => {
  const steps = { why: 'main.tex names no bibliography.', offers: [{ label: 'Create references.bib and name it', command: 'pincite.createBibliography' }] };
  const nothing = content({ kind: 'placeholder', ...PLACE, works: [], known: { ...KNOWN, entries: 0, fullTexts: 0 } }, { steps });
  assert.match(text(nothing), /^Works that fit here “Words count\.” main\.tex names no bibliography\. Create references\.bib and name it$/);
  assert.match(nothing, /data-action="first" data-key="0"/);
  const bare = content({ kind: 'prose', ...PLACE, known: { ...KNOWN, fullTexts: 0 } });
  assert.match(bare, /data-command="pincite\.addLibraryFolder"/);
  assert.doesNotMatch(content({ kind: 'prose', ...PLACE }), /addLibraryFolder/);
  assert.doesNotMatch(content({ kind: 'prose', ...PLACE, known: { ...KNOWN, state: 'reading', fullTexts: 0 } }), /addLibraryFolder/);
});

test('abstracts are offered where only titles are known, if services may be asked', () => {
  const fetches = /data-command="pincite\.fetchMissing"/;
  const titleOnly: Work = { ...WORK, basis: ['title'], supporting: [] };
  const cited = (work: Work, known: Status, mayFetch = true) => content({ kind: 'citation', ...PLACE, works: [work], known }, { mayFetch });
  assert.match(cited(titleOnly, KNOWN), fetches);
  assert.doesNotMatch(cited(titleOnly, KNOWN), /addLibraryFolder/);
  assert.doesNotMatch(cited(WORK, KNOWN), fetches);
  assert.doesNotMatch(cited(titleOnly, KNOWN, false), fetches);
  assert.match(cited(WORK, { ...KNOWN, fullTexts: 0 }), /addLibraryFolder[^]*Fetch abstracts…/);
  assert.doesNotMatch(cited(WORK, { ...KNOWN, fullTexts: 0, titles: 0 }), fetches);
});

test('of a long sentence the end is shown, where the gap is', () => {
  assert.equal(shortened('Words count.'), 'Words count.');
  const long = `${'One word after the other. '.repeat(20)}The gap is here.`;
  assert.match(shortened(long), /^… .*The gap is here\.$/);
  assert.ok(shortened(long).length < 170);
  assert.match(placeholder([WORK], { citance: long }), new RegExp(`title="${long}"`));
});

test('whatever keeps the view empty, it has a heading, and offers only commands that may be asked for', () => {
  const idle = (['no draft', 'failed', 'looking'] as const).map((kind) => content({ kind }));
  for (const html of [...idle, ...STATES.map((setup) => content({ kind: 'setup', setup }))]) {
    assert.match(html, /^<h1>[^<]+<\/h1>/);
    for (const [, command] of html.matchAll(/data-command="([^"]*)"/g)) assert.ok(COMMANDS.has(command ?? ''));
  }
});

test('the page runs its own script only', () => {
  const html = page({ style: 'a:/view.css', script: 'a:/view.js', cspSource: 'a:', nonce: 'n0' });
  assert.match(html, /content="default-src &#39;none&#39;; style-src a:; script-src &#39;nonce-n0&#39;"/);
  assert.deepEqual([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag), ['<script nonce="n0" src="a:/view.js">']);
  assert.doesNotMatch(html, /style=|<style/);
});

test('quotes are escaped for attributes', () => {
  assert.equal(escaped(`<"'&>`), '&lt;&quot;&#39;&amp;&gt;');
});
