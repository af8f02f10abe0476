// The trees of the side bar: the Claim check and the Library view.
import { until } from './editor.mjs';

/** The part of the side bar with this title. */
const pane = (editor, title) => editor.page.locator('.pane', { has: editor.page.locator(`.pane-header[aria-label^="${title}"]`) });

/** A tree of the side bar. */
export class Tree {
  constructor(editor, title) {
    this.editor = editor;
    this.title = title;
    this.pane = pane(editor, title);
  }

  /** Show it alone, for there is little room; it takes the focus. */
  async open() {
    await this.editor.page.locator('.activitybar .action-label[aria-label*="Pincite"]').waitFor();
    await this.editor.run(`Pincite: Focus on ${this.title} View`);
    for (const title of ['Evidence', 'Claim check', 'Library'].filter((one) => one !== this.title)) {
      await new Tree(this.editor, title).fold();
    }
    await this.editor.run(`Pincite: Focus on ${this.title} View`);
    await this.pane.locator('.pane-body').first().waitFor();
  }

  /** Leave only its title. */
  async fold() {
    const header = this.pane.locator('.pane-header');
    if (await header.getAttribute('aria-expanded') === 'true') await header.locator('.title').click();
  }

  /** The text above the rows. */
  async message() {
    const shown = this.pane.locator('.message');
    return await shown.count() ? (await shown.first().innerText()).trim() : '';
  }

  /** The text beside the title. */
  description() {
    return this.pane.locator('.pane-header .description').innerText();
  }

  row(label) {
    return this.pane.locator('.monaco-list-row', { has: this.editor.page.locator('.label-name', { hasText: label }) }).first();
  }

  /** Label and description of each row that is shown. */
  rows() {
    return this.pane.locator('.monaco-list-row').evaluateAll((all) => all.map((row) =>
      [row.querySelector('.label-name')?.textContent ?? '', row.querySelector('.label-description')?.textContent ?? '']));
  }

  async labels() {
    return (await this.rows()).map(([label]) => label);
  }

  /** Unfold a row that has others below it. */
  async unfold(label) {
    const row = this.row(label);
    await row.waitFor();
    await until(async () => {
      if (await row.getAttribute('aria-expanded') === 'true') return true;
      await row.locator('.monaco-tl-twistie').click();
      return false;
    }, 10_000, `${label} is unfolded`);
  }

  /** Press a button of a row: it is there under the mouse only, and hidden while rows are redrawn. */
  async press(label, title) {
    const row = this.row(label);
    const button = row.getByRole('button', { name: title });
    await until(async () => {
      await row.hover();
      return button.click({ timeout: 2000 }).then(() => true, () => false);
    }, 30_000, `“${title}” of ${label} is pressed`);
  }
}
