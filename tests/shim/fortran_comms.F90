! SPDX-License-Identifier: BSD-3-Clause
! fortran_comms.F90 - Fortran programs that make and free communicators.
!
! By mpif.h; with -DUSE_MPI by the module mpi; with -DUSE_F08 by the module
! mpi_f08. With one argument it makes communicators until the library has no
! more, or 5000, and prints how many. With two arguments it calls collectives
! on MPI_COMM_WORLD, and rank 0 ends the program by MPI_Abort.
#ifdef USE_F08
#define ERR
#define COMM_T type(MPI_Comm)
#define HANDLER_T type(MPI_Errhandler)
#else
#define ERR , ierr
#define COMM_T integer
#define HANDLER_T integer
#endif

module shared
  implicit none
  integer :: wrong = 0, at_work = 0, told = 0, in_use
  logical :: by_chance
contains
  ! Calls that the table's variants serve.
  subroutine use_it(comm)
#ifdef USE_F08
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#else
    include 'mpif.h'
#endif
    COMM_T :: comm
    integer :: i, x, total, rank, size, ierr

    call MPI_Comm_rank(comm, rank, ierr)
    call MPI_Comm_size(comm, size, ierr)
    do i = 1, 8
      x = rank
      call MPI_Bcast(x, 1, MPI_INTEGER, 0, comm ERR)
      if (x /= 0) wrong = wrong + 1
      x = rank + 1
      call MPI_Allreduce(x, total, 1, MPI_INTEGER, MPI_SUM, comm ERR)
      if (total /= size * (size + 1) / 2) wrong = wrong + 1
    end do
  end subroutine

  ! A communicator that is being freed is still used, by the program's handle:
  ! the handle that Open MPI 4.1.4 passes to the callback is uninitialised
  ! memory, sometimes MPI_COMM_NULL.
  subroutine at_free(comm, key, value, extra, ierr)
#ifdef USE_F08
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#else
    include 'mpif.h'
#endif
    COMM_T :: comm, freeing
    integer :: key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra

#ifdef USE_F08
    freeing%MPI_VAL = in_use
#else
    freeing = in_use
#endif
    if (.not. by_chance .and. comm /= freeing) wrong = wrong + 1
    if (key < 0 .and. value + extra < 0) wrong = wrong + 0
    call use_it(freeing)
    at_work = at_work + 1
    ierr = MPI_SUCCESS
  end subroutine

  subroutine on_error(comm, code)
#ifdef USE_F08
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#else
    include 'mpif.h'
#endif
    COMM_T :: comm
    integer :: code, size, ierr

    if (code == MPI_SUCCESS) wrong = wrong + 1
    call MPI_Comm_size(comm, size, ierr)
    told = told + 1
  end subroutine
end module

program fortran_comms
#ifdef USE_F08
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  use shared
  implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
  include 'mpif.h'
#endif
  integer :: rank, size, ierr, all_wrong, length
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: version

  call MPI_Init(ierr)
  call MPI_Get_library_version(version, length, ierr)
  by_chance = index(version, 'Open MPI') == 1
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  if (command_argument_count() == 0) then
    call freed_and_used(.false.)
    call freed_and_used(.true.)
    call made()
  else if (command_argument_count() == 2) then
    call use_it(MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  else
    call until_full()
  end if
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, &
                     MPI_COMM_WORLD ERR)
  if (rank == 0) print '(a,i0)', 'fortran_comms: wrong=', all_wrong
  call MPI_Finalize(ierr)

contains

  ! first: the callback runs before the shim's state is freed, else afterwards.
  ! The next communicator may get the handle with another order of ranks.
  subroutine freed_and_used(first)
    logical, intent(in) :: first
    COMM_T :: comm
    integer :: key, i, x
    integer(kind=MPI_ADDRESS_KIND) :: none

    none = 0
    at_work = 0
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_free, key, none, ierr)
#ifdef USE_F08
    in_use = comm%MPI_VAL
#else
    in_use = comm
