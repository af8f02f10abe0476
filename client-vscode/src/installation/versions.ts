/** Versions of Python and of the server that are compatible with this extension. */

export const OLDEST_PYTHON = '3.10';

type Numbers = readonly [major: number, minor: number];

function numbers(version: string): Numbers | undefined {
  const found = /^\D*(\d+)\.(\d+)/.exec(version);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export function isSupportedPython(version: string): boolean {
  const [given, oldest] = [numbers(version), numbers(OLDEST_PYTHON)];
  if (!given || !oldest) return false;
  return given[0] > oldest[0] || (given[0] === oldest[0] && given[1] >= oldest[1]);
}

/** Whether a server is compatible: both have the same major version, or minor version while below 1. */
export function isCompatible(server: string, extension: string): boolean {
  const [ours, theirs] = [numbers(extension), numbers(server)];
  if (!ours || !theirs) return false;
  return ours[0] === theirs[0] && (ours[0] > 0 || ours[1] === theirs[1]);
}
