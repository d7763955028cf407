# SPDX-License-Identifier: BSD-3-Clause
# Shared by the scripts of this folder: Debian packages, and a separate build.
# Sourced with $top set to the root of the sources.

# Debian's packages: to build, to run, to test the fast tier.
packages_build="gcc libc6-dev make autoconf automake libtool pkg-config \
mpich libmpich-dev libsqlite3-dev libgsl-dev libjansson-dev libpapi-dev \
libhwloc-dev libsimgrid-dev help2man"
packages_run="gnuplot-nox sqlite3"
packages_test="perl python3-minimal procps libxml2-utils slurm-wlm munge iproute2 \
zsh"
# Packages needed only by the full tier.
packages_test_all="openmpi-bin libopenmpi-dev scalapack-mpi-test hpcc papi-tools \
python3-yaml tcl environment-modules dpkg-dev chromium chromium-driver"

# Build and run with Open MPI: sets the packages, and $mpi for configure.
use_openmpi() {
    packages_build="$packages_build openmpi-bin libopenmpi-dev"
    mpi="MPICC=mpicc.openmpi MPIEXEC=mpiexec.openmpi"
    # Otherwise mpiexec refuses to run as root.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

say() { printf '%s\n' "$*" >&2; }

# List the missing programs and the packages that contain them.
missing_programs() {
    while read -r program package; do
        command -v "$program" >/dev/null 2>&1 ||
            printf '%s (Debian: %s)\n' "$program" "$package"
    done <<EOF
gcc gcc
make make
autoreconf autoconf
automake automake
libtoolize libtool
pkg-config pkg-config
EOF
    command -v mpicc.mpich >/dev/null 2>&1 ||
        command -v mpicc >/dev/null 2>&1 ||
        printf 'mpicc (Debian: mpich libmpich-dev)\n'
    for module in sqlite3:libsqlite3-dev gsl:libgsl-dev \
                  jansson:libjansson-dev; do
        pkg-config --exists "${module%%:*}" 2>/dev/null ||
            printf '%s (Debian: %s)\n' "${module%%:*}" "${module#*:}"
    done
}

# Install missing packages, if possible.
install_packages() { # packages...
    wanted=
    if [ "${install:-yes}" = no ]; then
        :
    elif ! command -v dpkg-query >/dev/null 2>&1; then
        say "not Debian: install the equivalents of: $*"
    else
        for package; do
            case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
                'install ok installed') ;;
                *) wanted="$wanted $package" ;;
            esac
        done
        if [ -z "$wanted" ]; then
            :
        elif [ "$(id -u)" != 0 ]; then
            say "not root: install these first for everything to work:$wanted"
        else
            say "installing:$wanted"
            DEBIAN_FRONTEND=noninteractive
            export DEBIAN_FRONTEND
            { apt-get update -qq &&
                  # shellcheck disable=SC2086
                  apt-get install -y -qq --no-install-recommends $wanted; } \
                >"$log" 2>&1 </dev/null || {
                say "apt-get failed; continuing without it. Its last lines:"
                tail -n 5 "$log" >&2
            }
        fi
    fi
    lacking=$(missing_programs)
    if [ -n "$lacking" ]; then
        say "cannot build, missing:"
        say "$lacking"
        exit 3
    fi
}

# Bootstrap, configure and make in $build; print the log only on failure.
build_in() { # directory, configure arguments...
    directory=$1
    shift
    build_only "$directory" all "$@"
}

# The same for some targets only, and generated files that they include.
build_only() { # directory, "target...", configure arguments...
    build=$1
    targets=$2
    shift 2
    mkdir -p "$build" || exit 3
    say "building in $build; the log is $log"
    # set -e has no effect inside a condition, hence the &&.
    # shellcheck disable=SC2086
    if ! (
        { [ -x "$top/configure" ] &&
              [ "$top/configure" -nt "$top/configure.ac" ] ||
              (cd "$top" && ./autogen.sh); } &&
            cd "$build" &&
            { [ -f config.status ] || "$top/configure" "$@"; } &&
            make -j"$(getconf _NPROCESSORS_ONLN)" generated &&
            make -j"$(getconf _NPROCESSORS_ONLN)" $targets
    ) >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        say "the build failed; the whole log is $log"
        exit 3
    fi
}
