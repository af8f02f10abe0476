// node esbuild.mjs [--production]: the extension as dist/extension.js; --tests: unit tests in out/.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const production = process.argv.includes('--production');
const shared = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  rmSync('out/test', { recursive: true, force: true });
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: 'out/test', sourcemap: 'inline' });
} else {
  rmSync('dist', { recursive: true, force: true });
  await build({
    entryPoints: ['src/evidence/browser/view.ts', 'src/evidence/browser/view.css'],
    outdir: 'dist/evidence',
    bundle: true,
    target: 'es2022',
    minify: production,
    logLevel: 'warning',
  });
  await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    minify: production,
    sourcemap: !production,
  });
}
