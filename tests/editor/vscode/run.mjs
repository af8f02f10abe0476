// Run the tests in a real editor, two files at a time: all of them, or those that are named. An editor waits more than it works.
import fs from 'node:fs';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const HERE = path.dirname(new URL(import.meta.url).pathname);
const named = process.argv.slice(2).map((name) => path.resolve(name));
const all = fs.readdirSync(HERE).filter((name) => name.endsWith('.test.mjs')).map((name) => path.join(HERE, name));

const tests = run({ files: named.length ? named : all, concurrency: 2 }).on('test:fail', () => { process.exitCode = 1; });
for await (const shown of tests.compose(new spec())) process.stdout.write(shown);
