# CHORALE_PATENTED: --disable-patented leaves out variants whose descriptor
# lists a patent.
AC_DEFUN([CHORALE_PATENTED], [
  AC_ARG_ENABLE([patented],
    [AS_HELP_STRING([--disable-patented],
       [leave out variants that are the subject of a patent])],
    [chorale_patented=$enableval], [chorale_patented=yes])
  AM_CONDITIONAL([PATENTED], [test "$chorale_patented" != no])
  AS_IF([test "$chorale_patented" = no],
    [AC_DEFINE([CHORALE_NO_PATENTED], [1],
       [Define if patented variants are left out.])])
])
