// node icon.mjs: the icon of the gallery, media/icon.png, from its drawing.
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

const extension = path.resolve(path.dirname(new URL(import.meta.url).pathname), '../../../client-vscode');
const SIZE = 256; // twice what the gallery shows
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 128, height: 128 }, deviceScaleFactor: SIZE / 128 });
await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${fs.readFileSync(path.join(extension, 'art/icon.svg'), 'utf8')}`);
await page.screenshot({ path: path.join(extension, 'media/icon.png'), omitBackground: true });
await browser.close();
