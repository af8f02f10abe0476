;;; eglot_session.el --- One session in Emacs; every answer is a line of JSON in $ANSWERS -*- lexical-binding: t; -*-

;; The configuration under test is loaded before this file.  `survey.tex' of the current directory
;; is the draft.

(require 'json)
(require 'flymake)
(require 'xref)
(setq eglot-sync-connect 60 eglot-autoreconnect nil eglot-confirm-server-edits nil
      make-backup-files nil create-lockfiles nil)
(prefer-coding-system 'utf-8)

(defun write-answer (name value)
  (let ((coding-system-for-write 'utf-8))
    (write-region (concat (json-encode (list (cons name value))) "\n") nil (getenv "ANSWERS") t 'quiet)))

(defmacro answer (name form)
  "Write what FORM returns under NAME; an error is an answer, too."
  `(write-answer ,name (condition-case problem ,form (error (list (error-message-string problem))))))

(defun eventually (condition)
  "Return what CONDITION returns, once it is not nil; nil after a minute."
  (let ((tries 0) found)
    (while (and (not (setq found (funcall condition))) (< tries 600))
      (accept-process-output nil 0.1)
      (setq tries (1+ tries)))
    found))

(defun candidates ()
  "Return the candidates at point in the order in which they are displayed."
  (let* ((table (nth 2 (eglot-completion-at-point)))
         (sort (alist-get 'display-sort-function (cdr (funcall table "" nil 'metadata)))))
    (mapcar #'substring-no-properties (funcall sort (all-completions "" table)))))

(defun line () (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun hover ()
  (let (text)
    (eglot-hover-eldoc-function (lambda (shown &rest _) (setq text shown)))
    (eventually (lambda () text))
    (and text (substring-no-properties text))))

(defun place (item)
  "Return the file and the line of an xref ITEM."
  (let ((location (xref-item-location item)))
    (vector (file-name-nondirectory (xref-location-group location)) (xref-location-line location))))

(defun at-point (ask) (mapcar #'place (funcall ask 'eglot (xref-backend-identifier-at-point 'eglot))))

;; A user opens the draft; Emacs's command loop, which a batch has not, would run this hook.
(find-file "survey.tex")
(run-hooks 'post-command-hook)
(answer "connected" (if (eventually #'eglot-current-server) t json-false))

(goto-char (point-min))
(search-forward "label{sec:introduction}")
(insert "\nWhich entities a text mentions in which role tells coherent texts from shuffled ones \\cite{}.")
(backward-char 2)
;; The first lists come from titles; once the papers are read, it is the right one.
(eventually (lambda () (equal (car (candidates)) "barzilay2008coherence")))
(answer "candidates" (candidates))
(insert "lapata")
(completion-at-point)
(answer "completed" (line))

(search-backward "barzilay2008coherence")
(forward-char 3)
(eventually (lambda () (not (string-match-p "still being read" (or (hover) "")))))
(answer "hover" (hover))
(answer "definition" (at-point #'xref-backend-definitions))
(answer "references" (at-point #'xref-backend-references))
(answer "actions"
        (mapcar (lambda (action) (plist-get action :title)) (eglot-code-actions (point) (point))))

;; A user agrees to changes in files that are not open.
(answer "renamed" (cl-letf (((symbol-function 'y-or-n-p) #'always)) (eglot-rename "lapata2008") (line)))
(with-current-buffer (find-file-noselect "references.bib")
  (answer "renamed entry" (if (string-match-p "{lapata2008," (buffer-string)) t json-false))
  (set-buffer-modified-p nil))

(save-excursion (end-of-line) (insert " See \\cite{nosuchkey}."))
;; An idle timer sends edits, and a batch is never idle.
(eglot--signal-textDocument/didChange)
(flymake-start)
(defun problems () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
(eventually (lambda () (seq-find (lambda (text) (string-match-p "nosuchkey" text)) (problems))))
(answer "problems" (problems))

(set-buffer-modified-p nil)

;; A draft in Quarto of the same project, at the same server; the mode is a package of its own.
(when (require 'markdown-mode nil t)
  (find-file "notes.qmd")
  (run-hooks 'post-command-hook)
  (answer "markdown connected" (if (eventually #'eglot-current-server) t json-false))
  (search-forward "one answer [@qazv")
  (eventually (lambda () (string-match-p "Qazvinian and Radev 2008" (or (hover) ""))))
  (answer "markdown hover" (hover))
  (goto-char (point-max))
  (insert "\nHow far one document is from another is measured by @kus")
  (eventually (lambda () (candidates)))
  (answer "markdown candidates" (candidates))
  (completion-at-point)
  (answer "markdown completed" (line)))

(set-buffer-modified-p nil)

;; A draft in Typst.  The package typst-ts-mode needs a newer Emacs: a mode of its name stands in.
(define-derived-mode typst-ts-mode text-mode "Typst")
(add-to-list 'auto-mode-alist '("\\.typ\\'" . typst-ts-mode))
(find-file "notes.typ")
(run-hooks 'post-command-hook)
(answer "typst connected" (if (eventually #'eglot-current-server) t json-false))
(search-forward "learned @teuf")
(eventually (lambda () (string-match-p "Teufel et al. 2006" (or (hover) ""))))
(answer "typst hover" (hover))
(search-forward "= What can be compared")
(insert "\n\nHow far one document is from another is measured by @kus")
(eventually (lambda () (candidates)))
(answer "typst candidates" (candidates))
(completion-at-point)
(answer "typst completed" (line))

(set-buffer-modified-p nil)
;; A bibliography in Latin-1, of which Emacs finds out the encoding when it visits it.
(let ((coding-system-for-write 'utf-8))
  (write-region "\\documentclass{article}\nRivers \\cite{agern}.\n\\bibliography{old}\n" nil "old.tex" nil 'quiet))
(let ((coding-system-for-write 'latin-1))
  (write-region "@book{agern, author = {\u00c4gern, J\u00f6rg}}\n" nil "old.bib" nil 'quiet))
(defun bytes-of (file)
  (with-temp-buffer (set-buffer-multibyte nil) (insert-file-contents-literally file) (string-to-list (buffer-string))))
(defun rename-old ()
  (with-current-buffer (find-file-noselect "old.tex")
    (goto-char (point-min))
    (search-forward "cite{ag")
    (cl-letf (((symbol-function 'y-or-n-p) #'always)) (eglot-rename "new1990"))
    (line)))
(find-file "old.tex")
(run-hooks 'post-command-hook)
(eventually #'eglot-current-server)
(answer "closed in latin-1" (rename-old))
(answer "bytes before" (bytes-of "old.bib"))
(find-file "old.bib")
(run-hooks 'post-command-hook)
(eventually #'eglot-current-server)
(answer "open in latin-1" (rename-old))
(with-current-buffer (find-file-noselect "old.bib") (save-buffer))
(answer "bytes after" (bytes-of "old.bib"))
(set-buffer-modified-p nil)

;; What `eglot-shutdown' sends; it then kills the server without waiting for its end.
(let* ((server (eglot-current-server)) (process (jsonrpc--process server)))
  (jsonrpc-request server :shutdown nil)
  (jsonrpc-notify server :exit nil)
  (eventually (lambda () (not (process-live-p process))))
  (answer "exit" (process-exit-status process)))
