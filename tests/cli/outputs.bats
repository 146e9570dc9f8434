# Outputs are whole or not there, and the old one is never lost.

load helpers

@test "an existing output is replaced; --no-clobber refuses" {
    small a.pgm
    echo old >out.pgm
    ok a.pgm --box 3 -o out.pgm
    cp out.pgm want.pgm
    for args in "--box 3 -o out.pgm" "--mean 0,0,1,1 -o out.csv"; do
        echo old >out.pgm
        echo old >out.csv
        # shellcheck disable=SC2086 # two words and more
        failure "out.*: *exists*" a.pgm $args --no-clobber
        [ "$(<out.pgm)" = old ]
        [ "$(<out.csv)" = old ]
    done
    echo old >t.npy
    failure "t.npy: *exists*" a.pgm --no-clobber -o t.npy
    failure "out.csv: *exists*" query a.pgm --rect 0,0,1,1 --no-clobber -o out.csv
    rm out.pgm
    ok a.pgm --box 3 --no-clobber -o out.pgm
    cmp want.pgm out.pgm
    no_leftovers
}

@test "the output may be the input, whole image or table of it" {
    colour 300 200 c.ppm
    ok c.ppm --box 9 -o want.ppm
    cp c.ppm same.ppm
    ok same.ppm --box 9 -o same.ppm
    cmp want.ppm same.ppm
    ln -s same.ppm link.ppm
    cp c.ppm same.ppm
    ok link.ppm --box 9 -o link.ppm
    [ -L link.ppm ]
    cmp want.ppm same.ppm
    ok c.ppm -o want.npy
    ok c.ppm --format npy -o c.ppm
    cmp want.npy c.ppm
    ok want.npy --help # any operand will do
    cp want.npy kept.npy
    usage "-o want.npy would replace the input by its answers" query want.npy --rect 0,0,9,9 -o want.npy
    cmp want.npy kept.npy
}

@test "an output onto a list of rectangles or of files is refused, and the list stays" {
    printf '0,0,1,1\n' >r.csv
    usage "-o ./r.csv would replace the rectangles by their answers" query c.ppm --rects r.csv -o ./r.csv
    printf 'c.ppm\n' >list.png
    usage "-o list.png would replace the list of inputs" --files-from list.png --box 3 -o list.png
    [ "$(cat r.csv)" = 0,0,1,1 ]
    [ "$(cat list.png)" = c.ppm ]
}

@test "a failed run leaves the old output alone" {
    small a.pgm
    head -c 18 a.pgm >cut.pgm
    for out in out.pgm t.npy; do
        echo old >$out
        sat cut.pgm $([ $out = t.npy ] || echo --box 3) -o $out
        [ "$status" = 1 ]
        [ "$(<$out)" = old ]
    done
    echo old >out.csv
    failure "a.pgm: *" query a.pgm --rect 0,0,1,1 --rect 0,0,99,1 -o out.csv
    [ "$(<out.csv)" = old ]
    no_leftovers
}

@test "targets that cannot be" {
    small a.pgm
    mkdir d
    failure "d: is a directory; *" a.pgm --mean 0,0,1,1 -o d
    failure "none/out.pgm: *" a.pgm --box 3 -o none/out.pgm
    failure "a.pgm/out.pgm: *" a.pgm --box 3 -o a.pgm/out.pgm
    usage "-o '': the name of the output is empty" a.pgm --box 3 --format pnm -o ""
    failure "'': the name is empty" query a.pgm --rect 0,0,1,1 -o ""
}

@test "a directory that is not there is one error, with status 1, wherever it stands" {
    small a.pgm
    cp a.pgm b.pgm
    for command in "a.pgm --box 3" "a.pgm --box 3 --format png" "a.pgm --format npy" "a.pgm" "a.pgm b.pgm --box 3" \
        "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1" "query a.pgm b.pgm --rect 0,0,1,1 --json"; do
        # shellcheck disable=SC2086 # words
        failure "none/: its directory does not exist" $command -o none/
    done
    for command in "a.pgm --box 3" "a.pgm" "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1"; do
        # shellcheck disable=SC2086 # words
        failure "none/x.npy: its directory does not exist" $command -o none/x.npy
    done
    failure "none/a/: its directory does not exist" a.pgm --box 3 -o 'none/{stem}/'
    [ ! -e none ]
    # A file is no directory.
    for command in "a.pgm --box 3" "a.pgm --format npy" "a.pgm b.pgm --box 3" "a.pgm --mean 0,0,1,1" "query a.pgm --rect 0,0,1,1"; do
        # shellcheck disable=SC2086 # words
        failure "b.pgm/: cannot write here: Not a directory" $command -o b.pgm/
    done
    failure "a.pgm/: cannot write here: Not a directory" a.pgm --box 3 -o '{name}/'
    # One that is there: images keep the name of their input, answers are one file.
    mkdir out
    ok a.pgm --box 3 -o out/
    [ -e out/a.pgm ]
    for command in "a.pgm --mean 0,0,1,1" "query a.pgm b.pgm --rect 0,0,1,1 --json"; do
        for name in out out/; do
            # shellcheck disable=SC2086 # words
            failure "$name: is a directory; answers are one file: .csv, .json or .npy" $command -o $name
        done
    done
}

