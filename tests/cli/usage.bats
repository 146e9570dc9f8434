# Wrong command lines: status 2, one line that says what is wrong, and nothing done.

load helpers

@test "no arguments at all" { usage "no input*"; }
@test "options without input: the line says how a pipe is read" {
    usage "no input: *, where - is standard input" --box 3 -o out.pgm </dev/null
    usage "no input: *, where - is standard input" query --rect 0,0,1,1
    usage "no input: *, where - is standard input" info
}

@test "unknown options" {
    usage "unknown option --bocks*" a.pgm --bocks 3
    usage "unknown option -x" a.pgm -x
    usage "unknown option -x in -qx" a.pgm -qx
    usage "unknown option -b in -box; did you mean --box?" a.pgm -box 3
    usage "unknown option -b in -box; did you mean --box?" --no-orient -box 3 a.pgm
    usage "unknown option -:" --no-orient -: a.pgm
    usage "unknown option -* in -*" --no-orient $'-\377\376' a.pgm
    usage "unknown option --sample; \`sat query\` has it" a.pgm --sample u8
    usage "unknown option --box; \`sat\` has it" query a.pgm --box 3
    usage "unknown option --rec" info a.pgm --rec
    usage "unknown option --nope*" info --nope
    usage "unknown option --nope*" backends --nope
    usage "unknown option --nope*" bench --nope
}

@test "a file whose name begins with a dash" {
    small ./-x.pgm && small ./--y.pgm
    usage "unknown option -x.pgm; the file of that name is ./-x.pgm, or stands behind --" -x.pgm --box 3 -o out.pgm
    usage "unknown option --y.pgm; the file of that name is ./--y.pgm, or stands behind --" info --y.pgm
    ok ./-x.pgm --box 3 -o out.pgm
    ok --box 3 -o out.pgm -- -x.pgm
}

@test "an unknown option gets the nearest one that exists" {
    usage "unknown option --bx; did you mean --box?" a.pgm --bx 3 -o out.pgm
    usage "unknown option --Box=3; did you mean --box?" a.pgm --Box=3 -o out.pgm
    usage "unknown option --boarder; did you mean --border?" a.pgm --boarder wrap
    usage "unknown option --quailty; did you mean --quality?" a.pgm --quailty 3
    usage "unknown option --maxpixels; did you mean --max-pixels?" a.pgm --maxpixels 3
    usage "unknown option --jsn; did you mean --json?" info --jsn a.pgm
    usage "unknown option --tyep; did you mean --type?" bench --tyep u8
    usage "unknown option --grayscale" a.pgm --grayscale
    usage "unknown option --a-word-of-more-letters-than-any-option-has" a.pgm --a-word-of-more-letters-than-any-option-has
}

@test "an option may be cut short, but not to what several begin with" {
    small a.pgm
    ok a.pgm --box 3 --out out.pgm --bord wrap
    cmp <("$sat" a.pgm --box 3 --border wrap --format pgm -o -) out.pgm
    usage "--b could be --box, --border or --backend" a.pgm --b 3 -o out.pgm
    usage "--ma could be --mask, --max-pixels or --max-memory" a.pgm --ma=3 --box 3 -o out.pgm
    usage "--q could be --quality or --quiet" a.pgm --q --box 3 -o out.pgm
    usage "--rec could be --rect or --rects" query a.pgm --rec 0,0,1,1
    usage "--max could be --max-pixels or --max-memory" info --max 3 a.pgm
    usage "unknown option -m in -ma; did you mean --mask, --max-pixels or --max-memory?" a.pgm -ma 3 --box 3 -o out.pgm
    usage "unknown option --=" a.pgm --= 3
}

@test "what other tools call an option gets its name" {
    for word in blur kernel ksize size window; do
        usage "unknown option --$word; did you mean --box?" a.pgm --$word 3 -o out.pgm
    done
    usage "unknown option --sigma=1.5; did you mean --gauss?" a.pgm --sigma=1.5
    usage "unknown option --sigma; did you mean --gauss?" a.pgm --sigma 3 -o out.pgm
    usage "unknown option -b in -blur; did you mean --box?" a.pgm -blur 3 -o out.pgm
    usage "unknown option --boxes; did you mean --rects?" query a.pgm --boxes r.csv
    usage "unknown option --roi; did you mean --rect?" query a.pgm --roi 0,0,1,1
    usage "unknown option --blur" info --blur a.pgm # which has no --box
}

