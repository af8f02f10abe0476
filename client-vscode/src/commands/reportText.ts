/** The text of a report: diagnostic information without any of the author's content. */

import type { Status } from '../wire';
import { counted } from '../wording';

const REMOTES = ['ssh-remote', 'wsl', 'dev-container', 'attached-container', 'codespaces', 'tunnel'];

export interface Facts {
  readonly extension: string;
  readonly server: { state: string; version?: string | undefined; from?: string | undefined; python?: string | undefined };
  readonly editor: string;
  readonly system: string;
  /** The editor's name of a remote workspace: a kind, or an address. */
  readonly remote: string | undefined;
  readonly trusted: boolean;
  readonly folders: number;
  /** Peers with their versions. */
  readonly peers: readonly string[];
  /** What is known of the entries, or why that is unknown. */
  readonly status: Status | string;
  readonly settings: readonly Setting[];
}

/** A setting with its schema in the manifest. */
export interface Setting {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly default?: unknown;
}

export function reportText(facts: Facts): string {
  const { server, status } = facts;
  const rows = [
    ['Pincite', facts.extension],
    ['Server', listed(server.version, server.state, server.from && `from ${server.from}`, server.python && `Python ${server.python}`)],
    ['Editor', facts.editor],
    ['System', listed(facts.system, facts.remote !== undefined && remoteKind(facts.remote))],
    ['Workspace', listed(counted(facts.folders, 'folder'), facts.trusted ? 'trusted' : 'not trusted')],
    ['Beside', facts.peers.join(', ') || 'none'],
    ['Index', typeof status === 'string' ? status : indexed(status)],
  ];
  const settings = facts.settings.filter(({ value, schema }) => !same(value, schema.default));
  return [
    '**What did you do, what happened, and what did you expect?**\n\n\n',
    '**How it is set up** (this contains nothing from your drafts, bibliographies or paths)\n',
    '| | |\n|---|---|',
    ...rows.map(([what, value]) => `| ${what ?? ''} | ${value ?? ''} |`),
    '\nSettings that differ from the default:',
    settings.map(({ name, schema, value }) => `- \`${name}\`: ${disclosed(value, schema)}`).join('\n') || 'none.',
    '',
  ].join('\n');
}

/** Return what a report may reveal of a value: itself if it is from a fixed set, else only that it is set. */
export function disclosed(value: unknown, schema: Schema): string {
  if (Array.isArray(value)) {
    const choices = schema.items?.enum;
    return choices ? value.map((one) => disclosed(one, schema.items ?? {})).join(', ') || 'none' : `${value.length} given`;
  }
  const isChoice = schema.enum?.includes(value) ?? (schema.type === 'boolean' && typeof value === 'boolean');
  return isChoice ? String(value) : schema.enum || schema.type === 'boolean' ? 'an invalid value' : 'given';
}

function remoteKind(remote: string): string {
  return `remote: ${REMOTES.includes(remote) ? remote : 'of another kind'}`;
}

function indexed({ state, entries, fullTexts, abstracts, titles }: Status): string {
  const known = [counted(fullTexts, 'full text'), counted(abstracts, 'abstract'), counted(titles, 'title')];
  return `${counted(entries, 'entry', 'entries')}: ${known.join(', ')}; ${state}`;
}

function listed(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
