---@brief
---
--- https://github.com/OWNER/pincite
---
--- Ranks the entries of a bibliography by the text around the cursor, in LaTeX, Markdown and Typst, and shows
--- the sentences of a cited work that support the citation. Install it with `pipx install pincite`.
---
--- It works beside texlab, digestif, marksman and tinymist. Name them, and what they do as well is left to them:
---
--- ```lua
--- vim.lsp.config('pincite', { init_options = { peers = { 'texlab' } } })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'pincite', 'serve' },
  filetypes = { 'tex', 'plaintex', 'bib', 'markdown', 'quarto', 'rmd', 'typst' },
  root_markers = { '.git', '.latexmkrc', '.texlabroot' },
}
