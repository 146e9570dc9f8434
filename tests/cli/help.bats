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
    touch image.png
    [ "$(complete_ sat i)" = "info image.png" ] # a file is as likely as a command
}

# Each default of the help and the manual, some limits, and what shows that it is so; {} is the value.
# VALUE|text of the help|text of the manual|what shows it:
#   is OPTION ANOTHER ARGS    ARGS with OPTION VALUE give the same as without it, and not the same as with OPTION ANOTHER;
#                             an OPTION without dashes is added to the last word
#   most OPTION ANOTHER ARGS  VALUE is taken, and ANOTHER is refused
#   code FILE TEXT            the source has it: trying it takes too long or needs a device
#   words                     it cannot be tried
bench="bench --size 64x64 --csv --repeat 1 --backend serial"
figures="1|result's type [{}]|Filter N times; {} by default|is --passes 2 a.ppm --box 3 -o out.ppm
same|f16 f32 f64 [{}]|the input's (the default)|is --result f32 a.ppm --box 3 -o out.npy
weighted|or straight [{}]|does not bleed in (the default)|is --alpha straight a.pam --box 3 -o out.pam
shrink|borders: {} |Cm {} (the default)|is --border wrap a.ppm --box 3 -o out.ppm
shrink||Cm {} , the default, nothing counts there|words
16384||above 0 and up to {},|most --gauss 16385 a.ppm -o out.ppm
1|window that must count [{}]|window must count, {} by default|is --min-valid 2 one.pgm --nodata 0 --box 3 --stat mean -o out.npy
0|that count less N [{}]|Variances are divided by the samples that count less N; {} by default|is --ddof 1 a.ppm --box 3 --stat std -o out.npy
90|of JPEG [{}]|1 to 100; {} by default|is --quality 75 a.ppm --box 3 -o out.jpg
1||JPEG, {} to 100|most --quality 0 a.ppm --box 3 -o out.jpg
100||JPEG, 1 to {}|most --quality 101 a.ppm --box 3 -o out.jpg
deflate|fax4 fax3 [{}]|Cm {} by default|is --tiff-compression none a.ppm --box 3 -o out.tif
padded|exclusive [{}]|Cm {} , the default|is --layout inclusive a.ppm -o out.npy
i64|[{}; f64: floats]|by default Cm {} for integer images|is --type u64 a.ppm -o out.npy
f64|[i64; {}: floats]|and Cm {} for float ones|is --type f32 a.pfm -o out.npy
256x256|later queries [{}]|The default is {}|is --largest 128x128 a.pfm --type q32 -o out.npy
1||Sums alone, which is the default|is --moments 1,2 a.ppm -o out.npy
1||channels (1 to 4; {} by default)|is : 2 four --box 1 -o out.npy --raw 4x1:u8
4||channels (1 to {};|most : 5 four --box 1 -o out.npy --raw 1x1:u8
1G|[{}; 3/4 of all]|decoded; {} by default|is --max-pixels 1023M info 1G.hdr
1G|[{}; 3/4 of all]|decoded; {} by default|is --max-pixels 1025M info more.hdr
1024|K, M, G of {} |K, M, G or T: 2^10,|is --max-pixels 1000 info 1G.hdr --max-pixels 1K
3/4|1G; {} of all]|By default three quarters of what|code src/io/memory.c limit = memory_of_machine(\"\") / 4 * 3;
mean,sum|list below [{}]|a column; {} by default|is --stat mean query a.ppm --rect 1,1,9,9
0|divided by the pixels less N [{}]|divided by the number of samples that count less N; {} by default|is --ddof 1 query a.ppm --rect 1,1,9,9 --stat var
u8|[{}; f32 for float tables]|Cm {} ; f32 No for float tables|is --sample u16 query integers.npy -v --layout padded --rect 1,1,9,9
f32|[u8; {} for float tables]|Cm u8 ; {} No for float tables|is --sample f64 query floats.npy -v --layout padded --rect 1,1,9,9
0.15||It Cm bradley m (1 - t); {}|is :t= 0.2 a.ppm --box 5 -o out.npy --stat bradley
-0.2||It Cm niblack m + k sd; {}|is :k= 0.2 a.ppm --box 5 -o out.npy --stat niblack
0.2||m (1 + k (sd / r - 1)); {},|is :k= 0.3 a.ppm --box 5 -o out.npy --stat sauvola
127.5||0.2, M / 2 It|is :r= 128 a.ppm --box 5 -o out.npy --stat sauvola
0.5||smallest sample); {},|is :k= 0.4 a.ppm --box 5 -o out.npy --stat wolf
-0.1||of n pixels; {}|is :k= -0.2 a.ppm --box 5 -o out.npy --stat nick
0.25||k {}, r 0.5, p 2, q 10|is :k= 0.2 a.ppm --box 5 -o out.npy --stat phansalkar
0.5||k 0.25, r {}, p 2, q 10|is :r= 0.4 a.ppm --box 5 -o out.npy --stat phansalkar
2||r 0.5, p {}, q 10|is :p= 3 a.ppm --box 5 -o out.npy --stat phansalkar
10||p 2, q {} |is :q= 9 a.ppm --box 5 -o out.npy --stat phansalkar
80||does not know it; {} by default|code src/cli/progress.c UNKNOWN = {},
|[SAT_BACKEND, SAT_THREADS, else automatic]|0, the default, is one for each core|words
|[SAT_THREADS, else all cores]||words
8192x8192|random image [{}]|random image; {} by default|code src/lab/bench_table.c SIDE_DEFAULT = 8192 }
u8|i32 f32 f64 [{}];||is --type u16 $bench
1|1 to 4 [{}]||is --channels 2 $bench
u32|[{}; signed: i32; floats: f64]||is --accum u64 $bench
i32|[u32; signed: {}; floats: f64]||is --accum i64 $bench --type i16
f64|[u32; signed: i32; floats: {}]||is --accum f32 $bench --type f32
u64|samples' squares [{}]||is --accum f64 $bench --squares
inclusive|padded, inclusive, exclusive [{}]|Cm {} by default|is --layout padded $bench
7|of each row [{}]|of each row; {} by default|code src/lab/cmd_bench.c SAMPLES_DEFAULT = {} }
|[the fastest and the first method of scans]||words
|[the samples' type; of --stat either]||words
|form of the report [--md]||words
10|[{}; 30 on a device, 26 else, less where memory is short]||code src/lab/bench_scan.c .min_log2 = {}, .max_log2 = 30,
1|every K-th power [{}]||code src/lab/bench_scan.c .step = {}}
u32|i32 f32 f64 [{}] --accum||is --type u16 bench scan --max 10 --csv --repeat 1 --backend serial
|[u32 for u8 and u16, i32 for i8 and i16, else the samples' type]||words
|compares with [the copy kernel]||words
20, 28, 4|elements [{}]||code src/lab/bench_warp.c .min_log2 = 20, .max_log2 = 28, .step = 4}
10, 28, 2|elements [{}]||code src/lab/bench_tune.c .min_log2 = 10, .max_log2 = 28, .step = 2}
u32|as of \`sat bench scan\` [{}]||words
30|--items [{}]||code src/lab/bench_tune.c MAPS_ITEMS = {} }
256|--block [{}]||code src/lab/bench_tune.c MAPS_BLOCK = {},
bn|fastest shape [{}]||words
10000000|rectangles [{}]||code src/lab/bench_query.c RECTS_DEFAULT = {},
u32|[u8 {}]||is --accum u64 bench queries --size 64x64 --rects 9 --csv --repeat 1 --backend host
|or [x,y,w,h]||words"

outcome() { # ARGS - what the command prints and writes, without times
    rm -f out.*
    sat "$@"
    [ "$1" != bench ] || output=$(cut -d, -f1-8 <<<"$output")
    echo "$status $output $(grep -v ' ms' <<<"$stderr")"
    cat out.* 2>/dev/null | cksum
}
given() { # VALUE OPTION ARGS - their outcome with the option
    if [[ $2 == --* ]]; then outcome "${@:3}" "$2" "$1"; else outcome "${@:3:$#-3}" "${*: -1}$2$1"; fi
}
is() {
    local want
    want=$(outcome "${@:3}")
    [ "$(given "$value" "$1" "${@:3}")" = "$want" ] && [ "$(given "$2" "$1" "${@:3}")" != "$want" ]
}
most() { [[ $(given "$value" "$1" "${@:3}") == 0* && $(given "$2" "$1" "${@:3}") == [12]* ]]; }
code() { grep -qF -- "${*:2}" "$root/$1"; }
words() { :; }

@test "each default of the help and of the manual has a line that says what shows it, and is what the command does" {
    colour 40 30 a.ppm
    floats 300 300 a.pfm
    { printf 'P7\nWIDTH 8\nHEIGHT 8\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' && seq 200 | head -c 256; } >a.pam
    printf 'P5 4 3 255\n\0\0\0\0\0\5\0\0\0\0\0\0' >one.pgm
    printf 1234 >four
    for pixels in 32768.1G 32769.more; do
        printf '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 32768 +X %d\n' "${pixels%.*}" >"${pixels#*.}.hdr"
    done
    ok a.ppm --gray -o i.npy
    ok a.ppm --gray --box 1 --result f32 -o f.npy
    for of in "integers a.ppm" "floats f.npy"; do # tables without a trailer
        ok "${of#* }" --gray -o with.npy
        head -c $((10 + $(od -An -tu2 -j8 -N2 with.npy) + 41 * 31 * 8)) with.npy >"${of% *}.npy"
    done
    help=$(for command in "" query info backends bench "bench scan" "bench warp" "bench tune" "bench queries"; do
        # shellcheck disable=SC2086 # words
        "$sat" $command --help
    done | tr -s ' \n' ' ')
    manual=$(sed 's/^\.//' "$root/packaging/sat.1" | tr -s ' \n' ' ')
    help_left=$help manual_left=$manual
    while read -r row; do
        echo "$row"
        IFS='|' read -r value of_help of_manual shown <<<"$row"
        of_help=${of_help//"{}"/"$value"} of_manual=${of_manual//"{}"/"$value"}
        [[ $help == *"$of_help"* && $manual == *"$of_manual"* ]]
        help_left=${help_left//"$of_help"/} manual_left=${manual_left//"$of_manual"/}
        read -ra shown <<<"${shown//"{}"/"$value"}"
        "${shown[@]}"
    done <<<"$figures"
    # A new one needs its line above.
    run -1 grep -oE '.{40} \[[^]]*\]' <<<"$help_left"
    run -1 grep -oiE '.{40}default.{20}' <<<"$manual_left"
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