@test "an option that takes one value is refused when it is given twice" {
    small a.pgm
    usage "-o 'b.pgm': -o has been given already" a.pgm --box 3 -o a2.pgm -o b.pgm
    usage "--output 'b.pgm': --output has been given already" a.pgm --box 3 -oa2.pgm --out b.pgm
    [ ! -e a2.pgm ] && [ ! -e b.pgm ]
    for option in "--box 3" "--radius 3" "--border wrap" "--passes 2" "--alpha straight" "--format png" "--quality 3" "--layout padded" \
        "--type u32" "--largest 3" "--stat mean" "--rects r.csv" "--as image" "--files-from f.txt"; do
        # shellcheck disable=SC2086 # words
        usage "${option% *} '${option#* }': ${option% *} has been given already" a.pgm $option $option
    done
    for option in "--layout padded" "--sample u8" "--stat mean" "-o r.csv"; do
        # shellcheck disable=SC2086 # words
        usage "${option% *} '${option#* }': ${option% *} has been given already" query a.pgm $option $option
    done
    for option in "--size 3" "--type u8" "--repeat 1" "--plot p.svg" "-o r.md"; do
        # shellcheck disable=SC2086 # words
        usage "${option% *} '${option#* }': ${option% *} has been given already" bench $option $option
    done
    # A script or an alias sets these, and the last counts; switches may be repeated.
    ok a.pgm --box 3 --threads 1 --threads 2 --max-pixels 1 --max-pixels 12 --max-memory 1 --max-memory 1M -q -q \
        --backend nope --backend "$(backends_here | head -1)" --no-orient --no-orient -o out.pgm
    failure "a.pgm: *" a.pgm --box 3 --max-pixels 12 --max-pixels 1 -o no.png
    ok query a.pgm --rect 0,0,1,1 --rect 1,1,1,1 --clip --clip
    [ "${#lines[@]}" = 3 ]
}

@test "of -q and -v the last counts" {
    small a.pgm
    sat a.pgm --box 3 -qv -o out.pgm
    [ "$status" = 0 ]
    [[ $stderr == *"4x3 px"* ]]
    ok a.pgm --box 3 -vq -o out.pgm
    ok a.pgm --box 3 --verbose --quiet -o out.pgm
}

@test "a dash that is not '-' is explained, unless a file has the name" {
    small a.pgm
    for dash in $'\xe2\x80\x90' $'\xe2\x80\x91' $'\xe2\x80\x92' $'\xe2\x80\x93' $'\xe2\x80\x94' $'\xe2\x80\x95' $'\xe2\x88\x92'; do
        said="begins with a dash that is not '-'; type"
        usage "${dash}box: $said --box" "${dash}box" 3 a.pgm -o out.pgm
        usage "${dash}box=3: $said --box=3" a.pgm "${dash}box=3" -o out.pgm
        usage "-${dash}box: $said --box" a.pgm "-${dash}box" 3 -o out.pgm
        usage "${dash}o: $said -o" a.pgm --box 3 "${dash}o" out.pgm
        usage "${dash}: $said -" "$dash" --box 3 -o out.pgm
        usage "${dash}rect: $said --rect" query "${dash}rect" 0,0,1,1 a.pgm
        usage "${dash}json: $said --json" info "${dash}json" a.pgm
        usage "${dash}backends: $said --backends" "${dash}backends" # near a command
        usage "${dash}size: $said --size" bench "${dash}size" 9
        usage "--nodata '${dash}9': *; it begins with a dash that is not '-'" a.pgm --box 3 --nodata "${dash}9" -o out.pgm
    done
    cp a.pgm "${dash}a.pgm"
    ok "${dash}a.pgm" --box 3 -o out.pgm
    failure "${dash}b.pgm: cannot open: *" --box 3 -o out.pgm -- "${dash}b.pgm"
}

