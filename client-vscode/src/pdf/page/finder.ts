/** Highlights a sentence near its page, however the PDF breaks it into lines, or what the reader searches for. */

import { type EventBus, PDFFindController, PDFLinkService } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';

import type { Spot } from '../messages';
import { findSentence, type Found } from '../sentences';

/** Scrolls to the match, unless the reader has moved elsewhere meanwhile. */
export class FindingLinkService extends PDFLinkService {
  readerMoved = false;

  override get page(): number {
    return super.page;
  }

  override set page(number: number) {
    if (!this.readerMoved) super.page = number;
  }
}

export class SentenceFinder extends PDFFindController {
  private readonly bus: EventBus;
  private readonly links: FindingLinkService;
  private page: number | undefined;
  private searching = false;

  constructor(parts: { eventBus: EventBus; linkService: FindingLinkService }) {
    super(parts);
    this.bus = parts.eventBus;
    this.links = parts.linkService;
  }

  find({ page, sentence }: Spot): void {
    this.page = page;
    this.searching = false;
    this.links.readerMoved = false;
    if (sentence === undefined) {
      this.bus.dispatch('findbarclose', { source: this });
      return;
    }
    this.bus.dispatch('find', { source: this, type: '', query: sentence, highlightAll: true });
  }

  /** Search all pages for a text, or for its next or previous place. */
  search(query: string, step?: 'next' | 'previous'): void {
    this.searching = true;
    this.links.readerMoved = false;
    const type = step === undefined ? '' : 'again';
    this.bus.dispatch('find', { source: this, type, query, highlightAll: true, findPrevious: step === 'previous' });
  }

  override scrollMatchIntoView(match: Parameters<PDFFindController['scrollMatchIntoView']>[0]): void {
    if (!this.links.readerMoved) super.scrollMatchIntoView(match);
  }

  /** The sentence may continue on the next page. */
  override match(sentence: string, text: string, pageIndex: number): Found[] {
    if (this.searching) return super.match(sentence, text, pageIndex) ?? [];
    const page = this.page ?? pageIndex + 1;
    return pageIndex + 1 === page || pageIndex === page ? findSentence(sentence, text) : [];
  }
}
