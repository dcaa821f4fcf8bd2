-- A proposal: a tab page with the file's text and the proposed one, which may be edited, as a
-- difference. Neovim goes on meanwhile: the outcome is a notification, once its user has chosen.

-- A longer message would wait for a key, and nobody else would be answered.
local function warn(text)
  local shown = ('cogtools: ' .. text):sub(1, vim.v.echospace)
  api.nvim_echo({ { shown, 'WarningMsg' } }, true, {})
end

local function now() return vim.loop.hrtime() / 1e6 end

-- The channel of the program that proposes; none once it has ended.
local function channel()
  for _, one in ipairs(api.nvim_list_chans()) do
    if one.client and one.client.name == client then return one.id end
  end
end

local function answer(result)
  local id = channel()
  if id then pcall(vim.rpcnotify, id, 'cogtools_proposal', vim.json.encode(result)) end
end

-- Loads the file at `path` in the current window, or returns why it must not be changed. Neovim
-- would ask with E325 about a swap file; and a file that nobody has opened sets no options.
local function open(path)
  local buf, refusal = loaded(path) or fn.bufadd(path), nil
  local is_new = not api.nvim_buf_is_loaded(buf)
  if is_new then
    local watch = api.nvim_create_autocmd('SwapExists', {
      callback = function()
        local pid = fn.swapinfo(vim.v.swapname).pid or 0
        local is_alive = pid > 0 and vim.loop.kill(pid, 0) == 0
        refusal = { refused = is_alive and 'open_elsewhere' or 'not_recovered', process = pid }
        vim.v.swapchoice = 'q'
      end,
    })
    local modeline = vim.go.modeline
    vim.go.modeline = false
    local done, problem = pcall(vim.cmd, 'silent keepalt keepjumps buffer ' .. buf)
    vim.go.modeline = modeline
    api.nvim_del_autocmd(watch)
    if not done and not refusal then error(problem, 0) end
    if not refusal then vim.bo[buf].bufhidden = 'hide' end
  end
  if not refusal and (vim.bo[buf].readonly or not vim.bo[buf].modifiable) then
    refusal = { refused = 'not_modifiable' }
  end
  return buf, is_new, refusal
end

-- Leaves a file as closed as it was before.
local function forget(buf, is_new)
  local is_unused = api.nvim_buf_is_valid(buf) and not vim.bo[buf].modified
  if is_new and is_unused and #fn.win_findbuf(buf) == 0 then
    api.nvim_buf_delete(buf, { force = true })
  end
end

-- A buffer for one side of the difference.
local function side(lines, syntax)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.bo[buf].syntax = syntax
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  return buf
end

local function hunks(before, after)
  local function text(lines) return table.concat(lines, '\n') .. '\n' end
  return vim.diff(text(before), text(after), { result_type = 'indices' })
end

-- Changes only the lines that differ: marks elsewhere stay.
local function apply(buf, before, after)
  local all = hunks(before, after)
  for i = #all, 1, -1 do
    local from, count, start, length = unpack(all[i])
    local first = count == 0 and from or from - 1
    local lines = vim.list_slice(after, start, start + length - 1)
    api.nvim_buf_set_lines(buf, first, first + count, false, lines)
  end
end

