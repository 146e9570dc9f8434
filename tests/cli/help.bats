# Help, version, man page, completions: they say the same, and what they say is so.

load helpers

commands() { printf '%s\n' "" query info backends bench; }
# options_in - the long options that a text names.
options_in() { grep -oE -- '--[a-z][a-z-]*' | sort -u; }

@test "the commands are those that the help lists" {
    # shellcheck disable=SC2046 # words
    [ "$(echo $("$sat" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'))" = "query info backends bench" ]
}

@test "help says what is compared with --nodata, and what constant:V is of alpha" {
    ok --help
    [[ $output == *"--nodata V|nan     samples that are not V count, in each channel by itself"* ]]
    [[ $output == *"constant:V sets alpha to V, too; constant:R,G,B,A does not"* ]]
}

@test "help says the order of bytes of --raw, its channels and where they begin" {
    for command in "" query; do
        "$sat" $command --help | grep -qF -- "--raw WxH:TYPE[:C][@OFFSET]  samples alone: u8, u16le, f32be ...; C channels"
    done
}

@test "help opens with examples and fits 80 columns and 60 lines" {
    while read -r command; do
        # shellcheck disable=SC2086 # the empty command is no word
        ok $command --help
        [ "$("$sat" $command --help | wc -l)" -le 60 ]
        "$sat" $command --help | awk 'length > 80 { print; wide = 1 } END { exit wide }'
        "$sat" $command --help | head -5 | grep -q "^  sat ${command:-photo}"
        "$sat" help $command >h1
        "$sat" $command -h >h2
        "$sat" $command --help | cmp - h1
        cmp h1 h2
        "$sat" -h $command | cmp - h1
        "$sat" --help $command | cmp - h1
    done < <(commands)
}

@test "the help begins with what the command does" {
    [[ $("$sat" --help | head -1) == "Blurs images, makes summed-area tables, "* ]]
    while read -r command; do
        # shellcheck disable=SC2086 # the empty command is no word
        [[ $("$sat" $command --help | head -1) =~ ^[A-Z] ]]
    done < <(commands)
}

