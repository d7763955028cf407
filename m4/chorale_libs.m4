# Checks for libraries; each error names the package to install.
AC_DEFUN([CHORALE_SQLITE], [
  PKG_CHECK_MODULES([SQLITE], [sqlite3 >= 3.35], [],
    [AC_MSG_ERROR([SQLite 3.35 or newer is missing: install libsqlite3-dev (Fedora: sqlite-devel)])])
  # db/lock_file.c starts a thread. Libraries for applications need libc alone.
  chorale_libs=$LIBS
  LIBS=
  AC_SEARCH_LIBS([pthread_create], [pthread])
  SQLITE_LIBS="$SQLITE_LIBS $LIBS"
  LIBS=$chorale_libs
])

AC_DEFUN([CHORALE_GSL], [
  PKG_CHECK_MODULES([GSL], [gsl >= 2.0], [],
    [AC_MSG_ERROR([the GNU Scientific Library is missing: install libgsl-dev (Fedora: gsl-devel)])])
])

AC_DEFUN([CHORALE_JANSSON], [
  PKG_CHECK_MODULES([JANSSON], [jansson >= 2.7], [],
    [AC_MSG_ERROR([Jansson is missing: install libjansson-dev (Fedora: jansson-devel)])])
])

# PAPI with its software-defined events (libsde) is optional.
AC_DEFUN([CHORALE_PAPI], [
  AC_ARG_WITH([papi],
    [AS_HELP_STRING([--without-papi], [build without counters])],
    [], [with_papi=check])
  chorale_papi=no
  PAPI_CFLAGS= PAPI_LIBS=
  AS_IF([test "x$with_papi" != xno], [
    AC_CHECK_HEADERS([papi.h sde_lib.h])
    AC_CHECK_LIB([papi], [PAPI_library_init], [chorale_have_papi=yes],
      [chorale_have_papi=no])
    AC_CHECK_LIB([sde], [papi_sde_init], [chorale_have_sde=yes],
      [chorale_have_sde=no])
    AS_IF([test "$ac_cv_header_papi_h$ac_cv_header_sde_lib_h$chorale_have_papi$chorale_have_sde" = yesyesyesyes],
      [chorale_papi=yes
       PAPI_LIBS="-lpapi -lsde"
       AC_DEFINE([HAVE_PAPI], [1], [PAPI and its software-defined events])],
      [AS_IF([test "x$with_papi" != xcheck],
         [AC_MSG_ERROR([PAPI with libsde is missing: install libpapi-dev, or configure --without-papi])],
         [AC_MSG_NOTICE([PAPI is missing (Debian: libpapi-dev): no counters])])])
  ])
  AC_SUBST([PAPI_CFLAGS])
  AC_SUBST([PAPI_LIBS])
  AM_CONDITIONAL([HAVE_PAPI], [test "$chorale_papi" = yes])
])

# hwloc is optional. It names the cores, sockets and NUMA nodes that ranks are
# bound to.
AC_DEFUN([CHORALE_HWLOC], [
  AC_ARG_WITH([hwloc],
    [AS_HELP_STRING([--without-hwloc], [record the processors that ranks are bound to without their places])],
    [], [with_hwloc=check])
  chorale_hwloc=no
  HWLOC_CFLAGS= HWLOC_LIBS=
  AS_IF([test "x$with_hwloc" != xno], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0],
      [chorale_hwloc=yes
       AC_DEFINE([HAVE_HWLOC], [1], [hwloc 2])],
      [AS_IF([test "x$with_hwloc" != xcheck],
         [AC_MSG_ERROR([hwloc 2.0 or newer is missing: install libhwloc-dev (Fedora: hwloc-devel), or configure --without-hwloc])],
         [AC_MSG_NOTICE([hwloc is missing (Debian: libhwloc-dev): bindings are recorded as processor numbers only])])])
  ])
  AC_SUBST([HWLOC_CFLAGS])
  AC_SUBST([HWLOC_LIBS])
])

# SimGrid's SMPI is optional: it builds chorale-runner-sim.
AC_DEFUN([CHORALE_SIMGRID], [
  AC_ARG_WITH([simgrid],
    [AS_HELP_STRING([--without-simgrid], [build without the simulated cluster])],
    [], [with_simgrid=check])
  chorale_simgrid=no
  AS_IF([test "x$with_simgrid" != xno], [
    AC_PATH_PROG([SMPIRUN], [smpirun], [no])
    AC_PATH_PROG([SMPICC], [smpicc], [no])
    AS_IF([test "$SMPIRUN" != no && test "$SMPICC" != no], [
      # The directory of SMPI's own mpi.h, which smpicc searches first.
      SMPI_CPPFLAGS=
      for word in `$SMPICC -show 2>/dev/null; $SED -n 's/^list_set CFLAGS //p' "$SMPICC"` \
                  -I/usr/include/smpi -I/usr/local/include/smpi; do
        AS_CASE([$word], [*-I*/smpi*], [
          chorale_dir=`echo "$word" | $SED 's/^.*-I//; s/"//g'`
          AS_IF([test -z "$SMPI_CPPFLAGS" && test -f "$chorale_dir/mpi.h"],
            [SMPI_CPPFLAGS="-isystem $chorale_dir"])])
      done
      chorale_save_CPPFLAGS=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS $SMPI_CPPFLAGS"
      AC_CHECK_LIB([simgrid], [smpi_execute_flops],
        [AC_CHECK_HEADER([smpi/smpi.h], [chorale_simgrid=yes])])
      CPPFLAGS=$chorale_save_CPPFLAGS
    ])
    AS_IF([test "$chorale_simgrid" = no], [
      AS_IF([test "x$with_simgrid" != xcheck],
        [AC_MSG_ERROR([SimGrid with SMPI is missing: install libsimgrid-dev, or configure --without-simgrid])],
        [AC_MSG_NOTICE([SimGrid is missing (Debian: libsimgrid-dev): no simulated cluster])])
    ], [
      AC_DEFINE([HAVE_SIMGRID], [1], [SimGrid's SMPI is there])
    ])
  ])
  AC_SUBST([SMPI_CPPFLAGS])
  AM_CONDITIONAL([HAVE_SIMGRID], [test "$chorale_simgrid" = yes])
])
