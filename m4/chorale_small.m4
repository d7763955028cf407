# CHORALE_SMALL: clear small structures with store instructions. On x86 the
# compiler may use a string instruction, which takes longer than the rest of the
# shim's work for a call.
AC_DEFUN([CHORALE_SMALL], [
  SMALL_CFLAGS=
  flag=-mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
  AC_MSG_CHECKING([whether $CC takes $flag])
  chorale_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $flag"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])
     SMALL_CFLAGS=$flag],
    [AC_MSG_RESULT([no])])
  CFLAGS=$chorale_save_CFLAGS
  AC_SUBST([SMALL_CFLAGS])
])