@test "the help lists what the tables hold" {
    for list in borders formats backends; do
        [ -n "$("$sat" --help | sed -n "s/^$list: *//p")" ]
    done
    "$sat" backends --json | sed 's/.*"name":"\([^"]*\)".*/\1/' >have
    names backends | cmp - have
}

@test "every option of the help exists" {
    while read -r command; do
        for option in $("$sat" $command --help | sed '/^Commands/,$d' | options_in); do
            run "$sat" $command $option=1 --no-such-option # which keeps the command from running
            echo "$command $option: $output"
            [[ $output != *"unknown option $option"* ]]
        done
    done < <(commands)
}

@test "the man page has the options of the help, no fewer and no more" {
    while read -r command; do
        # shellcheck disable=SC2086 # the empty command is no word
        "$sat" help --options $command | sed '/^$/,$d'
    done < <(commands) | cut -f1 | sort -u >help
    sed -n 's/^\.It Fl //p; s/^\.Fl //p; /^\.It Fl .*, -/p' "$root/packaging/sat.1" |
        grep -oE -- '(^| )-[a-z][a-z-]+|(^|, )-[a-z][a-z-]+' | grep -oE -- '-[a-z][a-z-]+' | sed 's/^/-/' | sort -u >manual
    diff help manual
}

@test "the man page's synopsis has every command and every bench" {
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$root/packaging/sat.1" >synopsis
    "$sat" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort >want
    [ -s want ]
    sed -n 's/^\.Cm \([a-z]*\)$/\1/p' synopsis | sort | diff want -
    "$sat" bench --help | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p' | sort >want
    [ -s want ]
    sed -n '/^\.Cm bench/,$s/^\.Op Cm //p' synopsis | tr -d ' ' | tr '|' '\n' | sort | diff want -
    # Each is in the text, too.
    while read -r name; do grep -qx "\.Cm $name" "$root/packaging/sat.1"; done < <(grep -vx tables want)
}

@test "the man page has every format, and --format takes their names and extensions" {
    small a.pgm
    sed -n '/^\.It Fl -format/,/^\.It/p' "$root/packaging/sat.1" | grep -oE '\bCm [a-z, ]+' | sed 's/^Cm //' | tr -d ' ' | tr ',' '\n' |
        grep . | sort >manual
    { names formats | sed 's/(read)//' && printf '%s\n' jpg pgm ppm; } | sort | diff - manual
    while read -r name; do
        sat a.pgm $([ "$name" = npy ] || echo --box 3) --format "$name" -o out
        [ "$status" = 0 ] || [[ $stderr == *" holds f32 samples, not u8"* ]]
    done <manual
    ok a.pgm --box 3 --format pgm -o out
    ok a.pgm --box 3 -o want.pnm
    cmp out want.pnm
}

@test "the man page has every border" {
    sed -n '/^\.It Fl -border/,/^\.It Fl -passes/p' "$root/packaging/sat.1" >manual
    while read -r name; do grep -qE "^\.Cm ${name%%:*}( |$)" manual; done < <(names borders | grep -v '^V')
}

@test "the man page has every statistic of rectangles" {
    tac "$root/packaging/sat.1" | sed -n '/^\.It Fl -ddof/,/^\.It Fl -stat Ar LIST/p' | grep -oE '^\.Cm .*|^\.Cm [a-z]*' | sed 's/^\.Cm//' |
        tr -d ' ' | tr ',' '\n' | grep . | sort >manual
    [ "$("$sat" query --help | sed -n 's/^stats: *//p')" ]
    while read -r name; do grep -qx "$name" manual; done < <("$sat" query --help | sed -n 's/^stats: *//p' | tr ' ' '\n')
    # Those that need squares stand under --moments, too.
    sed -n '/^\.It Fl -moments/,/^\.It/p' "$root/packaging/sat.1" | sed -n 's/^\.Fl -stat Cm //p' | tr -cs a-z '\n' >squares
    while read -r name; do
        ! grep -qE 'SAT_NEEDS_(VAR|SQUARES)' "$root/src/lib/statistics/$name.def" || grep -qx "$name" squares
    done < <(sed -nE 's|.*statistics/([a-z0-9_]*)\.def.*|\1|p' "$root/src/lib/rect_statistics.def")
}

@test "the man page renders without warnings" {
    command -v man >/dev/null || skip "no man(1)"
    run man --warnings -l "$root/packaging/sat.1"
    echo "$output" | head -20
    [ "$status" = 0 ]
    [[ $output != *warning* ]]
}

@test "the list for completions has the options of the help, with their letters and arguments" {
    while read -r command; do
        # shellcheck disable=SC2086 # the empty command is no word
        "$sat" $command --help | sed '/^Commands/,$d' | options_in >want
        "$sat" help --options $command | awk '!NF { exit } { print }' >list
        cut -f1 list | sort -u | diff want -
        [ -z "$(cut -f4 list | grep -v '^@files$' | grep @)" ] # each list has its names
        while IFS= read -r line; do
            name=$(cut -f1 <<<"$line") letter=$(cut -f2 <<<"$line") argument=$(cut -f3 <<<"$line")
            "$sat" $command --help | grep -qF -- "${letter:+-$letter, }$name${argument:+ $argument}"
        done <list
    done < <(commands)
    grep -P '^--output\to\tOUT\t@files\t' <("$sat" help --options)
    [ "$("$sat" help --options bench | sed '1,/^$/d' | grep -c '^--')" -gt 5 ]
    usage "help: there is no command 'nope'*" help --options nope
}

@test "the list for completions has those thresholds that --threshold takes" {
    small a.pgm
    for name in $("$sat" help --options | awk -F '\t' '$1 == "--stat" { print substr($4, 2) }'); do
        sat a.pgm --box 3 --threshold "$name" -o b.pgm
        echo "$name $status"
    done | sed -n 's/ 0$//p' >want
    [ -s want ]
    "$sat" help --options | awk -F '\t' '$1 == "--threshold" { print substr($4, 2) }' | xargs -n1 | diff want -
}

# What is typed, and the line after the tabulator, in every shell.
typed='sat q|sat query
sat help ba|sat help backends
sat x.png --cl|sat x.png --clip
sat x.png --border const|sat x.png --border constant
sat x.png --border=const|sat x.png --border=constant
sat x.png --type q|sat x.png --type q32
sat x.png --stat no|sat x.png --stat norm
sat x.png --stat mean,no|sat x.png --stat mean,norm
sat x.png --stat=mean,no|sat x.png --stat=mean,norm
sat x.png --threshold s|sat x.png --threshold sauvola
sat x.png --threshold sauvola:k=0.3,wo|sat x.png --threshold sauvola:k=0.3,wolf
sat x.png --threshold=sauvola:k=0.3,wo|sat x.png --threshold=sauvola:k=0.3,wolf
sat x.png --mask only|sat x.png --mask only-file
sat x.png --mask=only|sat x.png --mask=only-file
sat x.png -o only|sat x.png -o only-file
sat only|sat only-file
sat x.png --layout only|sat x.png --layout only
sat x.png --box only|sat x.png --box only
sat query --stat mean,ar|sat query --stat mean,area
sat bench tune --na|sat bench tune --naive-staging
sat bench --order fl|sat bench --order flipped'

# completed SHELL - completes those lines in its editor, in a terminal that zsh makes; a blank or comma at the end is the
# shell's own.
completed() {
    command -v zsh >/dev/null || skip "no zsh"
    : >only-file
    cat >zsh-setup <<END
fpath=($root/packaging/completions \$fpath)
autoload -Uz compinit && compinit -u -D
show() { print -r -- "\$BUFFER" >>shown; BUFFER=; }
zle -N show && bindkey '^G' show
END
    cat >bash-setup <<END
source $root/packaging/completions/sat.bash
show() { echo "\$READLINE_LINE" >>shown; READLINE_LINE=; }
bind -x '"\C-g": show'
END
    # shellcheck disable=SC2016 # zsh's own variables
    PATH=$(dirname "$sat"):$PATH TERM=xterm zsh -f -c 'zmodload zsh/zpty
        await() { repeat 200; do zpty -rt z read; [[ -e shown && $(wc -l <shown) -ge $1 ]] && break; sleep 0.05; done }
        case $1 in zsh) zpty z zsh -f -i ;; bash) zpty z bash --noprofile --norc -i ;; esac
        zpty -w z ". ./$1-setup; : >shown"
        await 0
        n=0
        while IFS= read -r line; do
            zpty -n -w z "$line"$'"'\t\a'"'
            await $((++n))
        done' zsh "$1" < <(cut -d'|' -f1 <<<"$typed")
    sed 's/[ ,]$//' shown | diff <(cut -d'|' -f2 <<<"$typed") -
}

