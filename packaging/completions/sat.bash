# Completion of sat for bash.  What there is, the command says: `sat help --options COMMAND` lists its options with tabs
# between name, letter, argument, values and text.

_sat_commands() {
    sat --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _sat_names LIST [COMMAND] - the words of a list of the help: borders, stats, formats, backends.
_sat_names() {
    { sat ${2:+"$2"} --help && sat --help; } 2>/dev/null |
        awk -v list="$1:" '/^[^ ]/ { if (on) exit; on = $1 == list; $1 = on ? "" : $1 } on' | sed 's/:[^ ]*//g'
}

# The benches that `sat bench --help` names, and the options in the help of one.
_sat_benches() {
    sat bench --help 2>/dev/null | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'
}
_sat_bench_options() {
    sat bench "$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u
}

# _sat_values COMMAND OPTION - what is known of its value; fails if it takes none.
_sat_values() {
    sat help --options "$1" 2>/dev/null |
        awk -F '\t' -v o="$2" '($1 == o || "-" $2 == o) && $3 != "" { print $4; found = 1 } END { exit !found }'
}

_sat() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} commands words=
    COMPREPLY=()
    commands=$(_sat_commands)
    grep -qxF -- "$command" <<<"$commands" && [ "$COMP_CWORD" -gt 1 ] || command=
    if [ "$COMP_CWORD" = 2 ] && [ "$previous" = help ]; then
        words=$commands
    elif words=$(_sat_values "$command" "$previous"); then
        case $words in
        '' | @files) return ;;
        @*) words=$(_sat_names "${words#@}" "$command") ;;
        esac
    elif [[ $current == -* ]]; then
        if [ "$command" = bench ] && [ "$COMP_CWORD" -gt 2 ] && _sat_benches | grep -qx -- "${COMP_WORDS[2]}"; then
            words=$(_sat_bench_options "${COMP_WORDS[2]}")
        else
            words=$(sat help --options "$command" 2>/dev/null | awk '!NF { exit } { print $1 }')
        fi
    elif [ "$COMP_CWORD" = 1 ]; then
        words="$commands help"
    elif [ "$command" = bench ] && [ "$COMP_CWORD" = 2 ]; then
        words=$(_sat_benches)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o bashdefault -o default -F _sat sat
