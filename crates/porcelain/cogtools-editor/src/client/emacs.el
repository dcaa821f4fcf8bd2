(progn
 (require 'json)
 (let* ((method "METHOD") (limit LIMIT)
  (files (seq-filter (function buffer-file-name) (buffer-list)))
  (bool (lambda (value) (if value t :json-false)))
  (position (lambda (point)
   (save-excursion
    (goto-char point)
    (list (cons 'line (line-number-at-pos point t))
          (cons 'column (1+ (- point (line-beginning-position))))))))
  (text (lambda (from to more)
   (let ((end (min to (or (byte-to-position (+ (position-bytes from) limit)) to))))
    (append
     (list (cons 'path (buffer-file-name))
           (cons 'language (replace-regexp-in-string "-\\(ts-\\)?mode\\'" "" (symbol-name major-mode)))
           (cons 'text (buffer-substring-no-properties from end))
           (cons 'dirty (funcall bool (buffer-modified-p)))
           (cons 'truncated (funcall bool (< end to))))
     more))))
  (severity (lambda (type)
   (cond ((memq type '(:error eglot-error)) "error")
         ((memq type '(:warning eglot-warning)) "warning")
         (t "information"))))
  (finding (lambda (one)
   (append
    (list (cons 'path (buffer-file-name)))
    (funcall position (flymake-diagnostic-beg one))
    (list (cons 'severity (funcall severity (flymake-diagnostic-type one)))
          (cons 'message (flymake-diagnostic-text one))))))
  (result
   (cond
    ((equal method "get_open_files")
     (list (cons 'files
      (vconcat (mapcar
       (lambda (buffer)
        (list (cons 'path (buffer-file-name buffer))
              (cons 'active (funcall bool (eq buffer (car files))))
              (cons 'dirty (funcall bool (buffer-modified-p buffer)))))
       files)))))
    ((equal method "get_diagnostics")
     (list (cons 'diagnostics
      (vconcat (seq-mapcat
       (lambda (buffer)
        (with-current-buffer buffer
         (save-restriction
          (widen)
          (and (bound-and-true-p flymake-mode) (mapcar finding (flymake-diagnostics))))))
       files)))))
    ((not (member method '("get_selected_text" "get_current_file"))) nil)
    ((null files) (list (cons 'text "")))
    (t
     (with-current-buffer (car files)
      (let ((from (and mark-active (mark t) (region-beginning)))
            (to (and mark-active (mark t) (region-end))))
       (save-restriction
        (widen)
        (cond
         ((equal method "get_current_file") (funcall text (point-min) (point-max) nil))
         (from (funcall text from to
                (list (cons 'start (funcall position from)) (cons 'end (funcall position to)))))
         (t (funcall text (point-min) (point-min) nil))))))))))
 (process-send-string
  (car server-clients)
  (concat
   "-print "
   (base64-encode-string
    (encode-coding-string
     (condition-case nil
      (if result (json-serialize result :false-object :json-false) "null")
      (error (json-encode result)))
     'utf-8)
    t)
   "\n"))
 nil))
