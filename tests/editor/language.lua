-- What Neovim shows of a tool file that `cogtools lsp` serves, as JSON on standard output.
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ cmd = { vim.env.LSP_PROGRAM, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, client)
local uri = vim.uri_from_bufnr(buffer)

-- The place of the first match of a pattern, moved by some characters of UTF-16.
local function place(pattern, more)
  for line, text in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = vim.fn.match(text, pattern)
    if at >= 0 then
      local _, character = vim.str_utfindex(text, at)
      return { line = line - 1, character = character + more }
    end
  end
end

local function ask(method, position, more)
  local params = vim.tbl_extend('force', { textDocument = { uri = uri }, position = position }, more or {})
  local found = vim.lsp.buf_request_sync(buffer, 'textDocument/' .. method, params, 20000)
  return found[client].result
end

local function diagnostics(count)
  vim.wait(20000, function() return #vim.diagnostic.get(buffer) == count end, 10)
  return vim.tbl_map(function(found)
    local line = vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, false)[1]
    return { found.code or found.user_data.lsp.code, line:sub(found.col + 1, found.end_col) }
  end, vim.diagnostic.get(buffer))
end

local function lines()
  return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

local shown = {}
shown.diagnostics = diagnostics(1)
local at = place('nmae', 1)
local action = ask('codeAction', nil, { range = { start = at, ['end'] = at }, context = { diagnostics = {} } })[1]
vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
shown.title = action.title
shown.fixed = diagnostics(0)
shown.hover = ask('hover', place('person.name', 8)).contents.value
shown.offered = vim.tbl_map(function(item) return item.label end, ask('completion', place('name |', 0)).items)
local definition = ask('definition', place('person.name', 8))
shown.definition = { definition.range.start.line, definition.range.start.character }
shown.references = #ask('references', place('person.name', 8))
vim.lsp.util.apply_workspace_edit(ask('rename', place('people %', 1), { newName = 'guests' }), 'utf-16')
shown.renamed = table.concat(lines(), '\n')
shown.symbols = #ask('documentSymbol')
shown.tokens = #ask('semanticTokens/full').data > 0
shown.lenses = #ask('codeLens')
io.stdout:write(vim.json.encode(shown))
vim.cmd('qa!')
