;; .dir-locals.el in the project, from Emacs 29 on; npm install --global yaml-language-server.
;; In init.el, this starts cogtools instead, which needs no settings; Eglot starts one of the two:
;; (with-eval-after-load 'eglot
;;   (add-to-list 'eglot-server-programs '((yaml-mode yaml-ts-mode) "cogtools" "lsp")))
((nil
  . ((eglot-workspace-configuration
      . (:yaml (:schemas (:.cogtools/schema/tool.json "tools/**/*.yaml"
                          :.cogtools/schema/config.json ".cogtoolrc.yaml")))))))
