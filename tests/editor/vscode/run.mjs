// Run the tests in a real editor, one file after the other; a file that fails is run once more, with a new editor.
//
// What fails twice fails. On a busy machine VS Code itself loses a click or leaves a page empty now and then, and one
// such moment would make all of a file fail behind it; what was tried again is named.
import fs from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const HERE = path.dirname(new URL(import.meta.url).pathname);

/** Run some files; return those that failed. */
async function failedOf(files) {
  const failed = new Set();
  const tests = run({ files, concurrency: 1 }).on('test:fail', ({ file, name }) => failed.add(file ?? path.resolve(name)));
  for await (const shown of tests.compose(new spec())) process.stdout.write(shown);
  return files.filter((file) => failed.has(file));
}

const named = process.argv.slice(2).map((name) => path.resolve(name));
const all = fs.readdirSync(HERE).filter((name) => name.endsWith('.test.mjs')).map((name) => path.join(HERE, name));
const failed = await failedOf(named.length ? named : all);
if (failed.length) {
  console.log(`\nTried again: ${failed.map((file) => path.basename(file)).join(', ')}\n`);
  process.exitCode = (await failedOf(failed)).length ? 1 : 0;
}
