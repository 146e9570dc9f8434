#!/bin/sh
# verified.sh - one line: what verified.txt says, if it speaks of these sources and all was well (0), else why not (1).
here=$(dirname "$0")
file=$here/verified.txt

no() {
    echo "not verified on a GPU: $*"
    exit 1
}
value() { sed -n "s/^$1: //p" "$file"; }

[ -f "$file" ] || no "there is no ${file#./}; make check-gpu writes it"
now=$("$here/sources.sh")
then=$(grep -E '^[0-9a-f]{64}  ' "$file")
if [ "$now" != "$then" ]; then
    changed=$(printf '%s\n%s\n' "$now" "$then" | LC_ALL=C sort | uniq -u | cut -c67- | LC_ALL=C sort -u | tr '\n' ' ')
    no "since $(value date) these changed: ${changed% }"
fi
case $(value check) in
*", 0 failed, 0 skipped") ;;
*) no "$(value check)" ;;
esac
for tool in memcheck racecheck initcheck synccheck; do
    [ "$(value $tool)" = clean ] || no "$tool: $(value $tool)"
done
echo "verified on $(value device), $(value date): $(value check), sanitizers clean"
