(progn
 (require 'diff)
 (require 'json)
 (let* ((client (car server-clients))
  (frame (seq-find (lambda (one) (not (equal (terminal-name one) "initial_terminal")))
                   (cons (selected-frame) (frame-list))))
  (proposal (let ((coding-system-for-read 'utf-8-unix))
   (with-temp-buffer (insert-file-contents "PROPOSAL") (json-read))))
  (path (cdr (assq 'path proposal)))
  (content (cdr (assq 'content proposal)))
  (ask (lambda ()
   (let* ((enable-local-variables :safe)
          (enable-local-eval nil)
          (enable-dir-local-variables nil)
          (visited (find-buffer-visiting path))
          (buffer (or visited (find-file-noselect path t)))
          (proposed (generate-new-buffer "*proposed change*"))
          (accepted nil))
    (unwind-protect
     (progn
      (with-current-buffer proposed (insert content))
      (save-window-excursion
       (pop-to-buffer (diff-no-select buffer proposed "-u" t))
       (setq accepted
        (and (condition-case nil
              (yes-or-no-p (format "Accept this change of %s? " (file-name-nondirectory path)))
              (quit nil))
             (process-live-p client))))
      (when accepted
       (with-current-buffer buffer
        (save-restriction
         (widen)
         (let ((at (point)))
          (erase-buffer)
          (insert content)
          (goto-char (min at (point-max)))))))
      accepted)
     (kill-buffer proposed)
     (unless (or accepted visited) (kill-buffer buffer))))))
  (accepted (and frame (with-selected-frame frame (funcall ask)))))
 (process-send-string
  client
  (concat
   "-print "
   (base64-encode-string
    (if frame (json-encode (list (cons 'accepted (if accepted t :json-false)))) "null")
    t)
   "\n"))
 nil))
