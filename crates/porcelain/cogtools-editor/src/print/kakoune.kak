# In ~/.config/kak/kakrc. The command shows the answer about the main selection in the info box.
define-command cogtools-ask -params 1.. -docstring 'ask cogtools about the selection' %{
    info %sh{
        # Kakoune sets the variables that are named here: kak_selection kak_buffile
        export kak_selection kak_buffile
        cogtools ask --quiet --editor "$*" 2>&1
    }
}
