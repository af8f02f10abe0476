/** The page inside the panel: a PDF with a few controls, and a highlighted sentence. */

// The viewer takes this from the global scope, so it must come first.
import { AnnotationMode, getDocument, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { EventBus, LinkTarget, PDFLinkService, PDFViewer } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';

import type { FromPage, SavedState, Spot, ToPage } from '../messages';
import { FindingLinkService, SentenceFinder } from './finder';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void; setState(state: SavedState): void };

const editor = acquireVsCodeApi();
const assets = document.body.dataset.assets ?? '';
const container = element('container', HTMLDivElement);
const pageField = element('page', HTMLInputElement);
const searchBar = element('search', HTMLDivElement);
const queryField = element('query', HTMLInputElement);
const matches = element('matches', HTMLSpanElement);

const eventBus = new EventBus();
const linkService = new PDFLinkService({ eventBus, externalLinkTarget: LinkTarget.BLANK });
const found = new FindingLinkService({ eventBus });
const findController = new SentenceFinder({ eventBus, linkService: found });
const viewer = new PDFViewer({
  container,
  eventBus,
  linkService,
  findController,
  annotationMode: AnnotationMode.ENABLE,
});
for (const service of [linkService, found]) service.setViewer(viewer);

let uri = '';
let shown: Spot = {};

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === 'open') void open(data.uri, data.bytes, data.spot);
  else if (data.kind === 'show') show(data.spot);
  else fail('This PDF no longer exists.');
});

eventBus.on('pagechanging', ({ pageNumber }: { pageNumber: number }) => {
  // The page with the sentence counts, though more of the next one may be in view.
  const { page = pageNumber } = found.readerMoved ? {} : shown;
  pageField.value = `${Math.min(page, viewer.pagesCount)}`;
  saveState();
});

const controls: Record<string, () => void> = {
  previous: () => viewer.previousPage(),
  next: () => viewer.nextPage(),
  smaller: () => { viewer.decreaseScale(); },
  larger: () => { viewer.increaseScale(); },
  width: () => { viewer.currentScaleValue = 'page-width'; },
  find: openSearch,
  'match-before': () => { findController.search(queryField.value, 'previous'); },
  'match-after': () => { findController.search(queryField.value, 'next'); },
  'close-search': closeSearch,
};
const keys: Record<string, string> = {
  p: 'previous',
  n: 'next',
  '-': 'smaller',
  '+': 'larger',
  '=': 'larger',
  '0': 'width',
};
for (const [id, act] of Object.entries(controls)) element(id, HTMLButtonElement).addEventListener('click', act);
// If the reader has moved elsewhere, a sentence found later does not scroll back.
for (const kind of ['click', 'change', 'keydown', 'pointerdown', 'wheel']) {
  document.addEventListener(kind, () => { found.readerMoved = true; }, { capture: true, passive: true });
}
document.getElementById('outside')?.addEventListener('click', () => { editor.postMessage({ kind: 'openOutside' }); });
container.addEventListener('keydown', (event) => {
  const act = controls[keys[event.key] ?? ''];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  act();
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'f') return;
  openSearch();
  event.preventDefault();
});
queryField.addEventListener('input', () => { findController.search(queryField.value); });
searchBar.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeSearch();
  else if (event.key === 'Enter' && event.target === queryField) findController.search(queryField.value, event.shiftKey ? 'previous' : 'next');
  else return;
  event.preventDefault();
});
for (const event of ['updatefindmatchescount', 'updatefindcontrolstate']) {
  eventBus.on(event, ({ matchesCount }: { matchesCount?: { current: number; total: number } }) => {
    if (searchBar.hidden || !matchesCount) return;
    const { current, total } = matchesCount;
    matches.textContent = queryField.value === '' ? '' : total === 0 ? 'Not found' : `${current} of ${total}`;
  });
}
pageField.addEventListener('change', () => {
  const page = pageField.valueAsNumber;
  if (page >= 1 && page <= viewer.pagesCount) viewer.currentPageNumber = page;
  pageField.value = `${viewer.currentPageNumber}`;
});
window.addEventListener('focus', (event) => {
  if (event.target === window && document.activeElement === document.body) container.focus();
});

editor.postMessage({ kind: 'ready' });

async function open(of: string, data: Uint8Array, spot: Spot): Promise<void> {
  uri = of;
  try {
    const pdf = await getDocument({
      data,
      worker: await startWorker(),
      useWorkerFetch: false,
      cMapUrl: `${assets}/cmaps/`,
      standardFontDataUrl: `${assets}/fonts/`,
      wasmUrl: `${assets}/wasm/`,
    }).promise;
    viewer.setDocument(pdf);
    for (const service of [linkService, found]) service.setDocument(pdf);
    element('pages', HTMLSpanElement).textContent = `of ${pdf.numPages}`;
    pageField.max = `${pdf.numPages}`;
  } catch (error) {
    console.error(error);
    fail(
      error instanceof Error && error.name === 'PasswordException'
        ? 'This PDF is protected by a password and cannot be shown here.'
        : 'This PDF is damaged and cannot be shown.',
    );
    return;
  }
  eventBus.on('pagesinit', () => {
    viewer.currentScaleValue = 'page-width';
    show(spot);
    container.focus();
  }, { once: true });
}

function show(spot: Spot): void {
  shown = spot;
  if (spot.page !== undefined) {
    viewer.scrollPageIntoView({ pageNumber: Math.min(spot.page, viewer.pagesCount) });
  }
  findController.find(spot);
  saveState();
}

function openSearch(): void {
  searchBar.hidden = false;
  queryField.select();
  queryField.focus();
}

/** Highlight the sentence again, without going back to it. */
function closeSearch(): void {
  searchBar.hidden = true;
  matches.textContent = '';
  findController.find(shown);
  found.readerMoved = true;
  container.focus();
}

function saveState(): void {
  const { sentence } = shown;
  editor.setState({ uri, page: viewer.currentPageNumber, ...(sentence !== undefined && { sentence }) });
}

function fail(why: string): void {
  const failure = element('failure', HTMLParagraphElement);
  failure.textContent = why;
  failure.hidden = false;
  container.hidden = true;
}

/** The worker as a blob: the page may not start one from a URL. */
async function startWorker(): Promise<PDFWorker> {
  const script = await (await fetch(`${assets}/worker.js`)).blob();
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return PDFWorker.create({ port: new Worker(address) });
}

function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no ${id}`);
  return found;
}
