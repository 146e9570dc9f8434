# Completion of sat for fish.  What there is, the command says: `sat help --options COMMAND` lists its options with tabs
# between name, letter, argument, values and text.

function __sat_commands
    sat --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
end

# __sat_names LIST [COMMAND] - the words of a list of the help: borders, stats, formats, backends.
function __sat_names
    begin
        sat $argv[2] --help; and sat --help
    end 2>/dev/null | awk -v list="$argv[1]:" '/^[^ ]/ { if (on) exit; on = $1 == list; $1 = on ? "" : $1 } on' |
        sed 's/:[^ ]*//g' | string split -n ' '
end

# The benches that `sat bench --help` names.
function __sat_benches
    sat bench --help 2>/dev/null | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'
end

# The values of the option that stands last, or the options where a word begins with a dash.
function __sat_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command (contains -- "$words[2]" (__sat_commands); and echo $words[2]; or echo '')
    for line in (sat help --options "$command" 2>/dev/null)
        set -l fields (string split \t -- $line)
        test -n "$fields[3]"; and contains -- $words[-1] $fields[1] -$fields[2]; or continue
        string match -qv '@*' -- $fields[4]; and string split -n ' ' -- $fields[4]
        string match -q '@files' -- $fields[4]; or string match -q '@*' -- $fields[4]
        and __sat_names (string sub -s 2 -- $fields[4]) $command
        return
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
complete -c sat -a '(__sat_words)'
