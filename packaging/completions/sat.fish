# Completion of sat for fish.

# The words of one list of `sat --help`, which says what the tables hold: borders, stats, formats, backends.
function __sat_names
    sat --help 2>/dev/null | awk -v list="$argv[1]:" '/^[^ ]/ { on = $1 == list; $1 = on ? "" : $1 } on' |
        sed 's/:[^ ]*//g' | string split -n ' '
end

# Is the command line one of these commands, "filter" being the one without a name?
function __sat_is
    set -l words (commandline -opc)
    set -l command filter
    contains -- "$words[2]" query info backends bench help; and set command $words[2]
    contains -- $command $argv
end

complete -c sat -n 'test (count (commandline -opc)) = 1' -a 'query info backends bench help'
complete -c sat -n '__sat_is help' -x -a 'query info backends bench'

complete -c sat -n '__sat_is filter' -l box -x -d 'Side of the window in pixels, N or WxH'
complete -c sat -n '__sat_is filter' -l radius -x -d 'The window is 2R+1'
complete -c sat -n '__sat_is filter' -l linear -d 'Filter light, not sRGB samples'
complete -c sat -n '__sat_is filter' -l gauss -x -d 'Gaussian blur of standard deviation S in pixels'
complete -c sat -n '__sat_is filter' -l unsharp -x -d 'Sharpen by a blur and an amount, S,A'
complete -c sat -n '__sat_is filter' -l dog -x -d 'Difference of two blurs, A,B'
complete -c sat -n '__sat_is filter' -l border -x -a '(__sat_names borders)' -d 'What lies beyond the edge'
complete -c sat -n '__sat_is filter' -l passes -x -d 'Repeat'
complete -c sat -n '__sat_is filter' -l alpha -x -a 'weighted straight' -d 'How colours are averaged'
complete -c sat -n '__sat_is filter' -l result -x -a 'same f32 f64' -d 'Type of the blurred image'
complete -c sat -n '__sat_is filter' -l threshold -x -a '(__sat_names stats)' -d '255 where a pixel is above that'
complete -c sat -n '__sat_is filter' -l mask -r -d 'Pixels that are not 0 there count'
complete -c sat -n '__sat_is filter' -l nodata -x -d 'Pixels of that value do not count'
complete -c sat -n '__sat_is filter' -l min-valid -x -d 'Pixels of a window that must count'
complete -c sat -n '__sat_is filter' -l mean -x -d 'Print the mean of a rectangle X,Y,W,H'
complete -c sat -n '__sat_is filter' -l format -x -a '(__sat_names formats)' -d 'Of the output'
complete -c sat -n '__sat_is filter' -l quality -x -d 'Of JPEG, 1 to 100'
complete -c sat -n '__sat_is filter' -l type -x -a 'u32 u64 i32 i64 f32 f64 q32' -d 'Of a table'
complete -c sat -n '__sat_is filter' -l largest -x -d 'Largest rectangle that a q32 table is asked, N or WxH'
complete -c sat -n '__sat_is filter' -l moments -x -a '1 1,2' -d 'Sums, or sums and squares'
complete -c sat -n '__sat_is filter query' -l files-from -r -d 'More inputs'
complete -c sat -n '__sat_is filter query' -s 0 -l null -d 'Names end in zero bytes'

complete -c sat -n '__sat_is filter query' -l rect -x -d 'Rectangle X,Y,W,H'
complete -c sat -n '__sat_is filter query' -l rects -r -d 'CSV, JSON lines or npy file of rectangles'
complete -c sat -n '__sat_is filter query' -l as -x -a 'image table' -d 'What an npy of f32 of other software is'
complete -c sat -n '__sat_is filter query' -l stat -x -a '(__sat_names stats)' -d 'Columns, or statistics of windows'
complete -c sat -n '__sat_is filter query' -l ddof -x -d 'Variances are divided by the pixels that count less N'
complete -c sat -n '__sat_is filter query' -l clip -d 'Cut rectangles to the image'
complete -c sat -n '__sat_is query' -l grid -x -d 'Cells of that size, N or WxH'
complete -c sat -n '__sat_is query' -l verify -d 'Compare the checksum of a table'
complete -c sat -n '__sat_is query' -l sample -x -a 'u8 u16 u32 i8 i16 i32 f32 f64' -d 'What a table without trailer is the sum of'

