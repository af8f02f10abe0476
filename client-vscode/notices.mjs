// The licences of what is bundled from other packages.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

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

/** Return the notices for the packages that went into bundles, given as what esbuild tells of them. */
export function notices(metafiles) {
  const folders = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).map(packageFolder).filter(Boolean);
  const own = 'Data beside the bundles have their licences with them, in dist/pdf.\n';
  return ['Pincite contains what follows, each under the licence of its authors.\n' + own,
    ...[...new Set(folders)].sort().map(notice), CORE_JS].join(`\n${'-'.repeat(80)}\n\n`);
}

function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence with it`);
  return `${name} ${version}: ${license}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
}
