-- What Neovim shows of a tool file that `cogtools lsp` serves, as JSON on standard output.
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({
  cmd = { vim.env.LSP_PROGRAM, 'lsp' },
  root_dir = vim.fn.getcwd(),
  init_options = { inlayHints = true },
})
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
local whole = { start = { line = 0, character = 0 }, ['end'] = { line = #lines(), character = 0 } }
shown.hints = vim.tbl_map(function(hint) return hint.label end, ask('inlayHint', nil, { range = whole }))

-- What is offered in other files, in YAML, templates and JavaScript: behind a pattern, the first of
-- these labels that is there.
shown.elsewhere = {}
for _, case in ipairs({
  { 'tools/team.yaml', 'name: greet', 6, 'greet' },
  { 'tools/team.yaml', "=== 'glad", 5, 'sad' },
  { 'tools/team.yaml', 'args.size', 5, 'mood' },
  { 'tools/team.yaml', 'count +', 2, 'count' },
  { 'tools/chat.yaml', '\\[greet', 1, 'team' },
  { 'tools/chat.yaml', 'descr', 2, 'deprecated' },
  { 'tools/part.njk', '| upper', 2, 'lower' },
  { 'tools/part.njk', 'm.hail', 2, 'hail' },
  { 'tools/part.njk', 'is defined', 3, 'defined' },
  { '.cogtoolrc.yaml', 'no-examples: error', 13, 'off' },
}) do
  vim.cmd('edit ' .. case[1])
  buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)
  uri = vim.uri_from_bufnr(buffer)
  local items = ask('completion', place(case[2], case[3])).items
  local labels = vim.tbl_map(function(item) return item.label end, items)
  table.insert(shown.elsewhere, vim.tbl_contains(labels, case[4]) and case[4] or labels)
end
io.stdout:write(vim.json.encode(shown))
vim.cmd('qa!')