@test "a decimal comma is explained, where no list has commas" {
    said="if ',' was to be the decimal point, type '.'"
    for option in --box --radius --gauss --nodata --min-valid; do
        usage "$option '1,5': *; $said" a.pgm --box 3 $option 1,5 -o out.pgm
    done
    usage "--min-valid '12,5%': *; $said" a.pgm --box 3 --min-valid 12,5% -o out.pgm
    usage "--scale '0,5:1,5': *; $said" a.pgm --box 3 --scale 0,5:1,5 -o out.pgm
    usage "--nodata '-1,5': *; $said" query a.pgm --rect 0,0,1,1 --nodata -1,5
    for option in --gauss --nodata; do usage "$option '1,5': *; $said" bench $option 1,5; done
    usage "--passes '1,5': a number from 1 to 1000" a.pgm --box 3 --passes 1,5 -o out.pgm
    usage "--unsharp '1,5,2': S,A, *, and the amount" a.pgm --unsharp 1,5,2 -o out.pgm
    usage "--gauss 'x': *up to 16384" a.pgm --gauss x -o out.pgm
}

@test "options that lack their value, or have one too many" {
    usage "--box needs a value*" a.pgm --box
    usage "-o needs a value*" a.pgm --box 3 -o
    usage "--no-orient takes no value*" a.pgm --box 3 -o out.pgm --no-orient=yes
}

@test "a window is a number of pixels, or two" {
    for bad in 0 -1 1.5x3 x 3x 3x0 x3 3X3 15px "" " 3" 3x3x3 2147483648 99999999999999999999; do
        usage "--box '$bad'*1 to 2147483647*" a.pgm --box "$bad" -o out.pgm
    done
    for bad in -1 1.5x1 .0 1. x 1x 1073741824; do
        usage "--radius '$bad'*" a.pgm --radius "$bad" -o out.pgm
    done
    usage "--box and --radius: one or the other" a.pgm --box 3 --radius 3 -o out.pgm
}

@test "every number is checked" {
    for bad in 0 -1 1001 x 1x; do usage "--passes '$bad'*" a.pgm --box 3 --passes "$bad" -o out.pgm; done
    for bad in 0 101 -5 x; do usage "--quality '$bad'*" a.pgm --box 3 --quality "$bad" -o out.pgm; done
    for bad in -1 x 1025 1.5 ""; do usage "--threads '$bad'*" a.pgm --box 3 --threads "$bad" -o out.pgm; done
    for bad in 0 x 3x 3x0 2147483648 99999999999x99999999999; do usage "--largest '$bad'*" a.pgm --type q32 --largest "$bad" -o out.npy; done
    for bad in 1,2,3 1,2,3,4,5 a,b,c,d 1,2,3,4x "" 1,,2,3 "1 2,3,4" "1, 2, 3 3,4" "1, ,3,4" 1e999,1,1,1 nan,0,1,1 0x1,0,1,1 1.5,2,3 1.5.,0,1,1; do
        usage "--mean '$bad'*X,Y,W,H*" a.pgm --mean "$bad"
        usage "--rect '$bad'*X,Y,W,H*" query a.pgm --rect "$bad"
    done
}

