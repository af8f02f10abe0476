/** What reads PDFs, beside the page. */

import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
