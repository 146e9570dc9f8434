# What a file says beside its pixels is in the file that is written, where its format has a place for it.

load helpers

holds() { # FILE WORDS... - the file holds each of them
    local word
    for word in "${@:2}"; do grep -aqF "$word" "$1" || { echo "$1: no $word"; return 1; }; done
}
lacks() {
    local word
    for word in "${@:2}"; do if grep -aqF "$word" "$1"; then echo "$1: $word"; return 1; fi; done
}

@test "EXIF and XMP go from PNG, JPEG and TIFF to each, comments and text stay" {
    ok "$root/tests/data/codecs/meta.jpg" --no-orient --box 1 -o meta.tif
    for from in "$root/tests/data/codecs/meta.jpg" "$root/tests/data/codecs/meta.png" meta.tif; do
        for to in jpg png tif; do
            ok "$from" --box 3 -o "out.$to"
            holds "out.$to" maker adobe:ns:meta
            ok info "out.$to"
            [[ $output == *"size        6 x 8 px"* ]] # upright: turned once
        done
    done
    ok "$root/tests/data/codecs/meta.jpg" --box 3 -o out.jpg
    holds out.jpg "a comment"
    ok "$root/tests/data/codecs/meta.png" --box 3 -o out.png
    holds out.png "a picture" zTXtComment Autor
    ok out.png --box 1 -o again.png
    cmp out.png again.png
}

@test "what the samples of a PNG mean is carried to a PNG" {
    ok "$root/tests/data/codecs/meta.png" --box 3 -o out.png
    holds out.png cICP gAMA cHRM sRGB
    lacks out.png tIME
    ok "$root/tests/data/codecs/suggested.png" --box 3 -o out.png
    lacks out.png PLTE sPLT
}

@test "the resolution is carried: EXIF's, where there is no other, and BMP's" {
    ok "$root/tests/data/codecs/meta.jpg" --no-orient --box 3 -o out.bmp
    ok info out.bmp
    [[ $output == *"resolution  254 x 127 px per inch"* ]]
    ok out.bmp --box 3 -o out.png
    ok info out.png
    [[ $output == *"resolution  254 x 127 px per inch"* ]]
}

@test "an HDR keeps its exposure and its primaries" {
    printf '#?RADIANCE\nEXPOSURE=2\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=3\nPRIMARIES=1 0 0 1 0 0 .3 .3\nVIEW=x\n\n-Y 1 +X 1\nabcd' >in.hdr
    ok in.hdr --box 1 -o out.hdr
    [ "$(grep -a = out.hdr | sort)" = "$(grep -a = in.hdr | grep -v VIEW | sort)" ]
}

@test "the tags of GeoTIFF go from TIFF to TIFF" {
    ok "$root/tests/data/codecs/geo.tif" --box 3 -o out.tif
    holds out.tif "WGS 84|" 9999
    ok info --json out.tif
    [[ $output == *'"format":"tiff"'*'"geotiff_bytes":'[1-9]* ]]
    ok "$root/tests/data/codecs/geo.tif" --box 3 -o out.pfm
    lacks out.pfm "WGS 84|"
}

