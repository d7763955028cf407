# CHORALE_MPI: find the MPI compiler wrapper and the matching launcher. MPICH's
# own names are tried first, because plain mpicc may belong to another MPI
# library if several are installed.
AC_DEFUN([CHORALE_MPI], [
  AC_ARG_VAR([MPICC], [MPI compiler wrapper, e.g. mpicc.mpich])
  AC_ARG_VAR([MPIEXEC], [launcher of the same MPI, e.g. mpiexec.mpich])
  AS_IF([test -z "$MPICC"],
    [AC_PATH_PROGS([MPICC], [mpicc.mpich mpicc])])
  AS_IF([test -z "$MPICC"],
    [AC_MSG_ERROR([no MPI compiler wrapper: install MPICH (Debian: mpich libmpich-dev) or set MPICC])])
  AC_MSG_CHECKING([whether $MPICC builds MPI-3.1 programs])
  chorale_save_CC=$CC
  CC="$MPICC"
  export MPICH_CC="$chorale_save_CC" OMPI_CC="$chorale_save_CC"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
      #include <mpi.h>
      #if MPI_VERSION < 3
      #error MPI-3 needed
      #endif]], [[
      MPI_Init(0, 0);
      return PMPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 0, 0);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$MPICC does not build an MPI-3.1 program: install libmpich-dev or set MPICC])])
  AC_MSG_CHECKING([whether collectives take large counts])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[
      MPI_Barrier(MPI_COMM_WORLD);
      return MPI_Bcast_c(0, (MPI_Count)0, MPI_INT, 0, MPI_COMM_WORLD) +
             MPI_Alltoallv_c(0, 0, 0, MPI_INT, 0, 0, 0, MPI_INT,
                             MPI_COMM_WORLD);]])],
    [AC_MSG_RESULT([yes])
     AC_DEFINE([CHORALE_HAVE_LARGE_COUNTS], [1],
       [The MPI library has MPI_Bcast_c and similar functions])],
    [AC_MSG_RESULT([no])])
  CC=$chorale_save_CC
  CHORALE_MPICOMPILE
  AS_IF([test -z "$MPIEXEC"], [
    AS_CASE([$MPICC],
      [*.mpich], [chorale_mpiexecs="mpiexec.mpich mpiexec.hydra mpiexec"],
      [*.openmpi], [chorale_mpiexecs="mpiexec.openmpi mpiexec"],
      [chorale_mpiexecs="mpiexec mpirun"])
    AC_CHECK_PROGS([MPIEXEC], [$chorale_mpiexecs], [mpiexec])])
  AC_DEFINE_UNQUOTED([CHORALE_MPIEXEC], ["$MPIEXEC"],
    [The launcher of the MPI library that chorale-runner is built with])
])

# CHORALE_MPICOMPILE: set MPICOMPILE, which compiles files that include mpi.h. A
# wrapper is often a shell script that takes longer than the compiler.
# MPICOMPILE is the compiler with the wrapper's flags if both see the same mpi.h
# and macros, else the wrapper.
AC_DEFUN([CHORALE_MPICOMPILE], [
  AC_MSG_CHECKING([what compiles as $MPICC does])
  MPICOMPILE=$MPICC
  chorale_flags=
  for chorale_word in `$MPICC -show 2>/dev/null`; do
    AS_CASE([$chorale_word],
      [[-[IDUfm]*|-pthread]], [chorale_flags="$chorale_flags $chorale_word"])
  done
  printf '#include <mpi.h>\n' >conftest.c
  chorale_sees="-E -dD $CPPFLAGS $CFLAGS conftest.c"
  AS_IF([$MPICC $chorale_sees >conftest.i 2>/dev/null &&
         $CC $chorale_flags $chorale_sees 2>/dev/null | cmp -s - conftest.i],
    [MPICOMPILE="$CC$chorale_flags"])
  rm -f conftest.c conftest.i
  AC_MSG_RESULT([$MPICOMPILE])
  AC_SUBST([MPICOMPILE])
])
