import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Editor } from './editor.mjs';

let editor;
before(async () => { editor = await Editor.onExamples(); }, { timeout: 120_000 });
after(() => editor?.stop());

test('the side bar offers Pincite', async () => {
  await editor.page.locator('.activitybar .action-label[aria-label*="Pincite"]').click();
  await editor.screenshot('side-bar');
  assert.deepEqual(await editor.notifications(), []);
});
