/** The worker that parses PDFs. */

import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