#endif
    if (first) call MPI_Comm_set_attr(comm, key, none, ierr)
    call use_it(comm)
    if (.not. first) call MPI_Comm_set_attr(comm, key, none, ierr)
    if (first) then
      call MPI_Comm_disconnect(comm ERR)
    else
      call MPI_Comm_free(comm ERR)
    end if
    if (at_work /= 1) wrong = wrong + 1
    if (comm /= MPI_COMM_NULL) wrong = wrong + 1
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm ERR)
    do i = 1, 8
      x = rank
      call MPI_Bcast(x, 1, MPI_INTEGER, 0, comm ERR)
      if (x /= size - 1) wrong = wrong + 1
    end do
    call MPI_Comm_free(comm ERR)
  end subroutine

  ! Which calls inherit the handler depends on the library.
  subroutine look_at(comm, handler, what)
    COMM_T :: comm
    HANDLER_T :: handler, got
    character(*), intent(in) :: what

    call MPI_Comm_get_errhandler(comm, got, ierr)
    if (rank == 0) print '(3a,l1)', 'after ', what, ' it is set: ', &
      got == handler
    call MPI_Errhandler_free(got, ierr)
    call use_it(comm)
    call MPI_Comm_free(comm, ierr)
  end subroutine

  ! Make communicators by each call that the shim interposes.
  subroutine made()
    COMM_T :: comm, new
    HANDLER_T :: handler
#ifdef USE_F08
    type(MPI_Group) :: group
#else
    integer :: group
#endif
    integer :: dims(1), index(size), edges(2 * size), i
    logical :: periods(1), remain(1)

    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_create_errhandler(on_error, handler, ierr)
    call MPI_Comm_set_errhandler(comm, handler, ierr)
    call use_it(comm)
    call MPI_Comm_dup(comm, new ERR)
    call look_at(new, handler, 'dup')
    call MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, new ERR)
    call look_at(new, handler, 'dup_with_info')
    call MPI_Comm_split(comm, 0, rank, new ERR)
    call look_at(new, handler, 'split')
    call MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &
                             new ERR)
    call look_at(new, handler, 'split_type')
    call MPI_Comm_group(comm, group, ierr)
    call MPI_Comm_create(comm, group, new ERR)
    call look_at(new, handler, 'create')
    call MPI_Comm_create_group(comm, group, 5, new ERR)
    call look_at(new, handler, 'create_group')
    call MPI_Group_free(group, ierr)
    dims(1) = size
    periods(1) = .true.
    remain(1) = .true.
    call MPI_Cart_create(comm, 1, dims, periods, .false., new ERR)
    call MPI_Comm_free(comm, ierr)
    comm = new
    call MPI_Cart_sub(comm, remain, new ERR)
    call look_at(new, handler, 'cart_sub')
    do i = 1, size
      index(i) = 2 * i
      edges(2 * i - 1) = mod(i, size)
      edges(2 * i) = mod(i - 2 + size, size)
    end do
    call MPI_Graph_create(comm, size, index, edges, .false., new ERR)
    call look_at(new, handler, 'graph_create')
    ! An error of such a call reaches the application's handler once.
    told = 0
    periods(1) = .false.
    dims(1) = size + 1
    call MPI_Cart_create(comm, 1, dims, periods, .false., new, ierr)
    if (told /= 1 .or. ierr == MPI_SUCCESS) wrong = wrong + 1
    call look_at(comm, handler, 'an error')
    call MPI_Errhandler_free(handler, ierr)
  end subroutine

  ! Each is used before the next is made, so private ones are made in between.
  subroutine until_full()
    integer, parameter :: most = 5000
    COMM_T :: comm(most), new
    integer :: n, i

    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    n = 0
    do while (n < most)
      call MPI_Comm_dup(MPI_COMM_WORLD, new, ierr)
      if (ierr /= MPI_SUCCESS) exit
      n = n + 1
      comm(n) = new
      if (n <= 3) call use_it(new)
    end do
    if (rank == 0) print '(a,i0,a)', 'fortran_comms: ', n, ' communicators'
    call use_it(comm(n))
    call use_it(comm(1))
    do i = 1, n
      call MPI_Comm_free(comm(i), ierr)
    end do
  end subroutine
end program
