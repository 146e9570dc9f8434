# Many inputs: templates, collisions, bad files, lists of files.

load helpers

three() {
    mkdir -p in out
    small in/a.pgm
    grey 9 8 in/b.pgm
    colour 5 4 in/c.ppm
}

@test "each placeholder" {
    three
    ok in/a.pgm in/b.pgm in/c.ppm --box 3 -o 'out/{stem}_blur.png'
    [ "$(cd out && echo *)" = "a_blur.png b_blur.png c_blur.png" ]
    rm out/*
    ok in/*.p?m --box 3 -o 'out/{name}.png'
    [ "$(cd out && echo *)" = "a.pgm.png b.pgm.png c.ppm.png" ]
    rm out/*
    ok in/*.p?m --box 3 -o 'out/{n}-{stem}.{ext}'
    [ "$(cd out && echo *)" = "1-a.pgm 2-b.pgm 3-c.ppm" ]
    rm out/*
    ok in/*.p?m --box 3 -o '{dir}/{stem}.bmp'
    [ "$(cd in && echo *.bmp)" = "a.bmp b.bmp c.bmp" ]
    ok in/*.p?m --box 3 -o 'out/{{{stem}}}.png'
    [ "$(cd out && echo *)" = "{a}.png {b}.png {c}.png" ]
    small plain.pgm
    ok plain.pgm --box 3 -o '{dir}/{stem}-{n}.png' # one input may have a template too
    [ -e plain-1.png ]
}

@test "the results are those of single runs, and tables work likewise" {
    three
    ok in/*.p?m --box 3 -o 'out/{stem}.ppm' --format pnm
    ok in/*.p?m -o 'out/{stem}.npy'
    for f in in/*.p?m; do
        stem=$(basename "${f%.*}")
        ok "$f" --box 3 -o single.ppm --format pnm
        cmp single.ppm "out/$stem.ppm"
        ok "$f" -o single.npy
        cmp single.npy "out/$stem.npy"
    done
}

@test "a bad file does not stop the others" {
    three
    : >in/bad.pgm
    sat in/a.pgm in/bad.pgm in/missing.pgm in/b.pgm in/c.ppm --box 3 -o 'out/{stem}.png'
    [ "$status" = 1 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 3 ]
    [[ $stderr == *"sat: in/bad.pgm: "* ]]
    [[ $stderr == *"sat: in/missing.pgm: "* ]]
    [ "${stderr_lines[2]}" = "sat: 2 of 5 files failed" ]
    [ "$(cd out && echo *)" = "a.png b.png c.png" ]
    sat in/a.pgm in/bad.pgm --box 3 -q -o 'out/{stem}.png'
    [ "$status" = 1 ]
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "outputs that cannot be written are reported one by one" {
    three
    sat in/a.pgm in/b.pgm --box 3 -o 'none/{stem}.png'
    [ "$status" = 1 ]
    [ "${#stderr_lines[@]}" = 3 ]
    [[ $stderr == *"sat: none/a.png: "* ]]
    [[ $stderr == *"sat: none/b.png: "* ]]
}

@test "means of many files: each row names its file" {
    three
    ok in/a.pgm in/b.pgm --mean 0,0,4,3 --mean 1,1,2,2
    [ "$output" = "$(printf 'file,x,y,w,h,mean\nin/a.pgm,0,0,4,3,4.25\nin/a.pgm,1,1,2,2,4\n'
        for rect in 0,0,4,3 1,1,2,2; do "$sat" in/b.pgm --mean $rect | sed -n '2s,^,in/b.pgm\,,p'; done)" ]
    want=$output
    printf 'in/a.pgm\nin/b.pgm\n' >list
    ok --files-from list --mean 0,0,4,3 --mean 1,1,2,2 -o means.csv
    [ "$(<means.csv)" = "$want" ]
    head -1 list | "$sat" --files-from - --mean 1,1,2,2 | tail -1 >row # a list of one is a list
    [ "$(<row)" = in/a.pgm,1,1,2,2,4 ]
    usage "-o list would replace the list of inputs" --files-from list --mean 0,0,1,1 -o list
    cp in/b.pgm b
    usage "-o b would replace the input by its answers" in/a.pgm b --mean 0,0,1,1 -o b
    cmp in/b.pgm b
    cp in/a.pgm $'a,"\e.pgm'
    ok $'a,"\e.pgm' in/a.pgm --mean 1,1,2,2
    [ "${lines[1]}" = $'"a,""\e.pgm",1,1,2,2,4' ]
    ok --json $'a,"\e.pgm' in/c.ppm --mean 0,0,1,1
    [[ ${lines[0]} == '{"file":"a,\"\u001b.pgm","x":0,"y":0,"w":1,"h":1,"mean":[1]}' ]]
    [[ ${lines[1]} == '{"file":"in/c.ppm","x":0,"y":0,"w":1,"h":1,"mean":['*,*,*']}' ]]
    ok --json in/a.pgm --mean 0,0,4,3
    [ "$output" = '{"x":0,"y":0,"w":4,"h":3,"mean":[4.25]}' ]
}

@test "CSV carries names as they are; a terminal gets question marks" {
    small a.pgm
    name=$(printf 'latin\351 \302\233\033[31m\342\200\256,"\nb\r.pgm')
    cp a.pgm "$name"
    printf 'x,y,w,h,\033n\n1,1,2,2,\351\033[31m\n' >r.csv # so are the other columns of the rectangles
    ok a.pgm "$name" --rects r.csv -o m.csv
    "$sat" a.pgm "$name" --rects r.csv >piped.csv
    cmp m.csv piped.csv
    printf 'file,x,y,w,h,mean,\033n\na.pgm,1,1,2,2,4,\351\033[31m\n' >want.csv
    printf '"latin\351 \302\233\033[31m\342\200\256,""\nb\r.pgm",1,1,2,2,4,\351\033[31m\n' >>want.csv
    cmp want.csv m.csv
    "$sat" a.pgm "$name" --rects r.csv --json | tail -1 >json # which is UTF-8
    [[ $(<json) == '{"file":"latin\ufffd \u009b\u001b[31m\u202e,\"\u000ab\u000d.pgm",'*',"\u001bn":"\ufffd\u001b[31m"}' ]]
    "${PYTHON:-python3}" - "$name" <<'END'
import csv, os, sys
with open("m.csv", newline="", encoding="utf-8", errors="surrogateescape") as file:
    rows = list(csv.DictReader(file))
assert [row["file"] for row in rows] == ["a.pgm", sys.argv[1]], rows
assert os.path.exists(rows[1]["file"])
END
    needs_terminal
    NAME=$name script -qec "'$sat' a.pgm \"\$NAME\" --rects r.csv" /dev/null </dev/null | tr -d '\r' >shown
    printf 'file,x,y,w,h,mean,?n\na.pgm,1,1,2,2,4,??[31m\n"latin? ???[31m???,""?b?.pgm",1,1,2,2,4,??[31m\n' | diff - shown
}

@test "means of many files: a bad one does not stop the others" {
    three
    sat in/missing.pgm in/a.pgm in/b.pgm --mean 0,0,5,1 --mean 0,0,1,1
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 3 ] # the header, and b's
    [[ ${lines[1]} == in/b.pgm,0,0,5,1,* ]]
    [ "${#stderr_lines[@]}" = 3 ]
    [[ ${stderr_lines[0]} == "sat: in/missing.pgm: "* ]]
    [[ ${stderr_lines[1]} == "sat: in/a.pgm: rectangle 0,0,5,1 reaches outside"* ]]
    [[ ${stderr_lines[2]} == "sat: 2 of 3 files failed" ]]
    sat -q in/missing.pgm in/a.pgm --mean 0,0,1,1
    [ "${#stderr_lines[@]}" = 1 ]
    echo old >means.csv
    sat in/a.pgm in/missing.pgm --mean 0,0,1,1 -o means.csv
    [ "$status" = 1 ]
    [[ ${stderr_lines[0]} == "sat: in/missing.pgm: "* ]]
    [[ ${stderr_lines[1]} == "sat: 1 of 2 files failed, and so the output is not written" ]]
    [ "$(<means.csv)" = old ]
}

@test "several inputs need a template" {
    three
    usage "2 inputs need a folder that is there, or a template: *" in/a.pgm in/b.pgm --box 3 -o out.png
    usage "2 inputs need a folder that is there, or a template: *" in/a.pgm in/b.pgm -o out.npy
    usage "2 inputs need a folder that is there, or a template: *" in/a.pgm in/b.pgm --box 3 -o - --format png
    [ ! -e out.png ]
}

@test "in a folder that is there, outputs keep the names of their inputs" {
    three
    cp in/c.ppm c.ppm
    ok in/a.pgm --box 3 -o want.pgm
    for folder in out out/ out// ./out/../out; do
        ok in/a.pgm in/b.pgm in/c.ppm --box 3 -o "$folder"
        [ "$(cd out && echo *)" = "a.pgm b.pgm c.ppm" ]
        cmp want.pgm out/a.pgm
        rm out/*
    done
    ok in/a.pgm --box 3 -o out/
    ok in/b.pgm in/c.ppm --box 3 -o out/ --format png # which is then the extension
    ok in/a.pgm in/c.ppm --format npy -o out
    [ "$(cd out && echo *)" = "a.npy a.pgm b.png c.npy c.png" ]
    ok - --box 3 -o out/ --format png <in/a.pgm
    [ -s out/stdin.png ]
    usage "-o 'out/stdin': its extension, or --format, *" - --box 3 -o out/
    mkdir 'o{ut}.npy' deep
    ok in/a.pgm --box 3 -o 'o{ut}.npy'
    cmp want.pgm 'o{ut}.npy/a.pgm'
    cp in/a.pgm deep/a.pgm
    usage "-o in/a.pgm and deep/a.pgm would both write out/a.pgm" in/a.pgm deep/a.pgm --box 3 -o out/
    usage "-o .: c.ppm would be written over itself; to replace it, name it: -o '{dir}/{name}'" c.ppm --box 3 -o .
    usage "-o in/: in/b.pgm would be written over itself; to replace it, name it: -o '{dir}/{name}'" in/b.pgm c.ppm --box 3 -o in/
    cmp c.ppm in/c.ppm
    usage "-o out/: an image needs --box N*" in/a.pgm -o out/
    failure "in/missing.pgm: *" in/missing.pgm --box 3 -o out/
}

@test "a wrong template" {
    three
    for bad in '{nope}' '{stem' 'stem}' '{}' '{STEM}' '{stem}{'; do
        usage "-o '$bad.png'*" in/a.pgm in/b.pgm --box 3 -o "$bad.png"
    done
    usage "-o 'out/a.webp'*" in/a.pgm in/b.pgm --box 3 -o 'out/{stem}.webp'
}

@test "two inputs that would write one output are refused before any work" {
    three
    cp in/a.pgm in/a.ppm
    mkdir deep
    cp in/a.pgm deep/a.pgm
    usage "-o in/a.pgm and in/a.ppm would both write out/a.png*" in/a.pgm in/b.pgm in/a.ppm --box 3 -o 'out/{stem}.png'
    usage "*would both write*" in/a.pgm deep/a.pgm --box 3 -o 'out/{name}'
    usage "*would both write*" in/a.pgm in/a.pgm --box 3 -o 'out/{stem}.png'
    usage "*would both write*" in/a.pgm deep/../in/a.pgm --box 3 -o '{dir}/{stem}.png'
    usage "*would both write*" in/a.pgm ./in/a.pgm --box 3 -o '{dir}/{stem}.png'
    mkdir -p links && ln -sf there.pgm links/a.pgm && ln -sf "$PWD/links/a.pgm" links/b.pgm # to a file that is not there yet
    usage "*would both write*" in/a.pgm in/b.pgm --box 3 -o links
    [ ! -e links/there.pgm ]
    [ -z "$(ls out)" ]
    ok in/a.pgm deep/a.pgm --box 3 -o 'out/{n}.png'
}

@test "an output may replace its own input, but not another one" {
    three
    cp in/a.pgm want.pgm
    ok want.pgm --box 3 -o want.pgm
    ok in/a.pgm in/b.pgm --box 3 -o '{dir}/{name}'
    cmp in/a.pgm want.pgm
    cp want.pgm x_mean.pgm
    usage "-o x_{stat}.pgm: x_mean.pgm would be written over itself; another name keeps it" x_mean.pgm --box 3 --stat std,mean -o 'x_{stat}.pgm'
    for template in 'x_{stat}.pgm' '{stem}.pgm' '{dir}/{stem}.{ext}'; do
        usage "-o $template: x_mean.pgm would be written over itself; to replace it, name it: -o '{dir}/{name}'" x_mean.pgm --box 3 --stat mean -o "$template"
    done
    cmp x_mean.pgm want.pgm && [ ! -e x_std.pgm ]
    ok x_mean.pgm --box 3 --stat mean -o '{dir}/{name}'
    ok x_mean.pgm --box 3 --stat mean -o x_mean.pgm
    cp in/a.pgm in/b_.pgm
    usage "-o in/b_.pgm would be written over the input in/b_.pgm*" in/b.pgm in/b_.pgm --box 3 -o '{dir}/{stem}_.pgm'
    ln -s ../in/c.ppm out/a.ppm
    usage "*would be written over the input in/c.ppm*" in/a.pgm in/c.ppm --box 3 -o 'out/{stem}.ppm'
}

@test "names from a file and from standard input" {
    three
    printf 'in/a.pgm\n\nin/b.pgm' >list
    ok in/c.ppm --files-from list --box 3 -o 'out/{n}{stem}.png'
    [ "$(cd out && echo *)" = "1c.png 2a.png 3b.png" ]
    rm out/*
    printf 'in/a.pgm\nin/b.pgm\n' | "$sat" --files-from - --box 3 -o 'out/{stem}.png'
    [ "$(cd out && echo *)" = "a.png b.png" ]
    rm out/*
    printf 'in/a.pgm\r\n\r\nin/b.pgm\r\n' | "$sat" --files-from - --box 3 -o 'out/{name}'
    [ "$(cd out && echo *)" = "a.pgm b.pgm" ]
    rm out/*
    cp in/a.pgm $'in/odd\r'
    printf 'in/odd\r\0' | "$sat" --files-from - -0 --box 3 --format pgm -o 'out/odd'
    rm out/*
    rm in/odd*
    cp in/a.pgm $'in/odd\nname.pgm'
    find in -name '*.pgm' -print0 | "$sat" --files-from - -0 --box 3 -o 'out/{stem}.png'
    [ "$(find out -name '*.png' -printf x | wc -c)" = 3 ]
    [ -e $'out/odd\nname.png' ]
    rm out/*
    find in -name '*.pgm' -print0 | "$sat" --files-from - --null --box 3 -o 'out/{stem}.png'
    [ -e $'out/odd\nname.png' ]
}

@test "a list without names: nothing to do, status 1, and nothing is written" {
    three
    : >empty
    printf '\n\r\n\n' >blank
    for list in empty blank; do
        for command in "--box 3 -o out/{stem}.png" "--box 3 -o out/x.png" "-o out/x.npy" "--mean 0,0,1,1 -o out/m.csv" "--mean 0,0,1,1"; do
            # shellcheck disable=SC2086 # words
            failure "$list: no files in the list" --files-from $list $command
            # shellcheck disable=SC2086 # words
            failure "standard input: no files in the list" --files-from - $command <$list
        done
        failure "$list: no files in the list" query --files-from $list --rect 0,0,1,1 -o out/m.csv
        ok in/a.pgm --files-from $list --mean 0,0,1,1 # the command line names one
        [ "${lines[1]}" = in/a.pgm,0,0,1,1,1 ]
    done
    find in -name '*.none' -print0 >none
    failure "none: no files in the list" --files-from none -0 --box 3 -o 'out/{stem}.png'
    [ -z "$(ls out)" ]
    ok in/a.pgm in/b.pgm --rects - --clip <<<x,y,w,h # no rectangles are none, from a stream too
    [ "$output" = file,x,y,w,h,mean,area ]
}

@test "lists that are wrong" {
    three
    failure "no-list: *" --files-from no-list --box 3 -o 'out/{stem}.png'
    printf 'in/a.pgm\0in/b.pgm\0' >list
    failure "list: *zero byte*-0" --files-from list --box 3 -o 'out/{stem}.png'
    usage "standard input can be read only once*" - --files-from - --box 3 -o 'out/{stem}.png'
    usage "standard input can be read only once*" - - --box 3 -o 'out/{n}.png'
    [ -z "$(ls out)" ]
}

@test "more files than threads, and more threads than files" {
    mkdir in out
    for i in $(seq 40); do grey $((i + 3)) 17 "in/$i.pgm"; done
    for threads in 1 2 3 64; do
        rm -f out/*
        ok in/*.pgm --box 5 --threads $threads -o 'out/{stem}.pgm'
        [ "$(find out -type f | wc -l)" = 40 ]
        [ -z "${want-}" ] || [ "$(cat out/*.pgm | cksum)" = "$want" ]
        want=$(cat out/*.pgm | cksum)
    done
}

@test "where descriptors are few, fewer files are worked on at a time" {
    mkdir in out
    for i in $(seq 200); do grey $((i % 7 + 3)) 5 "in/$i.pgm"; done
    grey 9 5 mask.pgm
    limited() { # DESCRIPTORS ARGS...
        run --separate-stderr timeout --foreground 60 bash -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n "$1"; shift; exec "$@"' \
            bash "$1" "$sat" "${@:2}"
        echo "status $status, stderr: $stderr"
        [ "$status" = 0 ] && [ -z "$stderr" ]
    }
    limited 12 in/*.pgm --threads 8 --box 3 -o 'out/{stem}.pgm'
    [ "$(find out -type f | wc -l)" = 200 ]
    limited 12 in/*.pgm --threads 8 -o 'out/{stem}.npy'
    limited 12 in/*.pgm --threads 8 --box 3 --stat mean,var,std -o 'out/{stem}_{stat}.pfm'
    limited 5 in/*.pgm --threads 8 --box 3 -o 'out/{stem}.png'
    rm -f in/*
    for i in $(seq 40); do cp mask.pgm "in/$i.pgm"; done
    limited 12 in/*.pgm --threads 8 --box 3 --stat mean,var,std --mask mask.pgm -o 'out/{stem}_{stat}.tif'
}

@test "an input that is named twice is not overwritten while it is yet to be read" {
    three
    cp in/a.pgm 1.pgm
    cp 1.pgm before.pgm
    usage "*would be written over the input*" 1.pgm ./1.pgm in/b.pgm --box 3 -o '{n}.pgm'
    cmp 1.pgm before.pgm
}
