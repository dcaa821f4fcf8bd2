-- ~/.config/nvim/init.lua, from Neovim 0.11 on; npm install --global yaml-language-server.
vim.lsp.config('yamlls', {
  cmd = { 'yaml-language-server', '--stdio' },
  filetypes = { 'yaml' },
  root_markers = { '.cogtoolrc.yaml', '.git' },
  settings = {
    yaml = {
      schemas = {
        ['.cogtools/schema/tool.json'] = 'tools/**/*.yaml',
        ['.cogtools/schema/config.json'] = '.cogtoolrc.yaml',
      },
    },
  },
})
vim.lsp.enable('yamlls')
