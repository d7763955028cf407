# CHORALE_WARNINGS: warning flags; all files compile without a warning.
AC_DEFUN([CHORALE_WARNINGS], [
  WARN_CFLAGS=
  for flag in -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
              -Wstrict-prototypes -Wmissing-prototypes \
              -Wno-overlength-strings; do
    AC_MSG_CHECKING([whether $CC takes $flag])
    chorale_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes])
       WARN_CFLAGS="$WARN_CFLAGS $flag"],
      [AC_MSG_RESULT([no])])
    CFLAGS=$chorale_save_CFLAGS
  done
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [make warnings errors])],
    [AS_IF([test "x$enableval" != xno],
       [WARN_CFLAGS="$WARN_CFLAGS -Werror"])])
  AC_SUBST([WARN_CFLAGS])
])
