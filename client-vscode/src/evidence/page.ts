/** The Evidence view as HTML. All that comes from entries, papers and drafts is escaped. */

import type { FirstSteps } from '../firstSteps';
import { escaped } from '../html';
import { ADD_FOLDER, FETCH_ABSTRACTS, type Offer, OFFERED, RESTART, type SetupState, setupText, SHOW_LOGS } from '../setupState';
import type { Status, Supporting, Work } from '../wire';
import type { Action } from './messages';
import type { Citation, Idle, Opened, Placeholder, State } from './state';

/** The sources of the page's parts, and what it may load. */
export interface Sources {
  style: string;
  script: string;
  cspSource: string;
  nonce: string;
}

/** Return the page that contains `content`. */
export function page({ style, script, cspSource, nonce }: Sources): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence</title>
<link rel="stylesheet" href="${escaped(style)}">
</head>
<body>
<main aria-busy="true"></main>
<p id="status" role="status"></p>
<script nonce="${nonce}" src="${escaped(script)}"></script>
</body>
</html>`;
}

/** What the page offers beyond what it shows. */
export interface Offers {
  /** The first steps where a draft has no bibliography. */
  steps?: FirstSteps | undefined;
  /** Whether the author allows services to be asked. */
  mayFetch?: boolean;
}

/** Return the HTML for a state of a draft. */
export function content(state: State, offers: Offers = {}): string {
  switch (state.kind) {
    case 'prose':
      return welcome(PROSE) + notice(state.known, offers);
    case 'placeholder':
      return headed('Works that fit here', state) + ranked(state, offers.steps) + notice(state.known, offers);
    case 'citation':
      return headed('Supporting sentences', state) + cited(state) + otherWorks(state) + notice(state.known, offers, state.works);
    case 'preview':
      return article(state.work, { level: 1 });
    case 'setup':
      return welcome(setupText(state.setup));
    default:
      return welcome(IDLE[state.kind]);
  }
}

/** In letters. */
const CITANCE_LENGTH = 160;

interface Welcome {
  title: string;
  text: string;
  offers?: readonly Offer[];
}

const PROSE: Welcome = {
  title: 'Nothing to cite here',
  text: 'Put the cursor in a sentence with a citation to see what supports it, or in any other sentence to see which works fit.',
};

const IDLE: Readonly<Record<Idle, Welcome>> = {
  'no draft': {
    title: 'No draft is open',
    text: 'Open a draft and put the cursor in a citation to see which sentences support it.',
    offers: [{ label: 'Open a draft…', command: 'workbench.action.quickOpen' }],
  },
  failed: {
    title: 'Pincite could not answer',
    text: 'The log shows why. Move the cursor to try again.',
    offers: [SHOW_LOGS, RESTART],
  },
  looking: { title: 'Looking for supporting sentences…', text: '' },
};

/** The commands that the page may run. */
export const COMMANDS: ReadonlySet<string> = new Set(
  [PROSE, ...Object.values(IDLE), { offers: OFFERED }].flatMap(({ offers = [] }) => offers.map(({ command }) => command)),
);

function welcome({ title, text, offers = [] }: Welcome): string {
  return `<h1>${escaped(title)}</h1>${text && `<p>${withCode(text)}</p>`}${offers.map(offer).join('')}`;
}

function offer({ label, command }: Offer, rank: number): string {
  return control(label, { action: 'command', command }, { look: rank === 0 ? 'wide' : 'wide secondary' });
}

/** Return a notice if the draft as a whole, or a cited work, lacks something, with what to do. */
function notice(known: Status | undefined, { steps, mayFetch }: Offers, works: readonly Work[] = []): string {
  if (steps) {
    const buttons = steps.offers.map(({ label }, rank) =>
      control(label, { action: 'first', key: `${rank}` }, { look: rank === 0 ? 'wide' : 'wide secondary' }));
    return `<aside><p>${escaped(steps.why)}</p>${buttons.join('')}</aside>`;
  }
  if (!known || known.state === 'reading' || known.entries === 0) return '';
  const hasPapers = known.fullTexts > 0;
  const fetches = mayFetch && (hasPapers ? works.some(({ basis }) => basis[0] === 'title') : known.titles > 0);
  const texts = [
    ...(hasPapers ? [] : ['Pincite has not found any of your papers yet. Add the folder with their PDFs to see what they say.']),
    ...(fetches ? ['Services know the abstracts of many works. Pincite shows what it would send before it asks them.'] : []),
  ];
  const buttons = [...(hasPapers ? [] : [ADD_FOLDER]), ...(fetches ? [FETCH_ABSTRACTS] : [])].map(offer);
  return texts.length > 0 ? `<aside><p>${texts.join('</p><p>')}</p>${buttons.join('')}</aside>` : '';
}

/** Return a notice of a setting that the server cannot use, which it runs without. */
export function wrongSetting(setup: SetupState): string {
  if (setup.kind !== 'wrong setting') return '';
  const { title, text, offers: [first] } = setupText(setup);
  return `<aside><p>${escaped(`${title}. ${text}`)}</p>${first ? offer(first, 0) : ''}</aside>`;
}

/** Return how far papers are read, as an addition to what is shown. */
export function readingLine(setup: SetupState): string {
  return setup.kind === 'reading' ? `${setupText(setup).title}; more may follow.` : '';
}

function headed(title: string, { citance }: Placeholder | Citation): string {
  return `<h1>${title}</h1>${citance && `<p class="citance" title="${escaped(citance)}">“${escaped(shortened(citance))}”</p>`}`;
}

/** Return the end of a sentence, where it is cited, in about three lines. */
export function shortened(sentence: string): string {
  if (sentence.length <= CITANCE_LENGTH) return sentence;
  const end = sentence.slice(-CITANCE_LENGTH);
  return `… ${end.slice(end.search(/\s/) + 1)}`;
}

function ranked({ works, opened }: Placeholder, steps: FirstSteps | undefined): string {
  if (works.length === 0 && !steps) return '<p>No work in your bibliography fits here.</p>';
  return works.map((work, rank) => article(work, { ...foldable(work, opened), insert: 'Insert', first: rank === 0 })).join('');
}

function cited({ works, key }: Citation): string {
  return works.map((work) => article(work, { pins: true, current: works.length > 1 && work.key === key })).join('');
}

function otherWorks({ others, opened }: Citation): string {
  const heading = fold('Other works that fit here', opened.others, 'others', { action: 'others' });
  const found = others?.map((work) => article(work, { ...foldable(work, opened), insert: 'Also cite', level: 3 }));
  const shown = found?.length === 0 ? '<p>No other work in your bibliography fits here.</p>' : found?.join('');
  return `<section aria-labelledby="${idFor('fold', 'others')}"><h2>${heading}</h2>${folded('others', opened.others, shown)}</section>`;
}

interface Presentation {
  level?: 1 | 2 | 3;
  /** It is at the cursor. */
  current?: boolean;
  /** Pages of its sentences can be pinned. */
  pins?: boolean;
  /** The label of the button that inserts it, if it can be inserted. */
  insert?: string;
  /** The most likely one to insert. */
  first?: boolean;
  /** Whether its sentences are expanded, if the author can expand them. */
  unfolded?: boolean;
}

/** Works that come without sentences load them when they are expanded. */
function foldable(work: Work, opened: Opened): Pick<Presentation, 'unfolded'> {
  const unfolded = opened.keys.has(work.key);
  return work.supporting === undefined || unfolded ? { unfolded } : {};
}

function article(work: Work, how: Presentation): string {
  const { level = 2, unfolded, insert } = how;
  const name = nameOf(work);
  const body = `more-${work.key}`;
  const label = unfolded === undefined ? escaped(name) : fold(name, unfolded, body, { action: 'unfold', key: work.key });
  const inserting = insert === undefined ? '' : control(insert, { action: 'insert', key: work.key }, {
    look: how.first ? 'small' : 'small secondary',
    spoken: `${insert} ${name}${work.fromLibrary ? ', and add its entry to the bibliography' : ''}`,
  });
  const content = sentences(work, how) + (work.remark === undefined ? '' : `<p class="remark">${withCode(work.remark)}</p>`);
  const looked = work.supporting !== undefined || work.remark !== undefined;
  return `<article id="${idFor('work', work.key)}" tabindex="-1" aria-labelledby="${idFor('name', work.key)}"${
    how.current ? ' aria-current="true"' : ''}>
