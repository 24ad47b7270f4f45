#!/bin/sh
# Make .venv with a Python that the locks support, or say in one sentence what to install.
set -eu

supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
complete='import venv, ensurepip'

if .venv/bin/python -c "$supported; import pip" 2>/dev/null; then
    exit 0
fi

# A name on the PATH may be a stand-in for a version that is not installed, so each is run.
python=
incomplete=
for candidate in ${PYTHON:-python3.14 python3.13 python3.12 python3.11 python3 python}; do
    "$candidate" -c "$supported" 2>/dev/null || continue
    if "$candidate" -c "$complete" 2>/dev/null; then
        python=$candidate
        break
    fi
    incomplete=${incomplete:-$candidate}
done

if [ -z "$python" ] && [ -n "$incomplete" ]; then
    # Debian and Ubuntu keep a part of venv in a package of its own.
    package=$("$incomplete" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package"
        python=$incomplete
    else
        echo "$incomplete cannot make a virtual environment: install the package $package" \
            "(sudo apt-get install $package) and run make again." >&2
        exit 1
    fi
fi

if [ -z "$python" ]; then
    echo "Margin needs Python 3.11 to 3.14 and found none of" \
        "${PYTHON:-python3.14, python3.13, python3.12, python3.11, python3, python}:" \
        "install one or name it (make PYTHON=/path/to/python3)." >&2
    exit 1
fi

echo "Making .venv with $("$python" --version)"
"$python" -m venv --clear .venv
