/** PDFs beside the editor: one panel for each. */

import { randomBytes } from 'node:crypto';
import path from 'node:path';

import {
  type Disposable,
  env,
  UIKind,
  Uri,
  ViewColumn,
  type Webview,
  type WebviewPanel,
  type WebviewPanelSerializer,
  window,
  workspace,
} from 'vscode';

import { escaped } from '../html';
import type { FromPage, Spot, ToPage } from './messages';
import { placeIn } from './place';

export class PdfPanels implements WebviewPanelSerializer, Disposable {
  static readonly viewType = 'pincite.pdf';
  private readonly panels = new Map<string, PdfPanel>();
  /** The column for the next panel: that of the others. */
  private latest: WebviewPanel | undefined;

  constructor(private readonly assets: Uri) {}

  get column(): ViewColumn {
    return this.latest?.viewColumn ?? ViewColumn.Beside;
  }

  show(file: Uri, spot: Spot): void {
    const shown = this.panels.get(file.toString());
    if (shown) {
      shown.show(spot);
      return;
    }
    const title = path.posix.basename(file.path);
    const panel = window.createWebviewPanel(PdfPanels.viewType, title, this.column, { retainContextWhenHidden: true });
    this.fill(panel, file, spot);
  }

  /** Restore the panels that were open when the editor was closed. */
  deserializeWebviewPanel(panel: WebviewPanel, saved: unknown): Promise<void> {
    const place = placeIn(saved);
    if (place) this.fill(panel, Uri.parse(place.uri), place);
    else panel.dispose();
    return Promise.resolve();
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
  }

  private fill(panel: WebviewPanel, file: Uri, spot: Spot): void {
    const id = file.toString();
    this.panels.set(id, new PdfPanel(panel, file, spot, this.assets));
    this.latest = panel;
    panel.onDidDispose(() => {
      this.panels.delete(id);
      if (this.latest === panel) this.latest = undefined;
    });
  }
}

class PdfPanel implements Disposable {
  private ready = false;

  constructor(
    private readonly panel: WebviewPanel,
    private readonly file: Uri,
    private spot: Spot,
    assets: Uri,
  ) {
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [assets] };
    webview.onDidReceiveMessage((message: FromPage) => void this.answer(message));
    webview.html = html(webview, assets, path.posix.basename(file.path));
    panel.iconPath = Uri.joinPath(assets, '../../media/pdf.svg');
  }

  show(spot: Spot): void {
    this.spot = spot;
    this.panel.reveal();
    if (this.ready) void this.post({ kind: 'show', spot });
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async answer({ kind }: FromPage): Promise<void> {
    if (kind === 'openOutside') {
      await env.openExternal(this.file);
      return;
    }
    // Node's Buffer would reach the page as JSON.
    const bytes = await workspace.fs.readFile(this.file).then((read) => new Uint8Array(read), () => undefined);
    this.ready = true;
    await this.post(bytes ? { kind: 'open', uri: this.file.toString(), bytes, spot: this.spot } : { kind: 'missing' });
  }

  private async post(message: ToPage): Promise<void> {
    await this.panel.webview.postMessage(message);
  }
}

/** Whether the system's viewer runs where the file is. */
function isLocal(): boolean {
  return env.remoteName === undefined && env.uiKind === UIKind.Desktop;
}

function html(webview: Webview, assets: Uri, name: string): string {
  const asset = (file: string): string => webview.asWebviewUri(Uri.joinPath(assets, file)).toString();
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${webview.cspSource}`,
    `connect-src ${webview.cspSource}`,
    'img-src blob: data:',
    'font-src data:',
  ].join('; ');
  const icon = (drawing: string): string => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${drawing}"/></svg>`;
  const button = (id: string, title: string, drawing: string): string =>
    `<button id="${id}" type="button" title="${title}" aria-label="${title}">${icon(drawing)}</button>`;
  const outside = `<button id="outside" type="button">Open in the system’s viewer</button>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <link rel="stylesheet" href="${asset('page.css')}">
  <title>${escaped(name)}</title>
</head>
<body data-assets="${asset('')}">
  <header>
    ${button('previous', 'Previous page (p)', 'M3 10.5 8 5.5l5 5')}
    ${button('next', 'Next page (n)', 'M3 5.5l5 5 5-5')}
    <label for="page">Page</label>
    <input id="page" type="number" min="1" value="1">
    <span id="pages"></span>
    <span class="space"></span>
    ${button('smaller', 'Smaller (-)', 'M3 8h10')}
    ${button('larger', 'Larger (+)', 'M3 8h10M8 3v10')}
    ${button('width', 'Fit the width (0)', 'M1.5 3v10m13-10v10M4 8h8M6 6 4 8l2 2m4-4 2 2-2 2')}
    ${button('find', 'Find (Ctrl+F)', 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9m3.2 7.7 4 4')}
    ${isLocal() ? outside : ''}
    <div id="search" role="search" hidden>
      <input id="query" type="text" aria-label="Find in this paper" placeholder="Find">
      <span id="matches" role="status"></span>
      ${button('match-before', 'Previous match (Shift+Enter)', 'M3 10.5 8 5.5l5 5')}
      ${button('match-after', 'Next match (Enter)', 'M3 5.5l5 5 5-5')}
      ${button('close-search', 'Close (Escape)', 'M4 4l8 8m0-8-8 8')}
    </div>
  </header>
  <main aria-label="${escaped(name)}">
    <div id="container" tabindex="0"><div id="viewer" class="pdfViewer"></div></div>
    <p id="failure" role="alert" hidden></p>
  </main>
  <script nonce="${nonce}" src="${asset('page.js')}"></script>
</body>
</html>`;
}
