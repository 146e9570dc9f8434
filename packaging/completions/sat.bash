# Completion of sat for bash.

# The words of one list of `sat --help`, which says what the tables hold: borders, stats, formats, backends.
_sat_names() {
    sat --help 2>/dev/null | awk -v list="$1:" '/^[^ ]/ { on = $1 == list; $1 = on ? "" : $1 } on' | sed 's/:[^ ]*//g'
}

# The benches that `sat bench --help` names, and the options in the help of one.
_sat_benches() {
    sat bench --help 2>/dev/null | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'
}
_sat_bench_options() {
    sat bench "$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u
}

_sat() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options words=
    COMPREPLY=()
    case $command in
    query) options='--rect --rects --grid --as --stat --ddof --clip --json --output --no-clobber --files-from --null --layout --sample --verify --gray
        --channel --no-orient
        --max-pixels --max-memory --backend --threads --quiet --verbose --help --version' ;;
    info) options='--json --no-orient --max-pixels --max-memory --help --version' ;;
    backends) options='--json --help --version' ;;
    bench) options='--size --type --channels --accum --layout --box --gauss --stat --result --squares --weighted --batch --against --backend --repeat --md --csv --json --list --from
        --plot --output --no-clobber --threads --quiet --verbose --help --version' ;;
    *) options='--box --radius --gauss --unsharp --dog --border --passes --alpha --result --linear --mean --rect --rects --as --stat --ddof --clip
        --json --output --format --quality --threshold --mask --nodata --min-valid --gray --channel --moments
        --layout --type --largest --files-from --null --max-pixels --max-memory --no-orient --no-clobber --backend --threads --quiet --verbose
        --help --version' ;;
    esac
    [ "$command" = bench ] && [ "$COMP_CWORD" -gt 2 ] && _sat_benches | grep -qx -- "${COMP_WORDS[2]}" &&
        options=$(_sat_bench_options "${COMP_WORDS[2]}")
    case $previous in
    --border) words=$(_sat_names borders) ;;
    --format) words=$(_sat_names formats) ;;
    --backend) words=$(_sat_names backends) ;;
    --alpha) words='weighted straight' ;;
    --result) words='same f32 f64' ;;
    --layout) words='padded inclusive exclusive' ;;
    --channel) words='1 2 3 4 r g b a' ;;
    --as) words='image table' ;;
    --stat | --threshold) words=$(_sat_names stats) ;;
    --moments) words='1 1,2' ;;
    --sample) words='u8 u16 u32 i8 i16 i32 f32 f64' ;;
    --accum) words='u32 u64 i32 i64 f32 f64' ;;
    --map) words='bn bq qn' ;;
    --type) [ "$command" = bench ] && words='u8 u16 u32 i8 i16 i32 f32 f64' || words='u32 u64 i32 i64 f32 f64 q32' ;;
    --box | --radius | --gauss | --unsharp | --dog | --passes | --mean | --quality | --largest | --nodata | --min-valid | --ddof | --grid | --max-pixels | \
        --max-memory | --threads | --rect | --size | \
        --channels | --repeat | --min | --max | --step | --block | --items) return ;;
    *)
        if [[ $current == -* ]]; then
            words=$options
        elif [ "$COMP_CWORD" = 1 ]; then
            words='query info backends bench help'
        elif [ "$command" = help ]; then
            words='query info backends bench'
        elif [ "$command" = bench ] && [ "$COMP_CWORD" = 2 ]; then
            words=$(_sat_benches)
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o bashdefault -o default -F _sat sat
