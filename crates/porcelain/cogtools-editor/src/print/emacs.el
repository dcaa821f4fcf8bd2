;;; cogtools.el --- Shows this Emacs to programs in its shells  -*- lexical-binding: t -*-
;; Write it with: cogtools editor print emacs > ~/.emacs.d/cogtools.el
;; and load it in your init file: (load "~/.emacs.d/cogtools")
;; The protocol is docs/reference/editor-protocol.md of cogtools.
(mapc #'require '(diff json seq))

(defvar cogtools--server nil "The server of the protocol.")
(defvar-local cogtools--shown 0 "The time since when its user sees this proposal.")
(defvar-local cogtools--decide nil "The function that answers this proposal.")

(defun cogtools--bool (value) (if value t :false))
(defun cogtools--files () (seq-filter #'buffer-file-name (buffer-list)))

(defun cogtools--position (point)
  (save-excursion
    (goto-char point)
    `((line . ,(line-number-at-pos point t)) (column . ,(1+ (- point (line-beginning-position)))))))

(defun cogtools--hash ()
  (let ((text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))
    (secure-hash 'sha256 (encode-coding-string (replace-regexp-in-string "\r\n" "\n" text t t) 'utf-8))))

(defun cogtools--text (params region)
  "The region, or the whole text, of the file in PARAMS or of the current one."
  (let* ((path (alist-get 'path params))
         (buffer (if path (find-buffer-visiting path) (car (cogtools--files)))))
    (if (not buffer) '((text . ""))
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (let* ((active (and region mark-active (mark t)))
                 (from (if active (region-beginning) (point-min)))
                 (to (cond (active (region-end)) (region from) (t (point-max))))
                 (end (min to (or (byte-to-position (+ (position-bytes from)
                                                       (alist-get 'max_bytes params))) to)))
                 (mode (replace-regexp-in-string "-\\(ts-\\)?mode\\'" "" (symbol-name major-mode))))
            `((path . ,(buffer-file-name)) (language . ,mode) (hash . ,(cogtools--hash))
              (text . ,(buffer-substring-no-properties from end))
              (dirty . ,(cogtools--bool (buffer-modified-p)))
              (truncated . ,(cogtools--bool (< end to)))
              ,@(and active `((start . ,(cogtools--position from))
                              (end . ,(cogtools--position to)))))))))))

(defun cogtools--open-files ()
  (let ((files (cogtools--files)))
    `((files . ,(vconcat (mapcar (lambda (buffer)
      `((path . ,(buffer-file-name buffer)) (active . ,(cogtools--bool (eq buffer (car files))))
        (dirty . ,(cogtools--bool (buffer-modified-p buffer))))) files))))))

(defun cogtools--diagnostic (one)
  (let ((type (flymake-diagnostic-type one)))
    `((path . ,(buffer-file-name)) ,@(cogtools--position (flymake-diagnostic-beg one))
      (severity . ,(cond ((memq type '(:error eglot-error)) "error")
                         ((memq type '(:warning eglot-warning)) "warning") (t "information")))
      (message . ,(flymake-diagnostic-text one)))))

(defun cogtools--diagnostics ()
  `((diagnostics . ,(vconcat (seq-mapcat (lambda (buffer)
    (with-current-buffer buffer
      (save-restriction
        (widen)
        (and (bound-and-true-p flymake-mode) (mapcar #'cogtools--diagnostic (flymake-diagnostics))))))
    (cogtools--files))))))

(defun cogtools--refusal (path file base)
  "Why FILE cannot get a text that was made from one with the hash BASE."
  (let ((now (and (buffer-live-p file) (with-current-buffer file (cogtools--hash)))))
    (cond ((stringp (file-locked-p path)) '((accepted . :false) (refused . "open_elsewhere")))
          ((not (and now (equal now (or base now))))
           `((accepted . :false) (stale . t) ,@(and now `((hash . ,now)))))
          ((buffer-local-value 'buffer-read-only file)
           '((accepted . :false) (refused . "not_modifiable"))))))

(defun cogtools--propose (params client id frame)
  "Shows the change in PARAMS in FRAME. Its user answers later."
  (let* ((path (alist-get 'path params)) (visited (find-buffer-visiting path))
         ;; A file that nobody has opened sets no variables, and asks nothing.
         (enable-local-variables nil) (enable-dir-local-variables nil) (large-file-warning-threshold nil)
         (vc-follow-symlinks t) (vc-handled-backends nil)
         (file (or visited (find-file-noselect path t)))
         (base (or (alist-get 'hash params) (with-current-buffer file (cogtools--hash))))
         (refusal (cogtools--refusal path file base))
         (done nil) new shown)
    (if refusal (progn (unless visited (kill-buffer file)) refusal)
      (setq new (generate-new-buffer " *cogtools*")
            shown (generate-new-buffer (concat "*proposal: " (file-name-nondirectory path) "*")))
      ;; A file that was not read as one with CR LF has the CR in its lines.
      (let ((content (alist-get 'content params)))
        (with-current-buffer new
          (insert (if (with-current-buffer file (string-match-p "\r\n" (buffer-string)))
                      (replace-regexp-in-string "\n" "\r\n" content t t)
                    content))))
      (diff-no-select file new "-u" t shown)
      (with-current-buffer shown
        (use-local-map (make-composed-keymap nil (current-local-map)))
        (local-set-key (kbd "C-c C-c") #'cogtools-accept)
        (local-set-key (kbd "C-c C-k") #'cogtools-reject)
        (setq bidi-display-reordering nil
              header-line-format (replace-regexp-in-string "%" "%%" (format
               " %s: %d change(s)   accept: C-c C-c, reject: C-c C-k" (abbreviate-file-name path)
               (how-many "^@@ " (point-min) (point-max))) t t)
              cogtools--decide
              (lambda (accepted reason)
                (let ((result (or (and accepted (cogtools--refusal path file base))
                                  `((accepted . ,(cogtools--bool accepted))
                                    ,@(unless (equal reason "") `((reason . ,reason)))))))
                  (when (eq (alist-get 'accepted result) t)
                    (with-current-buffer file
                      (save-restriction (widen) (replace-buffer-contents new))))
                  (setq done t)
                  (cogtools--answer client id `(result (name . "Emacs") ,@result))
                  (mapc #'kill-buffer (list new shown))
                  (unless (or visited (buffer-modified-p file)) (kill-buffer file)))))
        (add-hook 'kill-buffer-hook (lambda () (unless done (funcall cogtools--decide nil ""))) nil t)
        (let ((see (lambda (&rest _) (setq cogtools--shown (float-time)))))
          (add-hook 'window-selection-change-functions see nil t)
          (funcall see)))
      (set-process-sentinel client (lambda (&rest _) (when (buffer-live-p shown) (kill-buffer shown))))
      ;; Keys that are being typed are for the buffer in which they were begun.
      (with-selected-frame frame (display-buffer shown '(nil (inhibit-same-window . t))))
      nil)))

(defun cogtools-accept ()
  "Accept the proposed change of this buffer."
  (interactive)
  (when (< (- (float-time) cogtools--shown) 1)
    (user-error "Look at the change before you accept it"))
  (funcall cogtools--decide t ""))

(defun cogtools-reject (reason)
  "Reject the proposed change of this buffer, and give the model the REASON."
  (interactive "sReason, or nothing: ")
  (funcall cogtools--decide nil reason))

(defun cogtools--answer (client id answer)
  (when (process-live-p client)
    (let ((whole `((jsonrpc . "2.0") (id . ,id) ,answer)) (json-false :false))
      (process-send-string client (concat (condition-case nil (json-serialize whole)
        (error (encode-coding-string (json-encode whole) 'utf-8))) "\n"))
      (delete-process client))))

(defun cogtools--handle (client line)
  (let* ((request (json-parse-string line :object-type 'alist))
         (id (alist-get 'id request)) (params (alist-get 'params request))
         (frame (seq-find (lambda (one) (not (equal (terminal-name one) "initial_terminal")))
                          (cons (selected-frame) (frame-list))))
         (result (condition-case problem
                     (pcase (cons (alist-get 'method request) frame)
                       (`("get_selected_text" . ,_) (cogtools--text params t))
                       (`("get_current_file" . ,_) (cogtools--text params nil))
                       (`("get_open_files" . ,_) (cogtools--open-files))
                       (`("get_diagnostics" . ,_) (cogtools--diagnostics))
                       ((and `("open_file" . ,one) (guard one))
                        (with-selected-frame one
                          (let ((enable-local-variables :safe))
                            (find-file-other-window (alist-get 'path params)))
                          (goto-char (point-min))
                          (forward-line (1- (alist-get 'line params))))
                        '((opened . t)))
                       ((and `("propose_edit" . ,one) (guard one))
                        (or (cogtools--propose params client id one) 'later))
                       (_ '(error (code . -32601) (message . "Method not found"))))
                   (error `(error (code . -32603) (message . ,(error-message-string problem)))))))
    (unless (eq result 'later)
      (cogtools--answer client id
       (if (eq (car result) 'error) result `(result (name . "Emacs") ,@result))))))

(defun cogtools--filter (client chunk)
  (let ((text (concat (process-get client 'text) chunk)))
    (process-put client 'text text)
    (cond ((> (length text) (ash 8 20)) (delete-process client))
          ((string-suffix-p "\n" text)
           (condition-case problem (cogtools--handle client (decode-coding-string text 'utf-8))
             (error (cogtools--answer client :null
                     `(error (code . -32700) (message . ,(error-message-string problem))))))))))

(defun cogtools-start ()
  "Answer programs in shells that are opened from now on."
  (interactive)
  (let* ((folder (make-temp-file "cogtools-" t)) (socket (expand-file-name "editor" folder)))
    (setq cogtools--server
          (make-network-process :name "cogtools" :server t :family 'local :service socket
                                :coding 'binary :noquery t :filter #'cogtools--filter))
    (set-file-modes socket #o600)
    (setenv "COGTOOLS_EDITOR" socket)
    (add-hook 'kill-emacs-hook (lambda () (delete-directory folder t)))))
(unless (process-live-p cogtools--server) (cogtools-start))
