# Completion of bot for fish: bot completion fish | source
function __bot_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    test (count $last) -gt 0; or set last ''
    set -l found (command bot complete -- $words[2..-1] $last 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path $last
    end
end
complete -c bot -f -a '(__bot_complete)'