@test "every name is checked, and the line lists those that exist" {
    usage "--border 'nope'*shrink*reflect101*wrap*constant:V*" a.pgm --box 3 --border nope -o out.pgm
    usage "--border 'shrin'*" a.pgm --box 3 --border shrin -o out.pgm
    usage "--border constant needs a value*" a.pgm --box 3 --border constant -o out.pgm
    usage "--border wrap takes no value*" a.pgm --box 3 --border wrap:3 -o out.pgm
    for bad in "" x 1,x 1,,2 1,2,3,4,5 nan inf 1e999; do
        usage "--border 'constant:$bad'*" a.pgm --box 3 --border "constant:$bad" -o out.pgm
    done
    usage "--alpha 'none'*" a.pgm --box 3 --alpha none -o out.png
    usage "--layout 'nope'*padded, inclusive or exclusive*" a.pgm --layout nope -o out.npy
    usage "--type 'u8'*u32, u64, i32, i64, f32, f64 or q32*" a.pgm --type u8 -o out.npy
    usage "--format 'webp'*png*npy*" a.pgm --box 3 --format webp -o -
    usage "--backend: $(unknown backend); there are *" a.pgm --box 3 --backend nope -o out.pgm
    usage "--stat 'median'*" query a.pgm --rect 0,0,1,1 --stat median
    usage "--stat 'mean,mean'*" query a.pgm --rect 0,0,1,1 --stat mean,mean
    usage "--stat ''*" query a.pgm --rect 0,0,1,1 --stat ""
    usage "--layout 'nope'*" query a.npy --rect 0,0,1,1 --layout nope
    usage "--as 'picture': image or table" query a.npy --rect 0,0,1,1 --as picture
    usage "--sample 'i64'*" query a.npy --rect 0,0,1,1 --sample i64
}

@test "SAT_BACKEND and SAT_THREADS are checked like the options, which win" {
    small a.pgm
    SAT_BACKEND=nope usage "SAT_BACKEND: $(unknown backend); there are *" a.pgm --box 3 -o out.pgm
    SAT_THREADS=nope usage "SAT_THREADS 'nope'*" a.pgm --box 3 -o out.pgm
    backend=$(backends_here | head -1)
    SAT_BACKEND=nope SAT_THREADS=nope ok a.pgm --box 3 -o out.pgm --backend "$backend" --threads 1
    SAT_BACKEND=$backend SAT_THREADS=2 ok a.pgm --box 3 -o out.pgm
    SAT_BACKEND='' SAT_THREADS='' ok a.pgm --box 3 -o out.pgm
}

@test "a ceiling is no backend" {
    ceiling=$("$sat" bench --list --json | grep '"kind":"ceiling"' | sed 's/.*"name":"\([^"]*\)".*/\1/' | head -1)
    [ -n "$ceiling" ]
    usage "--backend '$ceiling': only \`sat bench\` takes it*" a.pgm --box 3 --backend "$ceiling" -o out.pgm
}

@test "it must be said what to do, and once" {
    usage "nothing to do*--box*npy*--mean*" a.pgm
    usage "-o out.png: an image needs --box N, which blurs; a table has a name in .npy, *" a.pgm -o out.png
    usage "-o -: an image needs --box N*" a.pgm -o - --format png
    usage "--box needs an output*" a.pgm --box 3
    usage "--mean and --box*" a.pgm --box 3 --mean 0,0,1,1
    usage "--as table: *\`sat query\`*" a.npy --box 3 --as table -o out.png
    usage "--layout and --sample are for tables, not for --as image" query a.npy --as image --layout padded --rect 0,0,1,1
    usage "--layout is for tables*" a.pgm --box 3 --layout padded -o out.png
    usage "--layout is for tables, -o OUT.npy without --box*" a.pgm --box 3 --layout padded -o out.npy
    usage "--type is for tables*" a.pgm --box 3 --type u32 -o out.png
    usage "--passes is for --box*" a.pgm --passes 3 -o out.npy
    usage "--quality is for --box*" a.pgm --quality 3 -o out.npy
    usage "--quality is for jpeg, and -o out.png is none" a.pgm --box 3 --quality 3 -o out.png
    usage "--quality is for jpeg*" a.pgm --box 3 --quality 3 --format png -o -
    usage "--largest is for --type q32*" a.pgm --largest 3x3 -o out.npy
    usage "--border does not go with --mean*" a.pgm --mean 0,0,1,1 --border wrap
    usage "--layout does not go with --mean*" a.pgm --mean 0,0,1,1 --layout padded
    usage "--json is for --mean*" a.pgm --box 3 --json -o out.png
    usage "--json is for --mean*" a.pgm --json -o out.npy
    usage "--clip is for --mean*" a.pgm --clip -o out.npy
    usage "--stat is for --mean*" a.pgm --stat sum -o out.npy
    usage "--rect and --box*" a.pgm --box 3 --rect 0,0,1,1 -o out.png
    usage "--rects and --box*" a.pgm --box 3 --rects r.csv -o out.png
    usage "-o '{stem}.csv': --mean writes one file for all inputs*" a.pgm b.pgm --mean 0,0,1,1 -o '{stem}.csv'
    usage "-o 'out.png': answers are written as .csv, .json or .npy" a.pgm --mean 0,0,1,1 -o out.png
    usage "-0 is for --files-from*" a.pgm -0 --box 3 -o out.pgm
}

