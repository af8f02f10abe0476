// node esbuild.mjs [--production]: the extension as dist/extension.js; --notices: the same, and ../NOTICE made to name what is
// bundled; --tests: unit tests in out/.
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

import { withNotices } from './notices.mjs';

const production = process.argv.includes('--production');
const shared = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  rmSync('out/test', { recursive: true, force: true });
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: 'out/test', sourcemap: 'inline' });
} else {
  rmSync('dist', { recursive: true, force: true });
  const evidence = await build({
    ...shared,
    platform: 'browser',
    target: 'chrome122', // of VS Code 1.91
    format: 'iife',
    entryPoints: ['src/evidence/browser/view.ts', 'src/evidence/browser/view.css'],
    outdir: 'dist/evidence',
    metafile: true,
    minify: production,
  });
  const extension = await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    metafile: true,
    minify: production,
    sourcemap: !production,
  });
  const pdf = await build({
    ...shared,
    platform: 'browser',
    target: 'chrome122', // of VS Code 1.91
    format: 'iife',
    entryPoints: ['page.ts', 'page.css', 'worker.ts'].map((name) => `src/pdf/page/${name}`),
    outdir: 'dist/pdf',
    loader: { '.svg': 'dataurl', '.gif': 'dataurl' },
    // Both are for Node alone.
    logOverride: { 'empty-import-meta': 'silent' },
    metafile: true,
    minify: production,
    legalComments: 'none', // they are among the notices
    sourcemap: production ? false : 'inline',
  });
  copyPdfData('dist/pdf');
  checkNotices([extension.metafile, evidence.metafile, pdf.metafile]);
}

/** Nothing is packaged whose licence is not in NOTICE. */
function checkNotices(metafiles) {
  const text = readFileSync('../NOTICE', 'utf8').replace(/\r\n/g, '\n');
  const wanted = withNotices(text, metafiles);
  if (wanted !== text) {
    if (!process.argv.includes('--notices')) throw new Error('NOTICE is not that of the packages: npm run notices');
    writeFileSync('../NOTICE', wanted);
  }
  writeFileSync('dist/NOTICE.txt', wanted);
}

/** What pdf.js asks for by and by: character maps that the standard names, two fonts, decoders of images. */
function copyPdfData(folder) {
  const copy = (from, to, wanted) => {
    cpSync(`node_modules/pdfjs-dist/${from}`, `${folder}/${to}`, {
      recursive: true,
      filter: (name) => !/\.\w+$/.test(name) || wanted.test(name),
    });
    // Of the same mode in every package, however this one was installed.
    for (const name of readdirSync(`${folder}/${to}`)) chmodSync(`${folder}/${to}/${name}`, 0o644);
  };
  copy('cmaps', 'cmaps', /(?<!UTF(8|32)-[HV])\.bcmap$/);
  copy('standard_fonts', 'fonts', /(Symbol|Dingbats)\.pfb$/);
  copy('wasm', 'wasm', /(jbig2|openjpeg)\.wasm$/);
}
