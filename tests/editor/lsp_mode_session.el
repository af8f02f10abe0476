;;; lsp_mode_session.el --- One session in Emacs; every answer is a line of JSON in $ANSWERS -*- lexical-binding: t; -*-

;; The configuration under test is loaded before this file.  `survey.tex' of the current directory
;; is the draft.

(require 'json)
(require 'lsp-completion)
(require 'lsp-diagnostics)
;; In a batch nothing is loaded by itself; a second draft of a session needs these.
(require 'lsp-modeline)
(require 'lsp-headerline)
(require 'lsp-lens)
(setq lsp-enable-file-watchers nil lsp-diagnostics-provider :flymake lsp-restart 'ignore
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-enable-snippet nil lsp-modeline-code-actions-enable nil
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
  (let* ((table (nth 2 (lsp-completion-at-point)))
         (sort (alist-get 'display-sort-function (cdr (funcall table "" nil 'metadata))))
         (found (all-completions "" table)))
    (mapcar (lambda (candidate)
              (vector (substring-no-properties candidate)
                      (lsp:completion-item-sort-text?
                       (get-text-property 0 'lsp-completion-item candidate))))
            (if sort (funcall sort found) found))))

(lsp-workspace-folders-add default-directory)
(find-file "survey.tex")
(lsp)
(defun ready ()
  (seq-every-p (lambda (workspace) (eq (lsp--workspace-status workspace) 'initialized)) (lsp-workspaces)))
(eventually (lambda () (and (lsp-workspaces) (ready))))
(answer "servers" (mapcar (lambda (each) (lsp--client-server-id (lsp--workspace-client each))) (lsp-workspaces)))

(goto-char (point-min))
(search-forward "label{sec:introduction}")
(insert "\nWhich entities a text mentions in which role tells coherent texts from shuffled ones \\cite{}.")
(backward-char 2)
;; The first lists come from titles; once the papers are read, it is the right one.
(eventually (lambda () (equal (aref (car (candidates)) 0) "barzilay2008coherence")))
(answer "candidates" (candidates))

(insert "barzilay2008coherence")
(backward-char 3)
(defun at-point (method) (lsp-request method (lsp--text-document-position-params)))
(defun hover ()
  (let ((shown (at-point "textDocument/hover")))
    (and shown (substring-no-properties (lsp--render-on-hover-content (lsp:hover-contents shown) t)))))
(eventually (lambda () (not (string-match-p "still being read" (or (hover) "")))))
(answer "hover" (hover))
(answer "definitions"
        (length (lsp--locations-to-xref-items (at-point "textDocument/definition"))))
(set-buffer-modified-p nil)

;; A draft in Typst.  The package typst-ts-mode needs a newer Emacs: a mode of its name stands in.
(define-derived-mode typst-ts-mode text-mode "Typst")
(add-to-list 'auto-mode-alist '("\\.typ\\'" . typst-ts-mode))
(find-file "notes.typ")
(answer "typst deferred" (if (memq #'lsp-deferred typst-ts-mode-hook) t json-false))
(lsp)
(eventually (lambda () (and (lsp-workspaces) (ready))))
(answer "typst servers" (mapcar (lambda (each) (lsp--client-server-id (lsp--workspace-client each))) (lsp-workspaces)))
(search-forward "learned @teuf")
(eventually (lambda () (string-match-p "Teufel et al. 2006" (or (hover) ""))))
(answer "typst hover" (hover))
(search-forward "= What can be compared")
(insert "\n\nHow far one document is from another is measured by @kus")
(eventually (lambda () (candidates)))
(answer "typst candidates" (mapcar (lambda (each) (aref each 0)) (candidates)))
(set-buffer-modified-p nil)
