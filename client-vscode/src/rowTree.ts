/** A tree in the side bar that shows rows; only their checkboxes are left to its owner. */

import { isDeepStrictEqual } from 'node:util';

import {
  type Command,
  type Disposable,
  EventEmitter,
  Range,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  type TreeView,
  Uri,
  window,
} from 'vscode';
import type { Location } from 'vscode-languageserver-protocol';

import { type Click, type Row, type Shown, withDescendants } from './rows';

export class RowTree implements Disposable {
  readonly view: TreeView<Row>;
  private rows: readonly Row[] = [];
  private readonly parents = new Map<Row, Row>();
  private readonly byId = new Map<string, Row>();
  private readonly changes = new EventEmitter<undefined>();
  /** Whether the author has ticked a box since the rows were shown: the editor then shows what the rows may not have. */
  private isTicked = false;

  constructor(id: string) {
    this.view = window.createTreeView<Row>(id, {
      treeDataProvider: {
        onDidChangeTreeData: this.changes.event,
        getChildren: (row) => [...(row ? row.children ?? [] : this.rows)],
        getParent: (row) => this.parents.get(row),
        getTreeItem: itemOf,
      },
      manageCheckboxStateManually: true,
      showCollapseAll: true,
    });
    this.view.onDidChangeCheckboxState(() => { this.isTicked = true; });
  }

  show({ message, description, rows }: Shown): void {
    // The editor takes an undefined message and description for none.
    (this.view as { message: string | undefined }).message = message;
    (this.view as { description: string | undefined }).description = description;
    // Rows that are shown again lose a click that is under way.
    if (!this.isTicked && isDeepStrictEqual(rows, this.rows)) return;
    this.isTicked = false;
    const wasEmpty = this.rows.length === 0;
    this.rows = rows;
    this.parents.clear();
    this.byId.clear();
    for (const row of rows.flatMap(withDescendants)) {
      this.byId.set(row.id, row);
      for (const child of row.children ?? []) this.parents.set(child, row);
    }
    this.changes.fire(undefined);
    // The editor can lose the change of an empty tree that it is still asking for rows; before it reveals a row it asks again.
    const [first] = rows;
    if (wasEmpty && first && this.view.visible) {
      // The rows may have changed meanwhile.
      this.view.reveal(first, { select: false }).then(undefined, () => undefined);
    }
  }

  /** Select a row, if the view is visible. */
  async select(id: string): Promise<void> {
    const row = this.byId.get(id);
    if (row && this.view.visible) await this.view.reveal(row, { select: true, focus: false });
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }
}

function itemOf(row: Row): TreeItem {
  const unfolded = row.open ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed;
  const folded = row.children ? unfolded : TreeItemCollapsibleState.None;
  const item = new TreeItem(row.label, folded);
  item.id = row.id;
  item.tooltip = row.tooltip ?? row.label;
  if (row.description !== undefined) item.description = row.description;
  if (row.icon !== undefined) item.iconPath = new ThemeIcon(row.icon, row.warns ? new ThemeColor('list.warningForeground') : undefined);
  if (row.context !== undefined) item.contextValue = row.context;
  if (row.click) item.command = commandOf(row.click);
  if (row.spoken !== undefined) item.accessibilityInformation = { label: row.spoken };
  if (row.checked !== undefined) {
    item.checkboxState = {
      state: row.checked ? TreeItemCheckboxState.Checked : TreeItemCheckboxState.Unchecked,
      tooltip: row.checked ? 'You have checked this' : 'Mark as checked',
    };
  }
  return item;
}

function commandOf(click: Click): Command {
  if ('place' in click) {
    const { uri, selection } = placeOf(click.place);
    return { title: 'Open', command: 'vscode.open', arguments: [uri, { selection }] };
  }
  if ('file' in click || 'path' in click) {
    const uri = 'file' in click ? click.file : Uri.file(click.path).toString();
    return { title: 'Open', command: 'pincite.openPdf', arguments: [{ uri }] };
  }
  return { title: 'Do', command: click.command, arguments: click.argument === undefined ? [] : [click.argument] };
}

/** Return a place of the server for the editor. */
export function placeOf({ uri, range: { start, end } }: Location): { uri: Uri; selection: Range } {
  return { uri: Uri.parse(uri), selection: new Range(start.line, start.character, end.line, end.character) };
}
