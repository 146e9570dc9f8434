# sat bench: what is checked, what the rows say, and what is made of rows.  No test looks at a time.

load helpers

header=bench,name,width,height,channels,type,accum,model_bytes,cold_us,warm_us,noise_pct,gbps,copy_us,share_of_copy,min_us,mean_us,runs,check

# of_kind KIND - the names of the rows of that kind.
of_kind() { "$sat" bench --list --json | sed -n '/"kind":"'"$1"'"/s/.*"name":"\([^"]*\)".*/\1/p'; }
# sound - every line of $output behind the header was checked, or says in words why it could not run.
sound() {
    local line
    [ "${lines[0]}" = "$header" ] || return 1
    for line in "${lines[@]:1}"; do
        # times and a check, or neither
        [[ $line =~ ^[a-z0-9x+\ -]+,[^,]+,[0-9]+,[0-9]+,[1-4],[a-z0-9]+,[a-z0-9]*,[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]+,[0-9]+,ok(\ \((copy|peer)\))?$ ]] ||
            [[ $line =~ ^[a-z0-9x+\ -]+,[^,]+,[0-9]+,[0-9]+,[1-4],[a-z0-9]+,[a-z0-9]*,[0-9]+,,,,,,,,,,.*[a-z].*$ && $line != *,ok* ]] || {
            echo "unsound: $line"
            return 1
        }
    done
}

@test "every backend is a row, the ceilings first, in three forms" {
    ok bench --size 33x17 --repeat 1 --csv
    sound
    [ "${#lines[@]}" = $((1 + $("$sat" bench --list --json | wc -l))) ]
    i=1
    for ceiling in $(of_kind ceiling); do
        [[ ${lines[i++]} == table,"$ceiling",33,17,1,u8,u32,* ]]
    done
    [[ $output == *"table,$(of_kind reference),33,17,1,u8,u32,"*",ok"* ]]
    ok bench --size 33 --repeat 1 --json
    [[ $output == '{"machine":{'*'"rows":['*'"check":"ok"}'*']'*'}' ]]
    python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$output"
    ok bench --size 33 --repeat 1 -o report.md
    grep -q '^- command: sat bench --size 33 --repeat 1 -o report.md' report.md
    grep -q '^| table ' report.md
    [ -z "$output" ]
}

@test "a ceiling is no method of sums, and shares are of it" {
    ok bench --size 40 --repeat 1 --csv --backend "$(of_kind reference)"
    for ceiling in $(of_kind ceiling); do
        line=$(grep "^table,$ceiling," <<<"$output" || true)
        [[ -z $line || $line == *",ok (copy)" ]] # those of a device have no rows beside the host's
    done
    [[ $(grep ",ok (copy)$" <<<"$output" | head -1) == *,1.000,* ]]
    [[ $(grep ",$(of_kind reference)," <<<"$output") == *,ok ]]
}

