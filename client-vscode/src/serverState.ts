/** `missing`: none was found or installed so far; `stopped`: it failed to start, or ended for good. */
export type ServerState = 'starting' | 'running' | 'missing' | 'stopped';
