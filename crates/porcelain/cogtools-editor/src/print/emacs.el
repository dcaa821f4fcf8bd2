;; In your init file, such as ~/.emacs.d/init.el. Shells in Emacs then reach it by its server; the
;; command asks about the selection, or about the file, in a new shell.
(require 'server)
(unless (server-running-p) (server-start))

(defun cogtools-ask (task)
  "Ask cogtools about the selection or the current file."
  (interactive "sTask: ")
  (async-shell-command
   (concat "cogtools ask --editor " (shell-quote-argument task))))
