// The services for metadata, played on this computer (`metadata_services.py`).
import { spawn } from 'node:child_process';

import { PYTHON, TESTS, until } from './editor.mjs';

const WAIT = 30_000;

export class Services {
  #process;
  #printed = [];

  /** Start services that know `works`, a list in Python. */
  static async start(works) {
    const services = new Services();
    const program = `
import sys
from metadata_services import Work, serving
works = ${works}
with serving(works) as services:
    print(services.address, flush=True)
    for _ in sys.stdin:
        print(len(services.requests), flush=True)
`;
    const PYTHONPATH = [TESTS, process.env.PYTHONPATH].filter(Boolean).join(':');
    services.#process = spawn(PYTHON, ['-c', program], { env: { ...process.env, PYTHONPATH } });
    services.#process.stdout.on('data', (data) => { services.#printed.push(...data.toString().split('\n').filter(Boolean)); });
    services.address = await services.#line();
    return services;
  }

  /** Return how many requests they have had. */
  async requests() {
    this.#process.stdin.write('\n');
    return Number(await this.#line());
  }

  stop() {
    this.#process.kill();
  }

  async #line() {
    await until(() => this.#printed.length > 0, WAIT, 'the services answer');
    return this.#printed.shift();
  }
}
