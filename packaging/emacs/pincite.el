;;; pincite.el --- Citations ranked by the text around point -*- lexical-binding: t; -*-

;; Author: The Pincite authors
;; Maintainer: The Pincite authors
;; URL: https://github.com/OWNER/pincite
;; Version: 0.2.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: tex, bib, convenience
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Pincite ranks the entries of your bibliography by the text around point, in LaTeX, Markdown and
;; Typst, and shows the sentences of a cited work that support the citation.  This package sets
;; eglot or lsp-mode up to start its server, which `pipx install pincite' installs:
;;
;;     (pincite-eglot-setup)   ; then M-x eglot in a draft
;;     (pincite-lsp-setup)     ; then M-x lsp; runs beside texlab or digestif

;;; Code:

(defgroup pincite nil
  "Citations ranked by the text around point."
  :group 'tex
  :prefix "pincite-")

(defcustom pincite-command '("pincite" "serve")
  "Program and arguments that start the server."
  :type '(repeat string))

(defcustom pincite-options nil
  "Settings of the server as a property list, such as (:peers [\"texlab\"])."
  :type 'plist)

(defcustom pincite-modes
  '(latex-mode LaTeX-mode tex-mode bibtex-mode markdown-mode typst-ts-mode)
  "Modes of drafts and bibliographies, for eglot."
  :type '(repeat symbol))

(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)
(declare-function lsp-activate-on "ext:lsp-mode")
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")

;;;###autoload
(defun pincite-eglot-setup ()
  "Let eglot start Pincite in `pincite-modes'."
  (require 'eglot)
  (add-to-list 'eglot-server-programs
               (cons pincite-modes
                     (append pincite-command
                             (and pincite-options
                                  (list :initializationOptions pincite-options))))))

;;;###autoload
(defun pincite-lsp-setup ()
  "Let lsp-mode start Pincite, beside another server if there is one."
  (require 'lsp-mode)
  (add-to-list 'lsp-language-id-configuration '(typst-ts-mode . "typst"))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () pincite-command))
    :activation-fn (lsp-activate-on "latex" "bibtex" "markdown" "typst")
    :initialization-options (lambda () pincite-options)
    :add-on? t
    :priority 1
    :server-id 'pincite)))

(provide 'pincite)
;;; pincite.el ends here