@test "types, channels, images, filters, one backend" {
    for type in u8 u16 u32 i8 i16 i32 f32 f64; do
        ok bench --size 40x30 --type $type --channels 3 --repeat 1 --csv
        sound
        [[ $output == *",3,$type,"*,ok* ]]
    done
    for accum in u64 i64 f32 f64; do
        ok bench --size 40x30 --accum $accum --repeat 1 --csv
        sound
        [[ $output == *",u8,$accum,"*,ok* ]]
    done
    for layout in padded inclusive exclusive; do
        ok bench --size 40x30 --layout $layout --repeat 1 --csv
        sound
        label=table
        [ $layout = inclusive ] || label+=" $layout"
        [ "$(cut -d, -f1 <<<"$output" | sort -u)" = "$(printf "bench\n%s" "$label")" ]
        echo "$output" >layout.csv
        cmp layout.csv <("$sat" bench tables --from layout.csv --csv)
    done
    ok bench --box 5 --size 40x30 --repeat 1 --csv
    sound
    [[ ${lines[1]} == "box 5x5,memcpy,40,30,1,u8,,"*",ok (copy)" ]]
    [ "${#lines[@]}" -ge 3 ]
    ok bench --box 5 --result f32 --size 40x30 --repeat 1 --csv
    sound
    [[ ${lines[1]} == "box 5x5 to f32,memcpy,40,30,1,u8,,$((40 * 30 * 5)),"*",ok (copy)" ]]
    [ "${#lines[@]}" -ge 3 ]
    ok bench --type f64 --box 5 --result f32 --size 400x300 --repeat 1 --csv # no memcpy: no room for half of all bytes
    sound
    [[ $output != *,memcpy,* && $output == *"box 5x5 to f32,cpu,"*,ok* ]]
    grey 400 300 g.pgm
    ok g.pgm --box 3 --result f64 -o d.npy # ninths, whose sums round
    ok bench d.npy --box 31 --repeat 1 --csv
    sound
    [[ $output == *"box 31x31,cpu,"*,f64,*,ok* ]]
    usage "*--result is for --box*" bench --result f32
    ok bench --box 5 --stat mean,var --size 40x30 --repeat 1 --csv # two results, f32 of each pixel
    sound
    [[ ${lines[1]} == "box 5x5 mean+var to f32,memcpy,40,30,1,u8,,$((40 * 30 * 9)),"*",ok (copy)" ]]
    [[ ${lines[2]} == "box 5x5 mean+var to f32,cpu,40,30,1,u8,,$((40 * 30 * 9)),"*",ok" ]]
    echo "$output" >windows.csv
    cmp windows.csv <("$sat" bench --from windows.csv --csv)
    for name in mean sum var std rms count norm wolf sauvola; do
        ok bench --box 9 --stat "$name" --size 50x40 --type u16 --channels 2 --repeat 1 --csv
        sound
        [[ $output == *"box 9x9 $name to f32,cpu,"*,ok* ]]
    done
    ok bench d.npy --box 30 --stat std --result f32 --repeat 1 --csv
    sound
    [[ $output == *"box 30x30 std to f32,cpu,"*,f64,*,ok* ]]
    ok bench --box 4 --stat mean,std --type i32 --size 30 --batch 3 --repeat 1 --csv
    sound
    [[ $output == *"box 4x4 mean+std to f64 batch 3,cpu,30,30,1,i32,,$((3 * 900 * 20)),"*,ok* ]]
    failure "serial: *no window statistics" bench --box 4 --stat mean --backend serial --size 9 --csv -o no.csv
    usage "*--stat is of windows: --box N*" bench --stat mean
    ok bench --gauss 4.5 --channels 3 --type u16 --size 40x30 --repeat 1 --csv
    [[ $output == *"gauss 4.5,cpu,40,30,3,u16,,"*",ok"* ]]
    ok bench --gauss 1 --result f32 --size 40x1 --batch 2 --repeat 1 --csv
    [[ $output == *"gauss 1 to f32 batch 2,cpu,"*",ok"* ]]
    usage "*two filters*" bench --gauss 1 --box 3
    usage "*a sigma in pixels*" bench --gauss 0
    usage "*tables, not for filters*" bench --gauss 1 --accum u32
    usage "*--stat 'mean,': a list of statistics; *" bench --box 3 --stat mean,
    usage "*--stat*: more than a row has room for*" bench --box 3 --stat mean,var,std,rms,count,norm,niblack,wolf
    small a.pgm
    ok bench a.pgm --repeat 1 --csv
    [[ $output == *",4,3,1,u8,u32,"* ]]
    last=$(names backends | tail -1)
    ok bench --size 9 --backend "$last" --repeat 1 --csv
    [ "$(grep -c ",$last," <<<"$output")" = 1 ]
}

@test "a combination that does not exist has no reference: status 1" {
    failure "f32 samples *" bench --size 9 --type f32 --accum u32 --repeat 1 --csv
    failure "*" bench scan --type f32 --accum u32 --max 10
}

@test "an input that cannot be read leaves the output as it was" {
    echo precious >out.csv
    failure "missing.pgm: *" bench missing.pgm --csv -o out.csv
    [ "$(cat out.csv)" = precious ]
    no_leftovers
}