@test "the completion for bash completes lines in a terminal" { completed bash; }

@test "the completion for zsh completes lines in a terminal" { completed zsh; }

@test "the completion for fish completes lines, and has no files among values" {
    command -v fish >/dev/null || skip "no fish"
    : >only-file
    PATH=$(dirname "$sat"):$PATH
    # shellcheck disable=SC2016 # fish's own variables
    fish -c 'source $argv[1]
        while read -l line
            set -l found (complete -C $line | string split -f 1 \t)
            set -q found[1]; or set found (string match -r "[^ ]*\$" -- $line)
            echo (string replace -r "[^ ]*\$" "" -- $line)$found
        end' "$root/packaging/completions/sat.fish" < <(cut -d'|' -f1 <<<"$typed") | diff <(cut -d'|' -f2 <<<"$typed") -
    complete_() { fish -c "source $root/packaging/completions/sat.fish; complete -C '$1'" | cut -f1 | paste -sd' '; }
    [ "$(complete_ "sat help b")" = "backends bench" ]
    [ "$(complete_ "sat x.png --border refl")" = "reflect reflect101" ]
    [ "$(complete_ "sat x.png --layout ")" = "exclusive inclusive padded" ]
    [ "$(complete_ "sat x.png --border=r")" = "--border=reflect --border=reflect101 --border=replicate" ]
    [ "$(complete_ "sat x.png --threshold mean,n")" = "mean,niblack mean,nick" ]
    [ "$(complete_ "sat x.png --box ")" = "" ]
    [ "$(complete_ "sat x.png --mask ")" = only-file ]
}

@test "the completion for bash completes values and commands" {
    # shellcheck disable=SC1091 # found at run time
    source "$root/packaging/completions/sat.bash"
    unset -f sat # the completion runs the command
    PATH=$(dirname "$sat"):$PATH
    complete_() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _sat
        echo "${COMPREPLY[*]}"
    }
    [ "$(complete_ sat help b)" = "backends bench" ]
    [ "$(complete_ sat x.png --border refl)" = "reflect101 reflect" ]
    [ "$(complete_ sat x.png --border =)" = "$(names borders | sed 's/:.*//' | xargs)" ]
    [ "$(complete_ sat x.png --border = refl)" = "reflect101 reflect" ]
    [ "$(complete_ sat x.png --threshold "mean,n")" = "mean,niblack mean,nick" ]
    [ "$(complete_ sat x.png --threshold sauvola : k = 0.3,n)" = "0.3,niblack 0.3,nick" ]
    [ "$(complete_ sat bench --type f)" = "f32 f64" ]
    [ "$(complete_ sat bench sc)" = scan ]
    [ "$(complete_ sat bench tune --na)" = --naive-staging ]
    [ "$(complete_ sat bench queries --re)" = "--rects --repeat" ] || [ "$(complete_ sat bench queries --re)" = "--repeat --rects" ]
    [ "$(complete_ sat bench scan --map "")" = "bn bq qn" ]
    [ "$(complete_ sat x.png --mask "")" = "" ]
    [[ " $(complete_ sat x.png --format "") " == *" png "*" npy "* ]]
}

