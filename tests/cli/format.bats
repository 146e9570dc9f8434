# The table file is what docs/format.md says, read by the Python program that the document prints.

setup() {
    cd "${SAT_TEST_ROOT:-$BATS_TEST_DIRNAME/../..}" || return 1
    sat=${SAT:-$PWD/build/sat}
    python=${PYTHON:-python3}
    tmp=$BATS_TEST_TMPDIR
    printf 'P5 4 3 255\n\1\2\3\4\5\6\7\10\11\1\2\3' >"$tmp/image.pgm"
    printf 'P6 2 2 65535\nabcdefghijklmnopqrstuvwx' >"$tmp/rgb.ppm"
    if ! "$python" -c 'import numpy' 2>/dev/null; then skip "no python3 with numpy"; fi
    # The program is the last of the document's Python blocks.
    awk '/^```python/ { text = ""; on = 1; next } /^```/ { on = 0 } on { text = text $0 "\n" } END { printf "%s", text }' \
        docs/format.md >"$tmp/trailer.py"
    grep -q SATTABLE "$tmp/trailer.py"
}

@test "a table of each layout, type and channel count is as documented" {
    for layout in padded inclusive exclusive; do
        for type in i64 u64 u32 f64; do
            "$sat" "$tmp/image.pgm" --layout $layout --type $type -o "$tmp/t.npy"
            run "$python" "$tmp/trailer.py" "$tmp/t.npy"
            echo "$output"
            [ "$status" = 0 ]
            [[ ${lines[-1]} == "4x3x1 u8, $layout sum in $type, by sat "* ]]
            "$sat" "$tmp/rgb.ppm" --layout $layout --type $type -o "$tmp/t.npy"
            run "$python" "$tmp/trailer.py" "$tmp/t.npy"
            [ "$status" = 0 ]
            [[ ${lines[-1]} == "2x2x3 u16, $layout sum in $type, by sat "* ]]
        done
    done
}

@test "the document's example is what sat writes" {
    "$sat" "$tmp/image.pgm" -o "$tmp/t.npy"
    # All but the lines that name the writer and check the trailer, which follow the version.
    od -A x -t x1z "$tmp/t.npy" | sed '/^00112/,$d' >"$tmp/dump"
    [ "$(wc -l <"$tmp/dump")" -gt 20 ]
    sed -n '/^000000 93/,/^001110/p' docs/format.md | diff - "$tmp/dump"
}

@test "a trailer that lies is refused by the document's program too" {
    "$sat" "$tmp/image.pgm" -o "$tmp/t.npy"
    printf '\007' | dd of="$tmp/t.npy" bs=1 seek=$((4096 + 160 + 16)) conv=notrunc status=none
    run "$python" "$tmp/trailer.py" "$tmp/t.npy"
    [ "$status" != 0 ]
    run "$sat" info "$tmp/t.npy"
    [ "$status" = 1 ]
}
