# packages.sh: sourced by examples/quickstart.sh and tests/run.sh: says which Debian packages are missing, and installs those.
# packages_need NAME CHECK: NAME is missing unless the command CHECK succeeds. packages_install: asks apt for all that are.
packages_missing=

packages_need() {
    eval "$2" >/dev/null 2>&1 || packages_missing="$packages_missing $1"
}

# What building llmc takes.
packages_need_build() {
    packages_need g++ 'command -v g++ && command -v gcc'
    packages_need cmake 'command -v cmake'
    packages_need make 'command -v make'
    packages_need pkg-config 'command -v pkg-config'
    packages_need libcjson-dev 'pkg-config --exists libcjson'
    packages_need liblua5.4-dev 'pkg-config --exists lua5.4 || pkg-config --exists lua-5.4 || pkg-config --exists lua54'
    packages_need libutf8proc-dev 'pkg-config --exists libutf8proc'
}

packages_install() {
    [ -n "$packages_missing" ] || return 0
    echo "== packages to install:$packages_missing (up to 300 MB with what they need)" >&2
    command -v apt-get >/dev/null || { echo "no apt-get here: install these by your system's names, then run this again" >&2; return 4; }
    root=
    [ "$(id -u)" = 0 ] || root=sudo
    if [ -n "$root" ] && ! command -v sudo >/dev/null; then
        echo "not root and no sudo: apt-get install$packages_missing" >&2
        return 4
    fi
    $root apt-get update -qq &&
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages_missing >/dev/null
}
