/** The view in the side bar that follows the cursor: what the works cited there say in support. */

import type { WebviewView, WebviewViewProvider } from 'vscode';

export class EvidenceView implements WebviewViewProvider {
  static readonly id = 'pincite.evidenceView';

  resolveWebviewView(view: WebviewView): void {
    view.webview.html = '<h1>Evidence</h1>';
  }
}