@test "info says what metadata is carried, and what the orientation does" {
    meta=$root/tests/data/codecs/meta
    ok info "$meta.jpg"
    [[ $output == *"size        6 x 8 px"* ]]
    [[ $output == *$'\n  metadata    EXIF '[1-9]*' bytes, XMP '[1-9]*' bytes, comments '[1-9]*$' bytes\n'* ]]
    [[ $output == *$'\n  orientation 6: turned clockwise by 90 degrees' ]]
    ok info --no-orient "$meta.jpg"
    [[ $output == *"size        8 x 6 px"*$'\n  orientation 6: to be turned clockwise by 90 degrees' ]]
    ok info "$meta.png"
    [[ $output == *$'\n  metadata    EXIF '[1-9]*' bytes, XMP '[1-9]*' bytes, colour chunks '[1-9]*' bytes, text '[1-9]*$' bytes\n'* ]]
    ok info --json "$meta.png" "$meta.jpg"
    [[ ${lines[0]} == *',"exif_bytes":'[1-9]*',"xmp_bytes":'[1-9]*',"colour_bytes":'[1-9]*',"text_bytes":'[1-9]*',"comment_bytes":0,"header_bytes":0,"geotiff_bytes":0,"gdal_bytes":0,"orientation":6'* ]]
    [[ ${lines[1]} == *',"colour_bytes":0,"text_bytes":0,"comment_bytes":'[1-9]*',"header_bytes":0,"geotiff_bytes":0,"gdal_bytes":0,"orientation":6'* ]]
    n=0
    while read -r words; do
        n=$((n + 1))
        ok "$root/tests/data/codecs/orient$n.png" --no-orient --box 1 -o "orient$n.tif"
        for file in "$root/tests/data/codecs/orient$n."{png,jpg} "orient$n.tif"; do
            ok info "$file"
            [ $n = 1 ] || [[ $output == *$'\n  orientation '"$n: $words" ]]
            [ $n != 1 ] || [[ $output != *orientation* ]]
            ok info --json "$file"
            [[ $output == *',"width":48,"height":32,'*'"orientation":'$n',"upright":true}' ]]
            size='"width":48,"height":32' upright=true
            [ $n = 1 ] || upright=false
            [ $n -lt 5 ] || size='"width":32,"height":48'
            ok info --json --no-orient "$file"
            [[ $output == *",$size,"*'"orientation":'$n',"upright":'$upright'}' ]]
        done
    done <<'WORDS'
upright
mirrored left to right
turned by 180 degrees
mirrored top to bottom
mirrored at the diagonal from the top left
turned clockwise by 90 degrees
mirrored at the diagonal from the top right
turned anticlockwise by 90 degrees
WORDS
    ok info "$root/tests/data/codecs/geo.tif"
    [[ $output == *$'\n  no data     -9999' && $output != *orientation* ]]
    ok info --json "$root/tests/data/codecs/geo.tif"
    [[ $output == *'"upright":true'*',"nodata":"-9999"}' ]]
    small a.pgm
    ok info a.pgm
    [[ $output != *metadata* && $output != *orientation* ]]
    ok info --json a.pgm
    [[ $output == *'"icc_bytes":0,"exif_bytes":0,'*'"orientation":1,"upright":true}' ]]
}

@test "a BMP or TGA whose alpha is 0 everywhere is opaque, and a line says so" {
    said="its alpha is 0 in every pixel, and is taken for opaque"
    printf '\0\0\2\0\0\0\0\0\0\0\0\0\2\0\1\0\040\050\3\2\1\0\6\5\4\0' >in.tga
    { printf 'BM\0\0\0\0\0\0\0\0\106\0\0\0\070\0\0\0\2\0\0\0\1\0\0\0\1\0\040\0\3\0\0\0' &&
        printf '\0%.0s' {1..20} && printf '\0\0\377\0\0\377\0\0\377\0\0\0\0\0\0\377\3\2\1\0\6\5\4\0'; } >in.bmp
    for in in in.tga in.bmp; do
        noted "$in: $said" "$in" --box 1 -o out.pam
        [ "$(pixels out.pam 8)" = "1 2 3 255 4 5 6 255" ]
        noted "$in: $said" "$in" -o out.npy
        noted "$in: $said" "$in" --mean 0,0,2,1
        ok info "$in"
        [[ $output == *$'\n  channels    4 (RGBA)\n'*$'\n  note        '"$said" ]]
        ok info --json "$in"
        [[ $output == *",\"note\":\"$said\"}" ]]
    done
    ok out.pam --box 1 -o out.tga
    ok out.tga --box 1 -o out.bmp
}

@test "a JPEG without its end marker: read with a line if all pixels are there, refused by --strict" {
    "$sat" info "$root/tests/data/codecs/rgb420.jpg"
    head -c -2 "$root/tests/data/codecs/rgb420.jpg" >cut.jpg
    sat cut.jpg --box 3 -o out.png
    if [ "$status" = 0 ]; then # stb_image cannot tell
        [ "$stderr" = "sat: cut.jpg: the JPEG has no end marker; all pixels are there (--strict refuses it)" ]
        ok "$root/tests/data/codecs/rgb420.jpg" --box 3 -o want.png
        cmp out.png want.png
        ok -q cut.jpg --box 3 -o out.png
        ok info cut.jpg
        [[ $output == *"note        the JPEG has no end marker"* ]]
        sat - --box 3 -o out.png <cut.jpg
        [[ $status = 0 && $stderr == "sat: standard input: the JPEG has no end marker"* ]]
        cmp out.png want.png
    fi
    for how in "--box 3 -o out.png" "--mean 0,0,3,3"; do
        # shellcheck disable=SC2086 # words
        failure "cut.jpg: truncated: the JPEG has no end marker" --strict cut.jpg $how
    done
    failure "cut.jpg: truncated: the JPEG has no end marker" query --strict cut.jpg --rect 0,0,3,3
    failure "cut.jpg: truncated: the JPEG has no end marker" info --strict cut.jpg
    head -c -60 cut.jpg >less.jpg
    sat less.jpg --box 3 -o no.png
    [[ $status = 1 && $stderr == "sat: less.jpg: truncated: "* && ! -e no.png ]]
}