<header><h${level} id="${idFor('name', work.key)}">${label}</h${level}>${inserting}</header>
${title(work)}${facts(work)}
${unfolded === undefined ? content : folded(body, unfolded, looked ? content : undefined)}
</article>`;
}

function title(work: Work): string {
  if (work.title === '' || work.authorYear === '') return '';
  if (!work.entry) return `<p class="title">${escaped(work.title)}</p>`;
  const shown = control(work.title, { action: 'entry', key: work.key }, {
    look: 'link', hint: `Show the entry ${work.key} in its bibliography` });
  return `<p class="title">${shown}</p>`;
}

/** A dot for the eye, a pause for a screen reader. */
const BETWEEN = '<span class="spoken">, </span><span class="dot" aria-hidden="true"> · </span>';

/** Return one line with what is known about a work, and links to more. */
function facts(work: Work): string {
  const { key, basis, reason, file, doi, entry } = work;
  const known = basis[0] === 'title' ? 'title only' : basis[0];
  const full = file?.toLowerCase().endsWith('.pdf') ? 'PDF' : 'Full text';
  const name = nameOf(work);
  const parts = [
    name !== key && (entry ? clickable('span', escaped(key), { action: 'entry', key }, 'key') : `<span class="key">${escaped(key)}</span>`),
    work.fromLibrary && 'from your library',
    escaped(reason ?? (file === undefined ? known : undefined) ?? ''),
    file && control(full, { action: 'file', key }, { look: 'link', spoken: `${full} of ${name}` }),
    doi && control('DOI', { action: 'doi', key }, { look: 'link', spoken: `DOI of ${name}`, hint: doi }),
  ];
  const shown = parts.filter((part) => part !== undefined && part !== false && part !== '');
  return shown.length > 0 ? `<p class="facts">${shown.join(BETWEEN)}</p>` : '';
}

function sentences(work: Work, how: Presentation): string {
  if (!work.supporting || work.supporting.length === 0) return '';
  const items = work.supporting.map((one, rank) => {
    const opening = { action: 'file', key: work.key, sentence: `${rank}` };
    const look = one.strength === undefined ? '' : ` class="${escaped(one.strength)}"`;
    return `<li${look}>${sentence(one, work, opening)}${where(one, work, opening, how)}</li>`;
  });
  return `<ul aria-label="Supporting sentences">${items.join('')}</ul>`;
}

function sentence({ text, matched }: Supporting, { file }: Work, opening: Action): string {
  const quoted = marked(text, matched);
  return file === undefined ? `<blockquote>${quoted}</blockquote>` : clickable('blockquote', quoted, opening);
}

function where({ page: at, pageLabel, section, strength, highlighted, comment, zotero }: Supporting, work: Work, opening: Action, { pins }: Presentation): string {
  const name = nameOf(work);
  // Authors cite the number that is printed on the page.
  const printed = at === undefined ? undefined : (pageLabel ?? `${at}`);
  const first = printed === undefined ? section : `p. ${printed}`;
  const rest = printed === undefined || section === undefined ? [] : [section];
  // A link opens the page wherever it is in the file.
  const inFile = printed === undefined || printed === `${at}` || work.file !== undefined ? '' : ` (PDF page ${at})`;
  const word = strength === undefined ? [] : [`<span class="strength">${escaped(strength)}<span class="spoken"> support</span></span>`];
  if (highlighted) word.push(comment ? `you highlighted this: “${escaped(comment)}”` : 'you highlighted this');
  if (first === undefined && word.length === 0) return '';
  const link = first === undefined ? [] : [(work.file === undefined ? escaped(first) : control(first, opening, {
    look: 'link', spoken: `${first}, open ${name} there`, ...(at !== undefined && { hint: `Open page ${at} of the file` }) })) + inFile];
  const pin = pins !== true || pageLabel === undefined ? '' : control(`Pin page ${pageLabel}`, { ...opening, action: 'pin' }, {
    look: 'small secondary', spoken: `Pin page ${pageLabel} in the citation of ${name}` });
  const inZotero = zotero === undefined ? [] : [control('Zotero', { ...opening, action: 'zotero' }, {
    look: 'link', spoken: `Open ${name} there in Zotero` })];
  return `<div class="where"><span>${[...word, ...link, ...rest.map(escaped), ...inZotero].join(', ')}</span>${pin}</div>`;
}

/** Return the name of a work in one line. */
export function nameOf({ authorYear, title: called, key }: Work): string {
  return authorYear || called || key;
}

function control(
  label: string,
  action: Action,
  { look, spoken, hint }: { look: string; spoken?: string; hint?: string },
): string {
  const aria = spoken === undefined ? '' : ` aria-label="${escaped(spoken)}"`;
  const tip = hint === undefined ? '' : ` title="${escaped(hint)}"`;
  return `<button type="button" class="${look}"${data(action)}${aria}${tip}>${escaped(label)}</button>`;
}

/** A larger click target than the equivalent keyboard control. */
function clickable(element: string, html: string, action: Action, look?: string): string {
  return `<${element}${look === undefined ? '' : ` class="${look}"`}${data(action)}>${html}</${element}>`;
}

function fold(label: string, open: boolean, controls: string, action: Action): string {
  return `<button type="button" class="fold" id="${idFor('fold', controls)}" aria-expanded="${open}" aria-controls="${
    idFor(controls)}"${data(action)}>${escaped(label)}</button>`;
}

function folded(id: string, open: boolean, html = '<p class="remark">Looking…</p>'): string {
  return `<div id="${idFor(id)}" class="folded"${open ? '' : ' hidden'}>${html}</div>`;
}

function data(action: Action): string {
  return Object.entries(action).map(([name, value]) => ` data-${name}="${escaped(`${value}`)}"`).join('');
}

/** Keys may contain white space, which would split an id in two. */
function idFor(...parts: string[]): string {
  return escaped(parts.join('-').replace(/\s/g, '_'));
}

/** Mark ranges, in UTF-16 code units, of a text; ranges outside of it are ignored. */
export function marked(text: string, ranges: readonly (readonly [number, number])[]): string {
  let html = '';
  let last = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start < last || end <= start || end > text.length) continue;
    html += `${escaped(text.slice(last, start))}<mark>${escaped(text.slice(start, end))}</mark>`;
    last = end;
  }
  return html + escaped(text.slice(last));
}

/** Render text between backticks as code. */
function withCode(text: string): string {
  return escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
