;; .dir-locals.el in the project, from Emacs 29 on; npm install --global yaml-language-server.
((nil
  . ((eglot-workspace-configuration
      . (:yaml (:schemas (:.cogtools/schema/tool.json "tools/**/*.yaml"
                          :.cogtools/schema/config.json ".cogtoolrc.yaml")))))))
