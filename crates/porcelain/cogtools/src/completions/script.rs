//! The scripts that make shells ask `cogtools completions`.

/// A shell that people use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// GNU Bash, from 3.2.
    Bash,
    /// The Z shell.
    Zsh,
    /// fish.
    Fish,
}

impl Shell {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bash, Self::Zsh, Self::Fish];
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["bash", "zsh", "fish"];

    /// The shell of that name; Bash unless it is another one.
    pub(super) fn parse(name: &str) -> Self {
        match name {
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            _ => Self::Bash,
        }
    }
}

/// The script that completes the command lines of `programs`.
pub fn script(shell: Shell, programs: &[&str]) -> String {
    let names = programs.join(" ");
    match shell {
        Shell::Bash => format!("{BASH}complete -o default -o nospace -F _cogtools {names}\n"),
        Shell::Zsh => format!("#compdef {names}\n{ZSH}    compdef _cogtools {names}\nfi\n"),
        Shell::Fish => {
            let line = |name: &&str| format!("complete -c {name} -f -a '(__cogtools_complete)'\n");
            let lines: String = programs.iter().map(line).collect();
            format!("{FISH}{lines}")
        }
    }
}

// Bash breaks words at `=`, so only what follows the last one is replaced.
const BASH: &str = r#"_cogtools() {
    local line typed cut value
    line=${COMP_LINE:0:COMP_POINT}
    typed=${line##*[[:space:]]}
    cut=
    case $COMP_WORDBREAKS in *=*) cut=${typed%"${typed##*=}"} ;; esac
    COMPREPLY=()
    while IFS= read -r value; do
        case $value in
            :files) return ;;
            *=) ;;
            *) value="$value " ;;
        esac
        COMPREPLY+=("${value#"$cut"}")
    done < <(cogtools completions bash -- "$line" 2>/dev/null </dev/null)
}
"#;

const ZSH: &str = r#"_cogtools() {
    local line value about
    local -a open open_shown whole whole_shown
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            _files
            return
        fi
        value=${line%%$'\t'*}
        about=${line#*$'\t'}
        [[ -n $about ]] && about="$value  -- $about" || about=$value
        if [[ $value == *= ]]; then
            open+=("$value")
            open_shown+=("$about")
        else
            whole+=("$value")
            whole_shown+=("$about")
        fi
    done < <(cogtools completions zsh -- "${(@Q)words[1,CURRENT]}" 2>/dev/null </dev/null)
    local -i failed=1
    (( $#open )) && compadd -l -S '' -d open_shown -a -- open && failed=0
    (( $#whole )) && compadd -l -d whole_shown -a -- whole && failed=0
    return failed
}

if [[ $funcstack[1] == _cogtools* ]]; then
    _cogtools "$@"
else
"#;

const FISH: &str = r#"function __cogtools_complete
    set -l current (commandline -ct)
    set -l found (cogtools completions fish -- (commandline -opc) "$current" 2>/dev/null </dev/null)
    if test (count $found) -eq 1; and test $found[1] = :files
        __fish_complete_path "$current"
    else if test (count $found) -gt 0
        printf '%s\n' $found
    end
end
"#;
