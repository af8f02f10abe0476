// Does for citations what Tinymist does: keys, the reference in hovers, and definitions.
exports.activate = (context) => require('./at-keys.cjs').serve(context, 'typst', { defines: true });