@test "an output's format must be known before any work" {
    for bad in out.webp out out. out.d/x; do
        usage "-o '$bad'*formats*" missing.pgm --box 3 -o "$bad"
    done
    usage "-o 'out': its extension, or --format, says the format; *" missing.pgm --box 3 -o out
    usage "-o 'out.webp': the formats*" missing.pgm --box 3 -o out.webp
    usage "-o '': the name of the output is empty" missing.pgm --box 3 -o ''
    usage "-o '': the name of the output is empty" missing.pgm -o ''
    usage "-o - needs --format*" missing.pgm --box 3 -o -
}

@test "query, info, bench and help check what they are given" {
    usage "no input*" query --rect 0,0,1,1
    usage "no rectangle*" query a.pgm
    usage "--rect and --rects*" query a.pgm --rect 0,0,1,1 --rects r.csv
    usage "--mean and --rects*" a.pgm --mean 0,0,1,1 --rects r.csv
    usage "-0 is for --files-from*" query a.pgm -0 --rect 0,0,1,1
    usage "*both be standard input*" query - --rects -
    usage "*both be standard input*" - --rects -
    usage "*both be standard input*" query --files-from - --rects -
    usage "no input*" info
    usage "'x'*" backends x
    usage "there is neither a file nor a bench 'quries'; did you mean \`sat bench queries\`?" bench quries
    usage "there is neither a file nor a bench 'Tune'; did you mean \`sat bench tune\`?" bench --repeat 1 Tune
    failure "nonsense: cannot open*" bench nonsense
    usage "one image*" bench a.pgm b.pgm
    usage "--size*image's own*" bench a.pgm --size 3
    usage "--size '0'*" bench --size 0
    usage "--channels '5'*" bench --channels 5
    usage "--type 'q32'*" bench --type q32
    usage "--accum 'u8'*" bench --accum u8
    usage "--repeat '0'*" bench --repeat 0
    usage "--box '0'*" bench --box 0
    usage "--backend: $(unknown backend); there are *" bench --backend nope
    usage "--accum is for tables*" bench --box 3 --accum u32
    usage "help: there is no command 'nope'*" help nope
    usage "help: one command*" help query info
}

@test "options may stand anywhere, -- ends them, = joins a value" {
    small a.pgm
    cp a.pgm ./-odd.pgm
    ok --box=3 -o out.pgm a.pgm
    ok -oout2.pgm a.pgm --box 3
    cmp out.pgm out2.pgm
    ok --box 3 -o out3.pgm -- -odd.pgm
    cmp out.pgm out3.pgm
    ok --box 3 ./-odd.pgm --output out4.pgm
    cmp out.pgm out4.pgm
}

@test "-o=x is -o x, and blanks may stand in a rectangle" {
    small a.pgm
    ok a.pgm --box 3 -o want.pgm
    ok a.pgm --box 3 -o=out.pgm
    cmp want.pgm out.pgm
    ok a.pgm --box 3 -qo=out2.pgm
    cmp want.pgm out2.pgm
    ok query a.pgm --rect 0,0,1,1 -o=r.csv
    [ -s r.csv ]
    ok a.pgm --box 3 -o =out.pgm # a word of its own is the name
    cmp want.pgm =out.pgm
    ok a.pgm --box 3 --output==out2.pgm
    cmp want.pgm =out2.pgm
    for rect in "0, 0, 4, 3" " 0 ,0,  4 , 3 " $'0,\t0,4,3'; do
        ok query a.pgm --rect "$rect"
        [ "${lines[1]}" = 0,0,4,3,4.25,51 ]
        ok a.pgm --mean "$rect"
        [ "${lines[1]}" = 0,0,4,3,4.25 ]
    done
}

