// The licences of what is bundled from other packages: the second part of ../NOTICE.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The data of pdfjs-dist that are copied, with the files beside them that have their licences.
const DATA = [
  ['cmaps', 'The character maps of Adobe, inside of pdfjs-dist: BSD-3-Clause', ['LICENSE']],
  ['standard_fonts', 'The Foxit fonts for symbols, inside of pdfjs-dist: BSD-3-Clause', ['LICENSE_FOXIT']],
  ['wasm', 'JBig2 of PDFium, inside of pdfjs-dist: BSD-3-Clause and Apache-2.0', ['LICENSE_JBIG2', 'LICENSE_PDFJS_JBIG2']],
  ['wasm', 'OpenJPEG, inside of pdfjs-dist: BSD-2-Clause', ['LICENSE_OPENJPEG', 'LICENSE_PDFJS_OPENJPEG']],
];

// Inside of the files of pdfjs-dist.
const CORE_JS = `core-js, inside of pdfjs-dist: MIT

Copyright (c) 2013–2025 Denis Pushkarev, 2025–2026 CoreJS Company

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

const HEADING = /^THE EXTENSION \(VSIX\)\n=+\n/m;
const RULE = `\n${'-'.repeat(80)}\n\n`;

/** Return NOTICE with its second part made of the packages that went into bundles, given as what esbuild reports of them. */
export function withNotices(text, metafiles) {
  const heading = HEADING.exec(text);
  if (!heading) throw new Error('NOTICE has no part for the extension');
  const folders = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).map(packageFolder).filter(Boolean);
  const packages = [...new Set(folders)].sort().map(notice);
  return `${text.slice(0, heading.index)}${heading[0]}\n${[...packages, CORE_JS, ...DATA.map(dataNotice)].join(RULE)}`;
}

function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const [file] = readdirSync(folder).filter((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence with it`);
  // The Apache License asks to hand on a NOTICE, too.
  const files = [file, 'NOTICE', 'NOTICE.txt'].filter((one) => existsSync(path.join(folder, one)));
  return `${name} ${version}: ${license}\n\n${texts(folder, files)}`;
}

function dataNotice([folder, title, files]) {
  return `${title}\n\n${texts(`node_modules/pdfjs-dist/${folder}`, files)}`;
}

function texts(folder, files) {
  const read = (file) => readFileSync(path.join(folder, file), 'utf8').replace(/\r\n/g, '\n').replace(/[ \t]+$/gm, '').trim();
  return `${files.map(read).join('\n\n')}\n`;
}
