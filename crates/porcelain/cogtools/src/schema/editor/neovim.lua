-- ~/.config/nvim/init.lua, from Neovim 0.11 on; npm install --global yaml-language-server.
vim.filetype.add({ extension = { njk = 'njk' } })
vim.lsp.config('cogtools', {
  cmd = { 'cogtools', 'lsp' },
  filetypes = { 'yaml', 'njk' },
  root_markers = { '.cogtoolrc.yaml', '.git' },
})
vim.lsp.config('yamlls', {
  cmd = { 'yaml-language-server', '--stdio' },
  filetypes = { 'yaml' },
  root_markers = { '.cogtoolrc.yaml', '.git' },
  settings = {
    yaml = {
      -- cogtools says what is wrong in a tool file; with both, each mistake is shown twice.
      validate = false,
      schemas = {
        ['.cogtools/schema/tool.json'] = 'tools/**/*.yaml',
        ['.cogtools/schema/config.json'] = '.cogtoolrc.yaml',
      },
    },
  },
})
vim.lsp.enable({ 'cogtools', 'yamlls' })