local function show()
  local origin, mode = api.nvim_get_current_win(), api.nvim_get_mode().mode
  vim.cmd('noautocmd tabnew')
  local empty, tab = api.nvim_get_current_buf(), api.nvim_get_current_tabpage()
  vim.bo[empty].bufhidden = 'wipe'
  local opened, file, is_new, refusal = pcall(open, params.path)
  local before = opened and not refusal and text_of_buffer(file)
  local early = not opened and { refused = 'unreadable', reason = tostring(file) } or refusal
  if before and params.hash and hash(before) ~= params.hash then
    early = { stale = true, hash = hash(before) }
  end
  if early then
    if api.nvim_get_current_buf() ~= file then vim.bo.bufhidden = 'wipe' end
    vim.cmd('tabclose!')
    if opened then forget(file, is_new) end
    early.accepted = false
    return answer(early)
  end

  local old = api.nvim_buf_get_lines(file, 0, -1, false)
  -- A file that was not read as one with CR LF has the CR in its lines.
  local content = before:find('\r\n', 1, true) and params.content:gsub('\n', '\r\n') or params.content
  local new = vim.split((content:gsub('\n$', '')), '\n', { plain = true })
  local left, right = side(old, vim.bo[file].filetype), side(new, vim.bo[file].filetype)
  api.nvim_win_set_buf(0, left)
  vim.cmd('diffthis | rightbelow vsplit')
  api.nvim_win_set_buf(0, right)
  vim.cmd('diffthis')
  local shown, timer, is_done = now(), vim.loop.new_timer(), false
  local group = api.nvim_create_augroup('cogtools_proposal_' .. right, {})

  local function describe()
    local count = #hunks(old, api.nvim_buf_get_lines(right, 0, -1, false))
    local path = fn.strtrans(fn.fnamemodify(params.path, ':~:.')):gsub('%%', '%%%%')
    local text = (' %%<%s: %d change%s%%=accept: ga or :CogtoolsAccept, reject: gr or :CogtoolsReject ')
      :format(path, count, count == 1 and '' or 's')
    local bar = fn.exists('+winbar') == 1 and 'winbar' or 'statusline'
    for _, win in ipairs(vim.list_extend(fn.win_findbuf(left), fn.win_findbuf(right))) do
      vim.wo[win][bar] = text
    end
  end

  local function finish(result)
    if is_done then return end
    is_done = true
    timer:close()
    api.nvim_del_augroup_by_id(group)
    local is_here = api.nvim_get_current_tabpage() == tab
    for _, buf in ipairs({ left, right }) do
      if api.nvim_buf_is_valid(buf) then api.nvim_buf_delete(buf, { force = true }) end
    end
    if api.nvim_buf_is_valid(file) and is_new then vim.bo[file].bufhidden = '' end
    if not result.accepted then forget(file, is_new) end
    if is_here and api.nvim_win_is_valid(origin) then
      api.nvim_set_current_win(origin)
      if mode == 't' then vim.cmd('startinsert') end
    end
    answer(result)
  end

  local function accept()
    if not api.nvim_get_mode().mode:match('^n$') then return warn('leave insert mode to accept') end
    if now() - shown < 1000 then return warn('look at the change before you accept it') end
    local is_loaded = api.nvim_buf_is_loaded(file)
    if not is_loaded or text_of_buffer(file) ~= before then
      warn('the file has changed meanwhile: it is left as it is')
      return finish({ accepted = false, stale = true, hash = is_loaded and hash(text_of_buffer(file)) or nil })
    end
    if not vim.bo[file].modifiable then return finish({ accepted = false, refused = 'not_modifiable' }) end
    local lines = api.nvim_buf_get_lines(right, 0, -1, false)
    apply(file, old, lines)
    vim.bo[file].endofline, vim.bo[file].buflisted = params.content:sub(-1) == '\n', true
    local edited = not vim.deep_equal(lines, new) and text_of_buffer(file) or nil
    finish({ accepted = true, content = edited })
  end

  local function reject(reason)
    finish({ accepted = false, reason = reason ~= '' and reason or nil })
  end

  for _, buf in ipairs({ left, right }) do
    api.nvim_buf_create_user_command(buf, 'CogtoolsAccept', accept, {})
    api.nvim_buf_create_user_command(buf, 'CogtoolsReject', function(command)
      reject(command.args)
    end, { nargs = '*' })
    vim.keymap.set('n', 'ga', accept, { buffer = buf, nowait = true })
    vim.keymap.set('n', 'gr', reject, { buffer = buf, nowait = true })
    api.nvim_create_autocmd('BufWipeout', { group = group, buffer = buf, callback = function()
      vim.schedule(function() finish({ accepted = false }) end)
    end })
  end
  api.nvim_create_autocmd('VimLeavePre', { group = group, callback = function()
    answer({ accepted = false })
  end })
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = group, buffer = right, callback = describe,
  })
  api.nvim_create_autocmd('TabEnter', { group = group, callback = function()
    if api.nvim_get_current_tabpage() == tab then shown = now() end
  end })
  -- Keys that were typed before the tab page was seen change nothing.
  vim.defer_fn(function()
    if api.nvim_buf_is_valid(right) then vim.bo[right].modifiable = true end
  end, 1000)
  timer:start(500, 500, vim.schedule_wrap(function()
    if channel() then return end
    warn('the program that proposed the change has ended')
    finish({ accepted = false })
  end))
  describe()
end

-- Waits until nothing is being typed. Not all changes of the mode have an event.
function methods.propose_edit()
  if not channel() then return end
  local mode = api.nvim_get_mode().mode
  local is_idle = mode == 'n' or mode == 'nt' or mode == 't'
  if is_idle and fn.getcmdwintype() == '' then return show() end
  if not params.is_late then warn('a proposed change waits until you leave this mode') end
  params.is_late = true
  vim.defer_fn(methods.propose_edit, 100)
end

local result = methods[method] and methods[method]()
return result and vim.json.encode(result)