@test "a directory in which nothing can be made is there all the same" {
    [ -d /proc/self ] || skip "no /proc"
    small a.pgm
    failure "/proc/self/out.pgm: its directory takes no files" a.pgm --box 3 -o /proc/self/out.pgm
    failure "none/out.pgm: its directory does not exist" a.pgm --box 3 -o none/out.pgm
    mkdir gone
    cd gone
    rmdir ../gone
    failure "out.pgm: its directory does not exist" "$BATS_TEST_TMPDIR/a.pgm" --box 3 -o out.pgm
}

@test "an unwritable directory, and one without permission to look into" {
    not_root
    small a.pgm
    mkdir d
    for mode in 500 400 300 200 100 000; do
        chmod $mode d
        [ $mode = 300 ] || failure "d/out.pgm: *: Permission denied" a.pgm --box 3 -o d/out.pgm
    done
    chmod 700 d
}

@test "a full disk" {
    colour 300 200 c.ppm
    for args in "--box 3 --format png" "--box 3 --format jpeg" "--box 3 --format pnm" "--format npy"; do
        # shellcheck disable=SC2086 # two words and more
        failure "/dev/full: *No space left*" c.ppm $args -o /dev/full
    done
    for command in "--help" "--version" "backends" "info c.ppm" "query c.ppm --rect 0,0,9,9" "c.ppm --mean 0,0,9,9" \
        "c.ppm --box 3 --format png -o -"; do
        # shellcheck disable=SC2086 # words
        run bash -c '"$@" 2>&1 >/dev/full' _ "$sat" $command
        echo "$command: $status $output"
        [ "$status" = 1 ]
        [[ $output == "sat: standard output: cannot write: No space left on device" ]]
        [ "${#lines[@]}" = 1 ]
    done
}

# into_closed_pipe COMMAND... - its standard output is a pipe without a reader.
into_closed_pipe() {
    # shellcheck disable=SC2016 # the inner shell's variables
    run bash -c '{ trap "" PIPE; while echo 2>/dev/null; do :; done; "$@" 2>err; echo $? >status; } | :' _ "$@"
    echo "$*: $(<status) $(<err)"
}

@test "a closed pipe on standard output: a quiet end by the signal, and a line where that is ignored" {
    colour 300 200 c.ppm
    for command in "--help" "backends" "info c.ppm" "query c.ppm --rect 0,0,3,3" "c.ppm --mean 0,0,3,3" \
        "c.ppm --box 3 --format pnm -o -" "c.ppm --format npy -o /dev/stdout"; do
        # shellcheck disable=SC2086 # words
        into_closed_pipe env --default-signal=PIPE "$sat" $command
        [ "$(<status)" = 141 ]
        [ ! -s err ]
        # shellcheck disable=SC2086 # words
        into_closed_pipe "$sat" $command
        [ "$(<status)" = 1 ]
        [[ $(<err) == "sat: "*"stdout: closed pipe" || $(<err) == "sat: standard output: closed pipe" ]]
    done
    mkfifo pipe.pgm # any other pipe is one output of perhaps many
    (exec 3>&-; head -c 1 pipe.pgm >byte) &
    failure "pipe.pgm: closed pipe" c.ppm --box 3 --format pnm -o pipe.pgm
    wait
}

@test "a closed standard output" {
    colour 300 200 c.ppm
    for command in "--help" "backends" "query c.ppm --rect 0,0,3,3" "c.ppm --box 3 --format pnm -o -"; do
        # shellcheck disable=SC2086,SC2016 # words; the inner shell's variables
        run bash -c '"$@" 2>err >&-; echo $?' _ "$sat" $command
        [ "$output" = 1 ]
        [[ $(<err) == "sat: standard output: "* ]]
        [ "$(wc -l <err)" = 1 ]
    done
}

