# Inputs that change while they are read.

load helpers

# query_during COMMAND... - starts a query of t.npy, runs the command once the table is open, and only then gives the rectangle.
query_during() {
    mkfifo rects
    timeout --foreground 60 "$sat" query t.npy -v --rects - <rects >out 2>err &
    local pid=$!
    exec 7>rects
    until grep -q "table of" err || ! kill -0 $pid; do sleep 0.01; done
    "$@"
    echo 599,399,1,1 >&7
    exec 7>&-
    wait $pid
}

@test "a table that changes during a query: a wrong answer" {
    grey 600 400 a.pgm
    ok a.pgm -o t.npy
    ok query t.npy --rect 599,399,1,1
    right=$output
    query_during dd if=/dev/zero of=t.npy bs=4096 seek=100 count=400 conv=notrunc status=none
    [ "$(head -1 out)" = "x,y,w,h,mean,sum" ]
    [ "$(cat out)" != "$right" ]
}

@test "a table that is cut during a query: a line, and status 1" {
    grey 600 400 a.pgm
    ok a.pgm -o t.npy
    run query_during truncate -s 5000 t.npy
    cat err
    [ "$status" = 1 ]
    [ "$(tail -1 err)" = "sat: t.npy: became shorter while it was read" ]
}

