#!/bin/bash
# The tests of the Python package, where it has been built (make check-python).
cd "$(dirname "$0")/../.." || exit 1
exec python/check.sh --built