complete -c sat -n '__sat_is bench' -l size -x -d 'Of the random image, N or WxH'
complete -c sat -n '__sat_is bench' -l type -x -a 'u8 u16 u32 i8 i16 i32 f32 f64' -d 'Of its samples'
complete -c sat -n '__sat_is bench' -l channels -x -a '1 2 3 4' -d 'Of the image'
complete -c sat -n '__sat_is bench' -l accum -x -a 'u32 u64 i32 i64 f32 f64' -d 'Of the table'
complete -c sat -n '__sat_is bench' -l box -x -d 'Time the box filter'
complete -c sat -n '__sat_is bench' -l stat -x -a 'mean var std mean,var' -d 'Statistics of these windows'
complete -c sat -n '__sat_is bench' -l result -x -a 'f32 f64' -d 'Type of its results'
complete -c sat -n '__sat_is bench' -l gauss -x -d 'Time the Gaussian filter'
complete -c sat -n '__sat_is bench' -l weighted -d 'Means weighted by the last channel, alpha'
complete -c sat -n '__sat_is bench' -l squares -d 'Tables of the squares of samples'
complete -c sat -n '__sat_is bench' -l batch -x -d 'Images in one call'
complete -c sat -n '__sat_is bench' -l against -x -d 'A row to compare exclusive tables with'
complete -c sat -n '__sat_is bench' -l repeat -x -d 'Samples of each time'
complete -c sat -n '__sat_is bench' -l md -d 'Markdown'
complete -c sat -n '__sat_is bench' -l csv -d 'CSV'
complete -c sat -n '__sat_is bench' -l from -r -d 'Rows that --csv wrote'
complete -c sat -n '__sat_is bench' -l plot -r -d 'A figure, .svg or .png'

# The benches that `sat bench --help` names, and the options in the help of the one that was chosen.
function __sat_benches
    sat bench --help 2>/dev/null | sed -n '/^Benches/,$s/^  \([a-z]*\) .*/\1/p'
end
function __sat_bench_options
    set -l words (commandline -opc)
    contains -- "$words[3]" (__sat_benches); and sat bench $words[3] --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u
end
complete -c sat -n '__sat_is bench; and test (count (commandline -opc)) = 2' -a '(__sat_benches)'
complete -c sat -n '__sat_is bench' -a '(__sat_bench_options)'

complete -c sat -n '__sat_is filter query info backends bench' -l json -d 'An object in each line; bench: a document'
complete -c sat -n '__sat_is bench' -l list -d 'What is compared'
complete -c sat -n '__sat_is filter query bench' -s o -l output -r -d 'Output'
complete -c sat -n '__sat_is filter query bench' -l no-clobber -d 'Keep an output that exists'
complete -c sat -n '__sat_is filter query bench' -l layout -x -a 'padded inclusive exclusive' -d 'Of a table'
complete -c sat -n '__sat_is filter query' -l gray -d 'Take the luma of colours'
complete -c sat -n '__sat_is filter query' -l channel -x -a '1 2 3 4 r g b a' -d 'Take one channel'
complete -c sat -n '__sat_is filter query info' -l no-orient -d 'Leave EXIF orientation'
complete -c sat -n '__sat_is filter query info' -l max-pixels -x -d 'Refuse larger images'
complete -c sat -n '__sat_is filter query info' -l max-memory -x -d 'Refuse what needs more bytes'
complete -c sat -n '__sat_is filter query bench' -l backend -x -a '(__sat_names backends)' -d 'What computes'
complete -c sat -n '__sat_is filter query bench' -l threads -x -d 'At most'
complete -c sat -n '__sat_is filter query bench' -s q -l quiet -d 'No progress, no summary'
complete -c sat -n '__sat_is filter query bench' -s v -l verbose -d 'Say what is done'
complete -c sat -s h -l help -d 'Help'
complete -c sat -s V -l version -d 'Version'