# paragraph OPTION - of the manual.
paragraph() { awk -v item=".It Fl -$1" '/^\.It/ { on = index($0 " ", item " ") } on' "$root/packaging/sat.1"; }
@test "defaults are the same in the help, in the manual and in what the command does" {
    while read -r name default; do
        "$sat" --help | grep -A2 -E -- "--$name( |$)" | grep -qF "[$default"
        paragraph "$name" | tr '\n' ' ' | grep -qE "(^|[ .])$default by default|default is $default"
    done <<<"passes 1
quality 90
min-valid 1
ddof 0
max-pixels 1G
largest 256x256"
    colour 40 30 a.ppm
    unchanged() { # DEFAULT FORMAT OPTION... - the option that is there by default changes no byte
        # shellcheck disable=SC2086 # an option and its value
        ok a.ppm "${@:3}" -o "without.$2" && ok a.ppm "${@:3}" $1 -o "with.$2" && cmp "with.$2" "without.$2"
    }
    unchanged "--quality 90" jpg --box 3
    unchanged "--passes 1" ppm --box 3
    unchanged "--border shrink" ppm --box 3
    unchanged "--result same" ppm --box 3
    unchanged "--min-valid 1" npy --box 3 --stat std --nodata 53
    unchanged "--ddof 0" npy --box 3 --stat std
    unchanged "--layout padded" npy
    unchanged "--type i64" npy
    unchanged "--tiff-compression deflate" tif --box 3
    ok query a.ppm --rect 1,1,9,9
    want=$output
    ok query a.ppm --rect 1,1,9,9 --stat mean,sum
    [ "$output" = "$want" ]
}

@test "version: what was compiled in, and no machine's paths" {
    ok --version
    [[ ${lines[0]} =~ ^sat\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [[ $output == *compiler*formats*png:* ]]
    [[ $output != */* ]] || [[ $(grep -o '/[a-z]*/[a-z]*' <<<"$output") == "" ]]
    version=$output
    ok -V
    [ "$output" = "$version" ]
    ok query --version
    [ "$output" = "$version" ]
}

@test "backends: what computes tables, and why or why not" {
    ok backends
    while read -r name; do
        [[ $output == *"$name "* ]]
    done < <(names backends)
    ok backends --json
    [ "$(sed 's/.*"name":"\([^"]*\)".*/\1/' <<<"$output")" = "$(names backends)" ]
    [[ ${lines[0]} == '{"name":"'*'","summary":"'*'"device":'*'"available":'*'"why":"'*'"}' ]]
}

@test "bench --list: the rows of a bench, with their traffic, ceilings and peers among them" {
    ok bench --list
    while read -r name; do
        [[ $(grep "^$name " <<<"$output") == *R*W* ]]
        [[ $(grep "^$name " <<<"$output") != *"; a "* ]]
    done < <(names backends)
    for name in $("$sat" bench --list --json | grep '"kind":"ceiling"' | sed 's/.*"name":"\([^"]*\)".*/\1/'); do
        [[ $(grep "^$name " <<<"$output") == *"; a ceiling" ]]
        ! "$sat" backends | grep -q "^$name "
    done
    ok bench --list --json -o list.json
    [ -z "$output" ]
    [[ $(head -1 list.json) == '{"name":"'*'","kind":"'*'"in_reads":'*'"available":'*'"why":"'*'"}' ]]
    ok bench scan --list --json
    [[ $output == *'"kind":"reference"'* ]]
    ok bench queries --list
    [ "${#lines[@]}" = 4 ]
    usage "--size is for measuring, and --list *" bench --list --size 3
    usage "--list takes *" bench --list --backend serial
    usage "--list takes *" bench --list --plot rows.svg
}
