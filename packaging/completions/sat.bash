# Completion of sat for bash.  What there is, the command says: `sat help --options COMMAND` lists its options with tabs
# between name, letter, argument, values and text.

_sat_commands() {
    sat --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
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
    local current=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD command=${COMP_WORDS[1]} commands word option words=
    COMPREPLY=()
    commands=$(_sat_commands)
    # Bash splits words at = and :, and replaces only the part after the last of them.
    while [ "$at" -gt 1 ] && [[ ${COMP_WORDS[at]} == [=:]* || ${COMP_WORDS[at - 1]} == *[=:] ]]; do at=$((at - 1)); done
    word=$(IFS= && printf %s "${COMP_WORDS[*]:at:COMP_CWORD-at+1}") option=${COMP_WORDS[at - 1]}
    [[ $word != --*=* ]] || option=${word%%=*} word=${word#*=}
    current=${current#[=:]}
    grep -qxF -- "$command" <<<"$commands" && [ "$at" -gt 1 ] || command=
    if [ "$at" = 2 ] && [ "$option" = help ]; then
        words=$commands
    elif words=$(_sat_values "$command" "$option"); then
        [[ $words != @files ]] || return
        compopt +o bashdefault +o default 2>/dev/null # no files
        if [[ $words == ,* ]]; then
            word=${word##*,} words=${words#,}
            compopt -o nospace 2>/dev/null # a comma may follow
        fi
    elif [[ $word == -* ]]; then
        if [ "$command" = bench ] && [ "$at" -gt 2 ] && _sat_benches | grep -qx -- "${COMP_WORDS[2]}"; then
            words=$(_sat_bench_options "${COMP_WORDS[2]}")
        else
            words=$(sat help --options "$command" 2>/dev/null | awk '!NF { exit } { print $1 }')
        fi
    elif [ "$at" = 1 ]; then
        words="$commands help"
    elif [ "$command" = bench ] && [ "$at" = 2 ]; then
        words=$(_sat_benches)
    fi
    mapfile -t COMPREPLY < <(compgen -P "${current%"$word"}" -W "$words" -- "$word")
    if [ "$at" = 1 ] && [[ $word != -* ]]; then # an image is as likely as a command
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}

complete -o bashdefault -o default -F _sat sat
