# CHORALE_SMALL: small structures are cleared by stores. Where the compiler
# would take an instruction for strings (x86), that alone takes longer than all
# else that the shim does with a call.
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
