/** Highlights a sentence where it is expected, however the PDF breaks it. */

import { type EventBus, PDFFindController, type PDFLinkService } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';

import type { Spot } from '../messages';
import { findSentence, type Found } from '../sentences';

export class SentenceFinder extends PDFFindController {
  private readonly bus: EventBus;
  private page: number | undefined;

  constructor(parts: { eventBus: EventBus; linkService: PDFLinkService }) {
    super(parts);
    this.bus = parts.eventBus;
  }

  find({ page, sentence }: Spot): void {
    this.page = page;
    if (sentence === undefined) {
      this.bus.dispatch('findbarclose', { source: this });
      return;
    }
    this.bus.dispatch('find', { source: this, type: '', query: sentence, highlightAll: true });
  }

  /** The sentence may go on overleaf. */
  override match(sentence: string, text: string, pageIndex: number): Found[] {
    const page = this.page ?? pageIndex + 1;
    return pageIndex + 1 === page || pageIndex === page ? findSentence(sentence, text) : [];
  }
}