@test "scan: all lengths, rows one pixel high, the reference among them" {
    ok bench scan --min 3 --max 9 --step 3 --repeat 1 --csv
    sound
    for width in 8 64 512; do
        [ "$(grep -c "^scan,[^,]*,$width,1,1,u32,u32,$((8 * width)),.*,ok$" <<<"$output")" -ge 1 ]
    done
    ok bench scan --max 5 --repeat 1 --csv # less than the least by default
    [[ $output == *",32,1,1,u32,u32,256,"* ]]
    ok bench scan --max 10 --repeat 1 --exclusive --type u8 --csv
    sound
    [[ $output == *"scan-exclusive,"*",1024,1,1,u8,u32,5120,"*,ok* ]]
    for type in u8:u32 u16:u32 u32:u32 u64:u64 f32:f32 f64:f64; do
        ok bench scan --max 10 --repeat 1 --type ${type%:*} --csv
        [[ $output == *",1024,1,1,${type%:*},${type#*:},"*,ok* ]]
    done
    ok bench scan --max 10 --repeat 1 --type f32 --accum f64
    [[ $output == *"## Inclusive scan, f32 to f64"*"Throughput at 2^10 elements"* ]]
}

@test "warp and tune say why they cannot run here" {
    command -v nvidia-smi >/dev/null && skip "there is a GPU"
    sat bench warp --csv
    [ "$status" = 1 ]
    [[ $stderr == "sat: "*[a-z]* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    [ -z "$output" ]
    sat bench tune
    [ "$status" = 1 ]
    [[ $stderr == "sat: "*[a-z]* ]]
    [ "${#stderr_lines[@]}" = 1 ]
    [ -z "$output" ]
    if ! "$sat" bench --list --json | grep -q '"device":true'; then # a build without CUDA
        failure "warp-shuffle, warp-*need a GPU and a build with CUDA: \`make\`*" bench warp
        failure "72 shapes of lookback, *; \`make sweep\`*" bench tune
        ok backends
        [[ $output == *$'\n'"With a GPU also: fused, lookback, "*"\`make\`"* ]]
        for list in "bench scan --list" "bench warp --list" "bench tune --list" "bench tables --list" backends; do
            "$sat" $list | grep -E 'need a GPU|With a GPU' >line
            [ "$(wc -l <line)" = 1 ]
            for name in $(sed -E 's/ need .*|\. .*//; s/.*: //; s/,//g' line); do grep -rqF "\"$name\"" "$root/kernels"; done
        done
        ok bench scan --max 8 --repeat 1
        [[ $output == *"- absent: lookback, "*"need a GPU"* ]]
        "$sat" backends --json | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'
    fi
    failure "*none of 72 shapes can be run: *" bench tune --backend "$(of_kind reference)" --min 4 --max 4 --csv
    failure "*none of 12 shapes can be run: *" bench tune --backend "$(of_kind reference)" --min 4 --max 4 --block 64 --csv
}

@test "query: rectangles from a table in host memory, and on a device or not" {
    ok bench queries --size 100x70 --rects 1000 --repeat 1 --csv
    sound
    [[ ${lines[1]} == "query 100x70,host,1000,1,1,u8,u32,168000,"*,ok ]]
    [[ ${lines[2]} == "query 100x70,device,1000,1,1,u8,u32,168000,"* && ${#lines[@]} = 3 ]]
    for size in 1 1x9 9x1 5 3000x2; do
        for layout in padded inclusive; do
            ok bench queries --backend host --size $size --rects 99 --layout $layout --type u16 --accum u64 --repeat 1 --csv
            sound
            [[ ${lines[1]} == *",host,99,1,1,u16,u64,"*,ok && ${#lines[@]} = 2 ]]
        done
    done
    ok bench queries --size 50 --rects 100 --repeat 1
    [[ $output == *"| name | million rectangles a second | billion corners a second |"*"| host | "* ]]
    usage "--rects '0'*" bench queries --rects 0
    usage "--type u16 needs --accum u64" bench queries --type u16
    usage "--type: *" bench queries --type f32
    usage "--accum: *" bench queries --accum f32
    usage "--layout: *" bench queries --layout exclusive
    usage "--rects is no option of \`sat bench\`*" bench --rects 3
}

@test "benches take their own options and no others" {
    usage "--min is no option of \`sat bench\`*" bench --min 3
    usage "--size is no option of \`sat bench scan\`*" bench scan --size 3
    usage "--map is no option of \`sat bench warp\`*" bench warp --map bn
    usage "'a.pgm': nothing but options*" bench scan a.pgm
    usage "--min '-1'*" bench scan --min -1
    usage "--max '41'*" bench scan --max 41
    usage "--step '0'*" bench scan --step 0
    usage "--min is larger than --max*" bench scan --min 9 --max 8
    usage "--block and --items belong together*" bench scan --block 256
    usage "--naive-staging needs*" bench scan --naive-staging
    usage "--block: 32*" bench tune --block 33
    usage "--items: 2*" bench tune --items 3
    usage "--map: bn*" bench tune --map xy
    for bench in scan warp tune; do
        usage "--backend: $(unknown "scan method"); there are *" bench $bench --backend nope
    done
    usage "--backend: no side is called 'nope'; there are host, device*" bench queries --backend nope
    usage "--type u64 is for scans*" bench --type u64
    usage "--plot 'x.gif'*.svg or .png*" bench --plot x.gif
    usage "-o and --plot name the same file*" bench --plot x.svg -o x.svg
}

@test "--order changes where samples lie in memory, and --verbose prints a digest of each output" {
    # digest ARGUMENT... - of the means of 3x3 windows.
    digest() {
        "$sat" bench --size 31x17 --channels 3 --box 3 --backend cpu --repeat 1 --csv -v -o rows "$@" 2>&1 | sed -n 's/^sat: cpu: .*; digest //p'
    }
    packed=$(digest)
    [[ $packed =~ ^[0-9a-f]{16}$ ]]
    for order in flipped bgr; do # windows look alike from both sides
        [ "$(digest --order $order)" = "$packed" ]
        grep -q "^box 3x3 $order,cpu,.*,ok$" rows
    done
    planes=$(digest --order planes) turned=$(digest --order turned)
    [ "$planes" != "$packed" ] && [ "$turned" != "$packed" ] && [ "$planes" != "$turned" ]
    ok bench --size 31x17 --channels 3 --layout padded --order turned --repeat 1 --csv
    sound
    usage "--order 'other': flipped, bgr, planes or turned*" bench --order other
    usage "--order is for tables and for --box, without --stat" bench --gauss 3 --order bgr
}

@test "samples that do not count: --mask and --nodata" {
    local row='.*,ok$'
    ok bench --size 61x47 --box 5 --mask --repeat 1 --csv -o rows
    grep -q "^box 5x5 mean masked,cpu,$row" rows
    ok bench --size 61x47 --channels 3 --type i16 --box 5 --nodata 7 --stat var,count --repeat 1 --csv -o rows
    grep -q "^box 5x5 var+count to f32 nodata,cpu,$row" rows
    ok bench --size 61x47 --type f32 --gauss 1 --mask --nodata 1000 --repeat 1 --csv -o rows
    grep -q "^gauss 1 masked nodata,cpu,$row" rows
    ok bench --size 61x47 --type f32 --gauss 2 --mask --nodata nan --repeat 1 --csv -o rows
    grep -q "^gauss 2 masked nodata,cpu,$row" rows
    for type in u8 f32; do
        ok bench --size 61x47 --type $type --layout padded --batch 2 --mask --nodata 3 --repeat 1 --csv -o rows
        grep -q "^table padded batch 2 masked nodata,cpu,$row" rows
        grep -q "^table padded batch 2 masked nodata,serial,$row" rows
    done
    # digest ARGUMENT... - of the means of 3x3 windows.
    digest() {
        "$sat" bench --size 31x17 --box 3 --backend cpu --repeat 1 --csv -v -o rows "$@" 2>&1 | sed -n 's/^sat: cpu: .*; digest //p'
    }
    plain=$(digest)
    [ "$(digest --mask)" != "$plain" ] && [ "$(digest --nodata 7)" != "$plain" ]
    failure "--nodata 256: no u8 sample can be that" bench --size 9 --nodata 256
    usage "--mask and --nodata do not go with --order and --weighted" bench --mask --order bgr
    usage "--nodata 'x': the value of samples that do not count, or nan" bench --nodata x
    usage "--mask is no option of *" bench scan --mask
}

@test "the help of each bench fits a screen, and its options exist" {
    for bench in $("$sat" bench --help | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'); do
        "$sat" bench "$bench" --help >help
        [ "$(wc -l <help)" -le 40 ]
        awk 'length > 80 { print; wide = 1 } END { exit wide }' help
        for option in $(grep -oE -- '--[a-z][a-z-]+' help | sort -u); do
            run "$sat" bench "$bench" "$option"=1 --no-such-option
            echo "$bench $option: $output"
            [[ $output != *"unknown option $option"* ]]
        done
    done
    "$sat" bench scan --help >help
    for bench in tables scan warp tune queries; do grep -q "^  $bench " <("$sat" bench --help); done
    cmp <("$sat" bench scan -h) help
}

# rows - a file of made-up rows, as one with a GPU would have written it; names that no build knows are a device's.
rows() {
    echo $header
    for n in 1024 16777216; do
        echo "scan,dev-memcpy,$n,1,1,u32,u32,$((8 * n)),2.00,1.00,0.1,$n.00,1.00,1.000,1.00,3.00,100,ok (copy)"
        echo "scan,dev-copy,$n,1,1,u32,u32,$((8 * n)),2.00,2.00,0.1,$n.00,1.00,0.500,1.00,3.00,100,ok (copy)"
        echo "scan,quick,$n,1,1,u32,u32,$((8 * n)),5.00,4.00,0.1,$n.00,1.00,0.250,1.00,3.00,100,ok"
        echo "scan,slow,$n,1,1,u32,u32,$((8 * n)),20.00,16.00,0.1,$n.00,1.00,0.062,1.00,3.00,100,ok"
        echo "scan,theirs,$n,1,1,u32,u32,$((8 * n)),5.00,2.50,0.1,$n.00,1.00,0.400,1.00,3.00,100,ok (peer)"
        echo "scan,broken,$n,1,1,u32,u32,$((8 * n)),,,,,,,,,,\"differs, \"\"badly\"\"\""
        echo "scan,$(of_kind reference),$n,1,1,u32,u32,$((8 * n)),90.00,80.00,0.1,$n.00,40.00,0.500,1.00,3.00,100,ok"
        echo "scan-exclusive,quick,$n,1,1,u32,u32,$((8 * n)),5.00,4.00,0.1,$n.00,1.00,0.250,1.00,3.00,100,ok"
        echo "scan-exclusive,slow,$n,1,1,u32,u32,$((8 * n)),20.00,16.00,0.1,$n.00,1.00,0.062,1.00,3.00,100,ok"
        echo "warp,w,$n,1,1,u32,u32,$((8 * n)),5.00,4.00,0.1,$n.00,1.00,0.250,1.00,3.00,100,ok"
        for b in 32 256; do
            for q in 2 16; do
                echo "tune,quick B=$b Q=$q,$n,1,1,u32,u32,$((8 * n)),5.00,4.00,0.1,$((b * q)).00,1.00,0.250,1.00,3.00,100,ok"
                echo "tune,quick B=$b Q=$q naive,$n,1,1,u32,u32,$((8 * n)),5.00,4.00,0.1,$((b * q / 2)).00,1.00,0.250,1.00,3.00,100,ok"
            done
        done
    done
    echo "table,dev-memcpy,40,30,1,u8,u32,6000,2.00,1.00,0.1,6.00,1.00,1.000,1.00,3.00,100,ok (copy)"
    echo "table,quick,40,30,1,u8,u32,6000,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok"
    echo "box 5x5,quick,40,30,1,u8,,2400,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok"
    echo "query 40x30,quick,1000,1,1,u8,u32,168000,20.00,10.00,0.1,6.00,,,9.00,10.00,100,ok"
}

@test "rows come back from CSV as they were" {
    rows >all.csv
    for bench in tables scan warp tune queries; do
        ok bench $bench --from all.csv --csv -o $bench.csv
    done
    sort tables.csv scan.csv warp.csv tune.csv queries.csv | uniq >have
    sort all.csv | cmp - have
    ok bench --from scan.csv --csv # the rows say which bench it was
    cmp scan.csv <(echo "$output")
    ok bench scan --from scan.csv --from scan.csv --csv # no row twice
    cmp scan.csv <(echo "$output")
    ok bench scan --from - --csv <scan.csv
    cmp scan.csv <(echo "$output")
    ok bench scan --from scan.csv --backend quick --csv
    [ "$(cut -d, -f2 <<<"$output" | sort -u | paste -sd' ')" = "dev-copy dev-memcpy name quick" ]
    ok bench scan --from scan.csv --exclusive --csv
    [ "$(cut -d, -f1 <<<"$output" | sort -u | paste -sd' ')" = "bench scan-exclusive" ]
    ok bench tune --from tune.csv --block 256 --csv
    [[ $output != *B=32* ]]
    [[ $output == *B=256* ]]
}

@test "files of version 0.1 lack three columns" {
    rows | cut -d, -f1-14,18- >old.csv
    rows | awk -F, -v OFS=, 'NR > 1 && $10 != "" { $15 = $16 = $17 = "" } 1' >want.csv
    ok bench scan --from old.csv --csv -o new.csv
    grep -E '^(bench|scan)' want.csv | cmp - new.csv
    ok bench scan --from old.csv --from want.csv --csv # both kinds
    cmp new.csv <(echo "$output")
}

@test "the summaries: shares of the copy kernel, the lab's criterion, the chapter's table, shapes" {
    rows >all.csv
    ok bench scan --from all.csv
    [[ $output == *"Throughput at 2^24 elements, against dev-copy:"* ]]
    [[ $output == *"| quick | 16777216 | 0.50 |"* ]]
    [[ $output == *"| slow | 16777216 | 0.12 |"* ]]
    [[ $output == *"up to 2.5 passes:"*"| quick | 0.004 | 1.00 | pass |"*"| slow | 0.016 | 4.00 | too slow |"* ]]
    [[ $output == *"| 1024 | 0.001000 | 0.004000 | 0.25 | quick | 0.090000 | 0.005000 | 18.00 |"*"| 16777216 | 0.001000 | 0.004000 | "* ]]
    rows | sed 's/,1.00,3.00,100,/,,,,/' >old.csv # without the fastest run: the median
    ok bench scan --from old.csv
    [[ $output == *"| 1024 | 0.080000 | 0.004000 | 20.00 | quick |"* ]]
    ok bench scan --from all.csv --against dev-memcpy
    [[ $output == *"| quick | 16777216 | 0.25 |"* ]]
    {
        echo $header
        for n in 64 128; do
            echo "scan-exclusive,tree B=64 Q=8,$n,1,1,u32,u32,512,5.00,4.00,0.1,1.00,1.00,0.250,1.00,3.00,100,ok"
            echo "scan-exclusive,tree B=64 Q=8 naive,$n,1,1,u32,u32,512,5.00,6.00,0.1,1.00,1.00,0.250,1.00,3.00,100,ok"
        done
    } >naive.csv
    ok bench scan --from naive.csv
    [[ $output == *"Naive staging beside"*"| tree B=64 Q=8 | 64 | 0.004000 | 0.006000 | 1.50 |"*"| tree B=64 Q=8 | 128 | "* ]]
    ok bench tune --from all.csv
    [[ $output == *"| 2^10 | 256 | 16 | 4096 | 0.25 |"*"| 2^24 | 256 | 16 | 4096 | 0.25 |"* ]]
    [[ $output == *"Naive staging, B=256, 2^24 elements:"*"| 2 | 512 | 256 | 0.50 |"*"| 16 | 4096 | 2048 | 0.50 |"* ]]
}

@test "exclusive tables: the lab's criterion, against the fastest and another" {
    {
        echo $header
        for size in 64 128; do
            echo "table exclusive,copy,$size,$size,1,u8,u32,500,2.00,1.00,0.1,1.00,1.00,1.000,1.00,3.00,100,ok (copy)"
            echo "table exclusive,quick,$size,$size,1,u8,u32,500,5.00,2.00,0.1,1.00,1.00,0.500,1.00,3.00,100,ok"
            echo "table exclusive,middle,$size,$size,1,u8,u32,500,5.00,4.00,0.1,1.00,1.00,0.250,1.00,3.00,100,ok"
            echo "table exclusive,slow,$size,$size,1,u8,u32,500,5.00,8.00,0.1,1.00,1.00,0.125,1.00,3.00,100,ok"
        done
    } >all.csv
    ok bench tables --from all.csv
    [[ $output == *"table exclusive, 64x64 u8 to u32; up to 2.5 passes:"*"| slow | 0.008 | 4.00 | too slow |"*"128x128"* ]]
    [ "$(grep -c '^| slow ' <<<"$output")" = 2 ]
    ok bench tables --from all.csv --against middle
    [[ $output == *"| times slower | | than middle | |"*"| slow | 0.008 | 4.00 | too slow | 2.00 | pass |"* ]]
    [[ $output == *"| quick | 0.002 | 1.00 | pass | 0.50 | pass |"* && $output != *"| copy | 0"* ]]
    ok bench --size 9 --layout exclusive --repeat 1
    [[ $output == *"up to 2.5 passes:"* ]]
    usage "--against belongs to --layout exclusive*" bench --against cpu
}

@test "scan: shapes, and a method's own" {
    for shape in 0x3 3 x 3x 3x4:nice 2000x3 3x4x5 owner; do usage "--shape '$shape'*" bench scan --shape $shape; done
    usage "--shape takes the place*" bench scan --shape 3x4 --block 3 --items 4
    reference=$(of_kind reference)
    ok bench scan --max 9 --repeat 1 --csv --shape 32x2:naive --shape own --backend "$reference"
    sound
    [ "$(grep -c "^scan,$reference,512," <<<"$output")" = 1 ] # it has no shape
    usage "--maps are measured*" bench tune --maps --naive-staging
}

@test "files that sat bench did not write" {
    failure "missing.csv: cannot open*" bench --from missing.csv
    for bad in "" "$header" "bench,name" "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o" "$(rows | cut -d, -f1-13)"; do
        echo "$bad" >bad.csv
        failure "bad.csv: *" bench --from bad.csv
    done
    rows | sed 's/,u32,u32,/,u32,u33,/' >bad.csv
    failure "bad.csv: line 2 *" bench --from bad.csv
    rows | sed '3s/,16.00/,x/; 3s/,2.00/,two/' >bad.csv
    failure "bad.csv: line 3 *" bench --from bad.csv
    rows | sed "2s/dev-memcpy/\`touch gotcha\`/" >bad.csv
    failure "bad.csv: line 2 *" bench --from bad.csv --plot x.svg
    [ ! -e gotcha ]
    rows >all.csv
    failure "all.csv: holds no such rows*" bench warp --from all.csv --type u8
    usage "--size is for measuring*" bench --from all.csv --size 3
    usage "all.csv would be written over*" bench --from all.csv --csv -o all.csv
    cp all.csv all.svg
    usage "all.svg would be written over*" bench --from all.svg --plot all.svg
    usage "'b.pgm': nothing but options*" bench --from all.csv b.pgm
}

@test "plots: a figure for each bench, whole or not there" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    rows >all.csv
    for bench in tables scan warp tune queries; do
        ok bench $bench --from all.csv --plot $bench.svg
        [ -z "$output" ]
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $bench.svg
        grep -q "$([ $bench = warp ] && echo '>w<' || echo quick)" $bench.svg
    done
    grep -q 'dev-copy' scan.svg
    ok bench scan --from all.csv --plot scan.png
    [ "$(head -c 4 scan.png | tail -c 3)" = PNG ]
    for map in bn bq qn; do ok bench tune --from all.csv --map $map --plot $map.svg; done
    grep -q 'Q = 16' bn.svg
    grep -q 'B = 256' qn.svg
    run ! cmp -s bn.svg bq.svg
    ok bench tune --from all.csv --map qn --block 32 --plot qn32.svg
    grep -q 'B = 32' qn32.svg
    # rows and figure at once
    ok bench --size 20 --repeat 1 --csv -o now.csv --plot now.svg
    [ -s now.csv ]
    [ -s now.svg ]
    failure "now.svg: exists already" bench --from all.csv --no-clobber --plot now.svg
    failure "no/x.svg: *" bench --from all.csv --plot no/x.svg
    no_leftovers
}

@test "plots: lines over the side of images and of windows, where there are three" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    echo $header >some.csv
    for n in 64 128 256; do
        echo "table,copy,$n,$n,1,u8,u32,5000,2.00,1.00,0.1,6.00,1.00,1.000,1.00,3.00,100,ok (copy)"
        echo "table,quick,$n,$n,1,u8,u32,5000,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok"
        echo "table,theirs,$n,$n,1,u8,u32,5000,,,,,,,,,,padded tables only"
        echo "table padded,quick,$n,$n,1,u8,u32,5000,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok"
        echo "table padded,theirs,$n,$n,1,u8,u32,5000,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok (peer)"
        echo "box ${n}x$n,quick,512,512,1,u8,,5000,2.00,2.00,0.1,6.00,1.00,0.500,1.00,3.00,100,ok"
    done >>some.csv
    ok bench --from some.csv --plot sides.svg
    grep -q 'side of the square image' sides.svg
    [ "$(grep -c '<text>theirs<' sides.svg)" = 1 ]
    [ "$(grep -c '<text>quick<' sides.svg)" = 1 ]
    grep -v '^table' some.csv >boxes.csv
    ok bench --from boxes.csv --plot windows.svg
    grep -q 'side of the window' windows.svg
    grep -v ',256,' some.csv >two.csv # bars, then: a line has three places
    ok bench --from two.csv --plot bars.svg
    run ! grep -q 'side of the square image' bars.svg
    grep -q 'table padded, 64x64 u8 to u32' bars.svg
}

@test "plots need gnuplot, and say what it says" {
    rows >all.csv
    mkdir empty fake
    run --separate-stderr env PATH="$PWD/empty" "$sat" bench --from all.csv --plot x.svg
    [ "$status" = 1 ]
    [[ $stderr == "sat: x.svg: gnuplot is not installed: there is none on PATH" ]]
    printf '#!/bin/sh\necho half a figure\necho "line 7: it is broken" >&2\nexit 3\n' >fake/gnuplot
    chmod +x fake/gnuplot
    PATH=$PWD/fake:$PATH failure "x.svg: gnuplot failed: line 7: it is broken" bench --from all.csv --plot x.svg
    printf '#!/bin/sh\nexit 0\n' >fake/gnuplot
    PATH=$PWD/fake:$PATH failure "x.svg: gnuplot failed" bench --from all.csv --plot x.svg
    [ ! -e x.svg ]
    no_leftovers
}

@test "a row that was asked for by name and cannot run is a failure" {
    small=(--size 64 --repeat 1 --quiet)
    ok bench queries --rects 100 "${small[@]}" # the device may be missing
    if "$sat" bench --list --json | grep -q '"device":true.*"available":true'; then skip "a device is here"; fi
    for row in "queries --rects 100 --backend device" "queries --rects 100 --backend host --backend device"; do
        # shellcheck disable=SC2086 # words
        failure "device: *" bench $row "${small[@]}"
    done
    failure "cpu-copy: there is nothing to measure" bench --backend cpu-copy --box 3 "${small[@]}"
    for name in $("$sat" bench --list --json | grep '"available":false' | sed 's/.*"name":"\([^"]*\)".*/\1/'); do
        failure "$name: *" bench --backend "$name" "${small[@]}"
        failure "$name: *" bench --backend "$name" --backend cpu "${small[@]}"
    done
    failure "*" bench warp --quiet
    failure "*" bench tune --quiet
}