@test "a word that is neither a file nor a command is named" {
    small a.pgm
    usage "there is neither a file nor a command 'blur'; --box N -o OUT blurs, *" blur a.pgm
    usage "there is neither a file nor a command 'blur'; *" a.pgm blur --box 3 -o out.pgm
    usage "there is neither a file nor a command 'blur'; *" blur a.pgm --box 3
    usage "there is neither a file nor a command 'version'; did you mean --version?" version
    usage "there is neither a file nor a command 'mean'; did you mean --mean?" mean a.pgm 0,0,1,1
    usage "nothing to do: *" a.pgm
    usage "-o y.png: an image needs --box N*" a.pgm -o y.png
    # Where the rest makes sense, it is the name of a file, which may be missing.
    failure "blur: cannot open*" blur --box 3 -o out.pgm
    small blur
    ok blur --box 3 -o out.pgm
    usage "2 inputs need *" blur a.pgm --box 3 -o out.pgm
}

@test "a file may be named like a command" {
    small query
    ok ./query --mean 0,0,4,3
    [ "${lines[1]}" = 0,0,4,3,4.25 ]
}

@test "names hold no command for the terminal" {
    name=$(printf 'e\033[31m\177\302\2332J\233\303\251\377\355\240\200.pgm') # CSI in three ways, e acute, no UTF-8
    failure "e*.pgm: *" "$name" --box 3 -o out.pgm
    shown=$'e?[31m???2J?\303\251????.pgm'
    [[ $stderr == "sat: $shown: "* ]]
    small "$name"
    ok info "$name"
    [ "${lines[0]}" = "$shown" ]
    ok info --json "$name"
    [[ $output == '{"file":"e\u001b[31m\u007f\u009b2J\ufffd'$'\303\251''\ufffd\ufffd\ufffd\ufffd.pgm",'* ]]
    for code in 061c 180e 200b 200e 200f 2028 202a 202e 2060 2066 2069 206f feff fff9; do
        name=$(LC_ALL=C.UTF-8 printf "a\\u${code}gnp.pgm")
        small "$name"
        ok info "$name"
        [[ ${lines[0]} =~ ^'a'\?+'gnp.pgm'$ ]]
        ok info --json "$name"
        [[ $output == '{"file":"a\u'$code'gnp.pgm",'* ]]
        failure "a??*gnp.pgm: *" info --max-memory 1 "$name"
        [[ $stderr =~ ^'sat: a'\?+'gnp.pgm: ' ]]
    done
    name=$(LC_ALL=C.UTF-8 printf 'a\U000e0041.pgm') # a tag
    small "$name"
    ok info "$name"
    [ "${lines[0]}" = 'a????.pgm' ]
    ok info --json "$name"
    [[ $output == '{"file":"a\udb40\udc41.pgm",'* ]]
    for name in $(LC_ALL=C.UTF-8 printf 'a\u200d\u200c\u2027\u2065\u00ad\ufefe\U000e0080\U0010ffff.pgm'); do
        small "$name"
        ok info "$name"
        [ "${lines[0]}" = "$name" ]
    done
    small $'two\nlines.pgm'
    ok info $'two\nlines.pgm'
    [ "${lines[0]}" = 'two?lines.pgm' ]
}

@test "a folder as the input is called one, whatever else is missing" {
    mkdir here
    for args in "--box 3 -o blur" "--box 3 -o out.png" "-o t.npy" "--box 3" ""; do
        # shellcheck disable=SC2086 # words
        failure "here: is a directory; its files are named one by one, or by the shell: sat DIR/\*.png" here $args
    done
    failure "here: is a directory" here --mean 0,0,1,1
    failure "here: is a directory" info here
}

