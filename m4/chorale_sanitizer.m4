# CHORALE_SANITIZER: --enable-sanitizer[=address,undefined].
AC_DEFUN([CHORALE_SANITIZER], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer@<:@=LIST@:>@],
       [build with -fsanitize=LIST (default: address,undefined)])],
    [AS_CASE([$enableval],
       [yes], [chorale_sanitizer=address,undefined],
       [no], [chorale_sanitizer=no],
       [chorale_sanitizer=$enableval])],
    [chorale_sanitizer=no])
  SANITIZER_CFLAGS=
  AS_IF([test "$chorale_sanitizer" != no], [
    SANITIZER_CFLAGS="-fsanitize=$chorale_sanitizer -fno-omit-frame-pointer"
    chorale_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
    AC_MSG_CHECKING([whether $CC links with $SANITIZER_CFLAGS])
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([$CC cannot link with $SANITIZER_CFLAGS; install its runtime (Debian: libasan8 and libubsan1 come with gcc, libclang-rt-14-dev for clang) or leave --enable-sanitizer out])])
    CFLAGS=$chorale_save_CFLAGS
  ])
  AC_SUBST([SANITIZER_CFLAGS])
  AM_CONDITIONAL([SANITIZER], [test "$chorale_sanitizer" != no])
])
