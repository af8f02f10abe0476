// What the stand-ins for Markdown and Typst know: the key behind an @, as their originals find it, and its entry.
const { entries } = require('./bibliography.cjs');

/** The key around a position, what of it is typed, where it starts, and its entry; undefined where there is no @. */
exports.keyAt = (document, position) => {
  const line = document.lineAt(position).text;
  const typed = /@([^@;[\]\s!,]*)$/.exec(line.slice(0, position.character));
  if (!typed) return undefined;
  const start = position.character - typed[1].length;
  const [key] = /^[^@;[\]\s!,]*/.exec(line.slice(start));
  const entry = entries(document).find((one) => one.key === key || one.key === key.replace(/\.$/, ''));
  return { key, typed: typed[1], line: position.line, start, entry };
};
