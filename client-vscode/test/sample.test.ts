import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { firstGap, restoreSample, SAMPLE_DRAFT } from '../src/sample';
import { newFolder } from './support';

test('what the author has changed in the sample stays, and what is missing comes back', async () => {
  const [carried, folder] = [newFolder(), path.join(newFolder(), 'storage', 'sample')];
  mkdirSync(path.join(carried, 'papers'));
  writeFileSync(path.join(carried, SAMPLE_DRAFT), 'draft');
  writeFileSync(path.join(carried, 'papers', 'one.txt'), 'paper');
  await restoreSample(carried, folder);
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  assert.deepEqual([read(SAMPLE_DRAFT), read('papers/one.txt')], ['draft', 'paper']);
  writeFileSync(path.join(folder, SAMPLE_DRAFT), 'mine');
  rmSync(path.join(folder, 'papers', 'one.txt'));
  await restoreSample(carried, folder);
  assert.deepEqual([read(SAMPLE_DRAFT), read('papers/one.txt')], ['mine', 'paper']);
});

test('a build without the sample is reported', async () => {
  await assert.rejects(restoreSample(path.join(newFolder(), 'absent'), newFolder()), /ENOENT/);
});

test('the cursor goes between the first empty braces', () => {
  const text = 'One \\citep{a}, % not \\citep{}\ntwo \\citet[p.~3]{b} and three \\citep{}. \\cite{}';
  assert.equal(text.slice(0, firstGap(text)).endsWith('three \\citep{'), true);
  assert.equal(firstGap('Nothing \\citep{a} is missing.'), undefined);
});

test('the sample has a gap', () => {
  assert.ok(firstGap(readFileSync('../examples/survey.tex', 'utf8')));
});
