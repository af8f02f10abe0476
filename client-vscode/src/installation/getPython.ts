/** How to get a Python that will do, on this system. */

import { readFileSync } from 'node:fs';

import { OLDEST_PYTHON } from './versions';

/** What was found instead of one. */
export interface Lacking {
  readonly reason: 'none' | 'too old' | 'no environments';
  /** The Python that comes nearest. */
  readonly executable?: string;
  readonly version?: string;
  readonly system: System;
}

export type System = 'Windows' | 'macOS' | 'Debian' | 'Fedora' | 'Arch' | 'SUSE' | 'Alpine' | 'other';

const FAMILIES: Readonly<Record<string, System>> = {
  debian: 'Debian', ubuntu: 'Debian', fedora: 'Fedora', rhel: 'Fedora', centos: 'Fedora',
  arch: 'Arch', suse: 'SUSE', opensuse: 'SUSE', alpine: 'Alpine',
};

/** What each system needs, environments included. */
const WAYS: Readonly<Record<System, string>> = {
  Windows: 'Install it from python.org, or run “winget install Python.Python.3.13”',
  macOS: 'Install it from python.org, or run “brew install python”',
  Debian: 'Run “sudo apt install python3-venv”',
  Fedora: 'Run “sudo dnf install python3”',
  Arch: 'Run “sudo pacman -S python”',
  SUSE: 'Run “sudo zypper install python3”',
  Alpine: 'Run “sudo apk add python3”',
  other: 'Install it with the package manager of your system, or from python.org',
};

/** Return the kind of system by the `os-release` files of Linux. */
export function systemOf(platform: NodeJS.Platform, osRelease: string): System {
  if (platform === 'win32') return 'Windows';
  if (platform === 'darwin') return 'macOS';
  const names = [...osRelease.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap(([, value = '']) => value.replaceAll(/["']/g, '').split(/[\s-]+/));
  return names.map((name) => FAMILIES[name]).find((family) => family !== undefined) ?? 'other';
}

export function thisSystem(): System {
  let osRelease = '';
  try {
    osRelease = process.platform === 'linux' ? readFileSync('/etc/os-release', 'utf8') : '';
  } catch {
    // Then it is any other Linux.
  }
  return systemOf(process.platform, osRelease);
}

/** Return what was found, and what to do on this system. */
export function howToGetPython({ reason, executable, version, system }: Lacking): string {
  const again = 'Then choose “Look again”, or run “Pincite: Restart server”.';
  if (reason === 'no environments') {
    const [major = '3', minor = ''] = (version ?? '').split('.');
    const way = system === 'Debian' ? `Run “sudo apt install python3-venv” (or python${major}.${minor}-venv)` : WAYS[system];
    return `${executable ?? 'The Python that was found'} cannot create virtual environments. ${way}. ${again}`;
  }
  const found = version === undefined ? 'None was found' : `Only Python ${version} was found`;
  const newer = reason === 'too old' && system !== 'Windows' && system !== 'macOS'
    ? `. If that one is older than ${OLDEST_PYTHON}, get it from python.org`
    : '';
  return `${found}. ${WAYS[system]}${newer}. ${again}`;
}
