-- In your init.lua. Nothing is needed for programs in :terminal; this opens one, and asks about
-- the selection.
vim.keymap.set({ 'n', 'x' }, '<leader>a', function()
  vim.cmd('normal! \27')
  vim.ui.input({ prompt = 'Task: ' }, function(task)
    if not task or task == '' then return end
    vim.cmd('botright 15new')
    vim.fn.termopen({ 'cogtools', 'ask', '--editor', task })
  end)
end, { desc = 'Ask cogtools about the selection' })
