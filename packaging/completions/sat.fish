# Completion of sat for fish.  What there is, the command says: `sat help --options COMMAND` lists its options with tabs
# between name, letter, argument, values and text.

function __sat_commands
    sat --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
end

# The benches that `sat bench --help` names.
function __sat_benches
    sat bench --help 2>/dev/null | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'
end

# The values of an option, or the options where a word begins with a dash; fails where files may stand.
function __sat_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r '^--[^=]*(?==)' -- "$current"; or echo $words[-1])
    set -l command (contains -- "$words[2]" (__sat_commands); and echo $words[2]; or echo '')
    for line in (sat help --options "$command" 2>/dev/null)
        set -l fields (string split \t -- $line)
        test -n "$fields[3]"; and contains -- $option $fields[1] -$fields[2]; or continue
        test "$fields[4]" != @files; or return
        # Kept: --OPTION=, and of a list the items up to the last comma.
        set -l items (string match -q ',*' -- $fields[4]; and echo '(?:.*,)?')
        set -l kept (string match -r '^(?:--[^=]*=)?'"$items" -- "$current")
        string join \n -- "$kept"(string split -n ' ' -- (string trim -c , -- $fields[4]))
        return 0
    end
    string match -q -- '-*' $current; or return
    if test "$command" = bench; and contains -- "$words[3]" (__sat_benches)
        sat bench $words[3] --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u
        return
    end
    for line in (sat help --options "$command" 2>/dev/null)
        set -l fields (string split \t -- $line)
        test -n "$fields[1]"; or break
        printf '%s\t%s\n' $fields[1] $fields[5]
        test -z "$fields[2]"; or printf '-%s\t%s\n' $fields[2] $fields[5]
    end
end

complete -c sat -n 'test (count (commandline -opc)) = 1' -a '(__sat_commands) help'
complete -c sat -n 'contains -- help (commandline -opc)' -x -a '(__sat_commands)'
complete -c sat -n 'contains -- bench (commandline -opc); and test (count (commandline -opc)) = 2' -a '(__sat_benches)'
complete -c sat -n '__sat_words >/dev/null' -f -a '(__sat_words)'
