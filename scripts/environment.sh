#!/bin/sh
# environment.sh VENV LOCK...: makes or renews the virtual environment from hashed lock files.
# A stamp per lock file inside VENV tells what is installed, so that a second call takes no time.
set -eu

venv=$1
shift
python=${PYTHON:-python3}
py=$venv/bin/python

fail() {
    echo "$1" >&2
    exit 1
}

make_venv() {
    command -v "$python" >/dev/null 2>&1 ||
        fail "$python was not found. Install Python 3.11 or newer, or name it: make env PYTHON=/path/to/python3."
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$("$python" --version) is too old: Journalscope needs Python 3.11 or newer. Name one: make env PYTHON=python3.11."
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "$python has no venv module. On Debian and Ubuntu install it with: apt-get install python3-venv."
    free_kb=$(df -Pk . | awk 'NR == 2 {print $4}')
    [ "$free_kb" -gt 2500000 ] ||
        fail "Only $((free_kb / 1024)) MB are free here; the environment takes about 2.5 GB. Make room and run make env again."
    echo "Making the environment in $venv (some minutes, once)."
    rm -rf "$venv"
    "$python" -m venv "$venv" || fail "The environment could not be made in $venv; the lines above say why."
}

install_lock() {
    lock=$1
    stamp=$venv/.installed-$(basename "$lock")
    cmp -s "$lock" "$stamp" && return 0
    "$py" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" || fail \
        "$lock could not be installed; the lines above say why. A full disk, no network, or a missing C compiler \
(apt-get install build-essential python3-dev) are the usual causes. Then run make env again."
    cp "$lock" "$stamp"
    remove_unlocked
    rm -f "$venv/.warm"
}

# What has left the lock files leaves the environment too.
remove_unlocked() {
    kept=$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' requirements.lock requirements-dev.lock | tr 'A-Z_.' 'a-z--')
    for name in $("$py" -m pip list --disable-pip-version-check --format=freeze | sed 's/==.*//'); do
        case "$(echo "$name" | tr 'A-Z_.' 'a-z--')" in
        pip | setuptools | wheel) ;;
        *) echo "$kept" | grep -qx "$(echo "$name" | tr 'A-Z_.' 'a-z--')" ||
            "$py" -m pip uninstall --quiet --yes "$name" ;;
        esac
    done
}

# A moved folder or a removed Python leaves an environment that cannot start.
"$py" -c 'import pip' 2>/dev/null || make_venv
for lock in "$@"; do
    install_lock "$lock"
done
# Every command and every Spark worker imports hundreds of our modules; where Python may not keep bytecode, we do.
"$py" -m compileall -q spark webapp workers manage.py || echo "Not all modules could be compiled; they start more slowly." >&2
if [ ! -e "$venv/.warm" ]; then
    "$py" -m spark.entry.compile_ahead || echo "The decoders could not be compiled ahead; the first inspection compiles them." >&2
    "$py" -m spark.entry.class_archive
    touch "$venv/.warm"
fi
