// Does for citations what Quarto's extension does: keys that begin as typed, and the reference in hovers.
exports.activate = (context) => require('./at-keys.cjs').serve(context, 'quarto', { defines: false });
