// Takes the place of VS Code's logger, which would have to be compiled: without one, logs stay empty.
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

class Logger {
  constructor(file) {
    this.file = file;
    this.level = LEVELS.indexOf('info');
    this.bare = false;
    LEVELS.slice(0, -1).forEach((level, rank) => {
      this[level === 'warning' ? 'warn' : level] = (message) => this.write(level, rank, message);
    });
  }

  write(level, rank, message) {
    if (rank < this.level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    fs.appendFileSync(this.file, this.bare ? message : `${time} [${level}] ${message}\n`);
  }

  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  clearFormatters() { this.bare = true; }
  setPattern() {}
  flush() {}
  drop() {}
}

async function create(name, file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(file);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
