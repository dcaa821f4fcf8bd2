local method, params, client = ...
params = vim.json.decode(params)
local api, fn = vim.api, vim.fn

local function is_file(buf)
  return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == ''
end

-- The current window is the terminal that asks, so the file is in the one before it; or in another
-- one of the tab page; or the terminal has taken its place.
local function current()
  local windows = { 0, fn.win_getid(fn.winnr('#')) }
  vim.list_extend(windows, api.nvim_tabpage_list_wins(0))
  for i, win in ipairs(windows) do
    if i == 1 or win ~= 0 then
      local buf = api.nvim_win_get_buf(win)
      if is_file(buf) then return buf end
    end
  end
  local alternate = fn.bufnr('#')
  if alternate > 0 and is_file(alternate) then return alternate end
end

-- The buffer of the file `path`, if it is open.
local function loaded(path)
  local real = vim.loop.fs_realpath(path) or path
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if is_file(buf) and name ~= '' and (vim.loop.fs_realpath(name) or name) == real then
      return buf
    end
  end
end

-- `bytes` bytes of `text` at most, without a part of a character.
local function cut(text, bytes)
  if #text <= bytes then return text, nil end
  local byte = text:byte(bytes + 1)
  while bytes > 0 and byte >= 0x80 and byte < 0xC0 do
    bytes = bytes - 1
    byte = text:byte(bytes + 1)
  end
  return text:sub(1, bytes), true
end

-- The end of the character that begins after `at` bytes of `line`.
local function character_end(line, at)
  if at >= #line then return #line end
  at = at + 1
  while at < #line and line:byte(at + 1) >= 0x80 and line:byte(at + 1) < 0xC0 do
    at = at + 1
  end
  return at
end

local function position(row, line, at)
  return { line = row, column = fn.strchars(line:sub(1, at)) + 1 }
end

-- How many cells the first `at` bytes of `line` take.
local function cells(line, at)
  return fn.strdisplaywidth(line:sub(1, at))
end

-- The block between two characters, or with `is_open` to the ends of its lines.
local function block(lines, from, to, is_open)
  local first, last = lines[1], lines[#lines]
  local left = math.min(cells(first, from), cells(last, to))
  local right = math.max(
    cells(first, character_end(first, from)),
    cells(last, character_end(last, to))
  )
  local pattern = ('\\%%>%dv.*'):format(left) .. (is_open and '' or ('\\%%<%dv'):format(right + 2))
  return vim.tbl_map(function(line) return fn.matchstr(line, pattern) end, lines)
end

-- What is selected, or was when the window was left; the last value is true after `$`, which Vim
-- does not tell of an earlier block.
local function marks(buf)
  local mode = fn.mode()
  if api.nvim_get_current_buf() == buf and (mode == 'v' or mode == 'V' or mode == '\22') then
    local from, to = fn.getpos('v'), fn.getpos('.')
    local is_open = fn.winsaveview().curswant >= 2147483647
    return mode, { from[2], from[3] - 1 }, { to[2], to[3] - 1 }, is_open
  end
  mode = api.nvim_buf_call(buf, fn.visualmode)
  return mode, api.nvim_buf_get_mark(buf, '<'), api.nvim_buf_get_mark(buf, '>')
end

local function selection(buf, result)
  result.text = ''
  local mode, from, to, is_open = marks(buf)
  if mode == '' or from[1] == 0 or to[1] == 0 then return end
  if from[1] > to[1] or (from[1] == to[1] and from[2] > to[2]) then from, to = to, from end
  local lines = api.nvim_buf_get_lines(buf, from[1] - 1, to[1], false)
  if #lines == 0 then return end
  local first, last = lines[1], lines[#lines]
  local start, stop = math.min(from[2], #first), character_end(last, to[2])
  local text
  if mode == 'V' then
    start, stop = 0, #last
    text = table.concat(lines, '\n') .. '\n'
  elseif mode == 'v' then
    if vim.o.selection == 'exclusive' then stop = math.min(to[2], #last) end
    lines[#lines] = last:sub(1, stop)
    lines[1] = lines[1]:sub(start + 1)
    text = table.concat(lines, '\n')
  else
    text = table.concat(block(lines, start, math.min(to[2], #last), is_open), '\n')
  end
  result.start = position(from[1], first, start)
  result['end'] = position(to[1], last, stop)
  -- A character that is after the line is its end, but for the last line.
  local is_end = mode == 'v' and vim.o.selection == 'inclusive' and to[2] >= #last
  if is_end and to[1] < api.nvim_buf_line_count(buf) then
    text, result['end'] = text .. '\n', { line = to[1] + 1, column = 1 }
  end
  result.text, result.truncated = cut(text, params.max_bytes)
end

-- The lines as text. What is saved may have one more line end.
local function text_of_buffer(buf)
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  return text ~= '' and vim.bo[buf].endofline and text .. '\n' or text
end

-- None of a text with a null character, which Vim script does not have.
local function hash(text)
  return not text:find('\0', 1, true) and fn.sha256((text:gsub('\r\n', '\n'))) or nil
end

local function whole(buf, result)
  result.text, result.truncated = cut(text_of_buffer(buf), params.max_bytes)
end

local function text_of(read)
  local buf = params.path and loaded(params.path) or not params.path and current()
  if not buf then return { text = '' } end
  local name, language = api.nvim_buf_get_name(buf), vim.bo[buf].filetype
  local result = {
    path = name ~= '' and name or nil,
    language = language ~= '' and language or nil,
    dirty = vim.bo[buf].modified,
    hash = hash(text_of_buffer(buf)),
  }
  read(buf, result)
  return result
end

local function open_files()
  local active, files = current(), {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if vim.bo[buf].buflisted and vim.bo[buf].buftype == '' and name ~= '' then
      table.insert(files, { path = name, active = buf == active, dirty = vim.bo[buf].modified })
    end
  end
  return { files = files }
end

local function diagnostics()
  local severities, found = { 'error', 'warning', 'information', 'hint' }, {}
  for _, one in ipairs(vim.diagnostic.get()) do
    local name = api.nvim_buf_is_valid(one.bufnr) and api.nvim_buf_get_name(one.bufnr) or ''
    if name ~= '' and #found <= 200 then
      local line = api.nvim_buf_get_lines(one.bufnr, one.lnum, one.lnum + 1, false)[1] or ''
      local where = position(one.lnum + 1, line, one.col)
      table.insert(found, {
        path = name,
        line = where.line,
        column = where.column,
        severity = severities[one.severity] or 'error',
        message = one.message,
        source = one.source,
      })
    end
  end
  return { diagnostics = found }
end

-- Shows a line of a file in a tab page of its own: what is typed elsewhere does not reach it.
local function open_file()
  vim.cmd('stopinsert')
  local short = vim.o.shortmess
  vim.o.shortmess = short .. 'A'
  local buf = loaded(params.path) or fn.bufadd(params.path)
  vim.bo[buf].buflisted = true
  local win = fn.win_findbuf(buf)[1]
  local ok, problem = true, nil
  if win then api.nvim_set_current_win(win) else ok, problem = pcall(vim.cmd, 'tab sbuffer ' .. buf) end
  vim.o.shortmess = short
  if not ok then error(problem, 0) end
  api.nvim_win_set_cursor(0, { math.min(params.line, api.nvim_buf_line_count(0)), 0 })
  return { opened = true }
end

local methods = {
  get_selected_text = function() return text_of(selection) end,
  get_current_file = function() return text_of(whole) end,
  get_open_files = open_files,
  get_diagnostics = diagnostics,
  open_file = open_file,
}