@test "numbers are decimal digits; reals have a fraction and an exponent, and a sign where values may be negative" {
    small a.pgm
    printf '0,0,2,2\n' >r.csv
    for bad in +3 -3 0x3f 1e1 3.0 " 3" "3 "; do # --radius 0x10 is 0 by 10
        for option in --box --radius --passes --quality --threads --largest --max-memory --max-pixels; do
            usage "$option '$bad': *" a.pgm "$option=$bad" -o out.jpg
        done
        usage "--box '3x$bad': *" a.pgm --box "3x$bad" -o out.pgm
        usage "--grid '$bad': *" query a.pgm "--grid=$bad"
        usage "--ddof '$bad': *" query a.pgm --rects r.csv "--ddof=$bad"
        usage "--size '$bad': *" bench "--size=$bad"
    done
    for bad in +3 -3 0x1p1 0x3 inf nan 1e 1e+ .e1 . 3f " 3" "3 " 1e999; do
        usage "--gauss '$bad': *" a.pgm "--gauss=$bad" -o out.pgm
        usage "--unsharp '$bad,1': *" a.pgm "--unsharp=$bad,1" -o out.pgm
        usage "--dog '1,$bad': *" a.pgm "--dog=1,$bad" -o out.tif
        usage "--min-valid '$bad': *" a.pgm --box 3 "--min-valid=$bad" -o out.tif
        usage "--min-valid '$bad%': *" a.pgm --box 3 "--min-valid=$bad%" -o out.tif
        usage "--threshold: r=$bad of sauvola: a number above 0" a.pgm --box 3 "--threshold=sauvola:r=$bad" -o out.pgm
    done
    for bad in ++3 0x1p1 0x3 inf 1e 1e+ .e1 . - 3f " 3" "3 " 1e999; do
        usage "--unsharp '1,$bad': *" a.pgm "--unsharp=1,$bad" -o out.pgm
        [ "$bad" = inf ] || usage "--nodata '$bad': *" a.pgm --box 3 "--nodata=$bad" -o out.tif
        usage "--border 'constant:$bad': *" a.pgm --box 3 "--border=constant:$bad" -o out.pgm
        usage "--threshold: k=$bad of sauvola: a number" a.pgm --box 3 "--threshold=sauvola:k=$bad" -o out.pgm
    done
    for good in 3 +3 -3 2. .5 -.5 3e0 3E+0 30e-1; do
        ok -q a.pgm "--unsharp=1,$good" -o out.pgm
        ok -q a.pgm --box 3 "--threshold=sauvola:k=$good" -o out.pgm
    done
    for good in 3 2. .5 3e0 3E+0 30e-1; do ok a.pgm --gauss $good -o out.pgm; done
    for good in 3 +3 3. 3e0 3E+0 30e-1; do ok a.pgm --box 3 "--border=constant:$good" -o out.pgm; done
    for good in 0 +0 -0 0. 0e5; do ok query a.pgm --rect "$good,0,3,3"; done
    for bad in 0x1 1e 1e+ . - ++1 inf; do usage "--rect '$bad,0,3,3': *" query a.pgm --rect "$bad,0,3,3"; done
}

@test "names with line ends do not break the error's line" {
    failure "no?such.pgm: *" $'no\nsuch.pgm' --box 3 -o out.pgm
    usage "unknown option --a?b*" $'--a\nb'
}

@test "a command behind -v or -q is shown its place" {
    usage "the command comes first: \`sat query -v\`" -v query a.pgm --rect 0,0,1,1
    usage "the command comes first: \`sat info --quiet\`" --quiet -v info a.pgm
    small query
    usage "nothing to do*" -v query
}

@test "a misspelt command is guessed, but not where a file has that name" {
    for word in qurey quer querys Query; do
        usage "there is neither a file nor a command '$word'; did you mean \`sat query\`?" $word a.pgm --rect 0,0,1,1
    done
    usage "there is neither*\`sat info\`?" inof a.pgm
    usage "help: there is no command 'bnech'; did you mean \`sat help bench\`?" help bnech
    usage "help: there is no command 'nonsense'" help nonsense
    usage "there is neither a file nor a command 'nonsense'; --box *" nonsense
    small qurey
    ok qurey --mean 0,0,1,1
}