@test "devices and named pipes are written to as they are" {
    small a.pgm
    ok a.pgm --box 3 --format png -o /dev/null
    [ -c /dev/null ]
    ok a.pgm --box 3 -o want.pgm
    mkfifo pipe.pgm
    cat pipe.pgm >got.pgm &
    ok a.pgm --box 3 -o pipe.pgm
    wait
    cmp want.pgm got.pgm
}

@test "descriptors are written to, and nothing is replaced" {
    small a.pgm
    ok a.pgm --box 3 -o want.pgm
    [ -e /dev/fd/0 ] || skip "no /dev/fd here"
    # shellcheck disable=SC2016 # the inner shell's variables
    for name in /dev/stdout /dev/stderr /dev/fd/1 /dev/fd/2 /dev/fd/7 /proc/self/fd/7 /proc/thread-self/fd/7; do
        echo "$name"
        printf 'log\n' >log
        run -0 bash -c '"$1" a.pgm --box 3 --format pnm -o "$2" >>log 2>>log 7>>log' _ "$sat" "$name"
        printf 'log\n' | cat - want.pgm | cmp - log
        run -0 bash -c '"$1" a.pgm --box 3 --format pnm -o "$2" 7>&1 2>&1 | cmp - want.pgm' _ "$sat" "$name"
    done
    failure "/dev/fd/17: not open for writing" a.pgm --box 3 --format pnm -o /dev/fd/17
    # shellcheck disable=SC2016 # the inner shell's variables
    run bash -c '"$1" a.pgm --box 3 --format pnm -o /dev/fd/7 7<a.pgm 2>&1' _ "$sat"
    [ "$status" = 1 ]
    [ "$output" = "sat: /dev/fd/7: not open for writing" ]
    no_leftovers
}

@test "an interruption leaves nothing behind and says 130" {
    grey 4000 3000 a.pgm
    echo old >out.png
    for signal in INT TERM HUP; do
        timeout --foreground --preserve-status -s $signal 0.05 "$sat" a.pgm --box 999 --passes 1000 -o out.png || status=$?
        echo "$signal: $status"
        [ "$status" = $((128 + $(kill -l $signal))) ]
        [ "$(<out.png)" = old ]
    done
    no_leftovers
}

@test "binary is not written to a terminal, text is" {
    small a.pgm
    needs_terminal
    run script -qec "'$sat' a.pgm --box 3 -o - --format png" /dev/null
    [ "$status" = 1 ]
    [[ $output == *"sat: standard output: "*"terminal"* ]]
    run script -qec "'$sat' a.pgm --mean 0,0,4,3" /dev/null
    [ "$status" = 0 ]
    [[ $output == *"0,0,4,3,4.25"* ]]
}

@test "the progress bar: on a terminal, while something takes long, and gone at the end" {
    small a.pgm
    needs_terminal
    slow() { # SETTINGS ARGS - an input that takes longer than the half second until the bar appears
        run script -qec "(sleep 1.5; cat a.pgm) | env $1 '$sat' - --box 3 -o out.pgm $2" /dev/null
        echo "$output" | od -c | head -20
        [ "$status" = 0 ]
    }
    slow TERM=xterm
    [[ $output == *$'\e[36m'*"]   0%  decode"* ]]
    [[ $output == *$'\r\e[K' ]]
    slow "TERM=xterm NO_COLOR=1"
    [[ $output == *"[ "*"]   0%  decode"* ]]
    [[ $output != *"[36m"* ]]
    for without in TERM=dumb TERM= "-u TERM" "TERM=xterm -q"; do
        slow "${without% -q}" "${without#"${without% -q}"}"
        [ -z "$output" ]
    done
    sat - --box 3 -o out.pgm < <(sleep 1 && cat a.pgm) # no terminal
    [ "$status" = 0 ]
    [ -z "$stderr" ]
}

@test "the progress line fits the terminal, also after its size has changed" {
    small a.pgm
    needs_terminal
    cat >feed <<'END'
        drawn() { for _ in $(seq 100); do grep -q "$1" shown && return; sleep 0.1; done; }
        stty cols 40; drawn decode; stty cols 12; drawn 'K  0%'; cat a.pgm
END
    run script -qefc "sh feed | env TERM=xterm NO_COLOR=1 '$sat' - --box 3 -o out.pgm" shown
    echo "$output" | od -c | head -40
    [ "$status" = 0 ]
    mapfile -t drawn < <(sed 's/\r\x1b\[K/\n/g' <<<"$output" | grep .)
    [ "${drawn[0]}" = "[                        ]   0%  decode" ]
    [ "${drawn[-1]}" = "  0%" ]
}
