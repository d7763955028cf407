! SPDX-License-Identifier: BSD-3-Clause
! fortran.F90 - collectives from Fortran, checked by value.
!
! By mpif.h; with -DUSE_MPI by the module mpi; with -DUSE_F08 by the module
! mpi_f08, where ierror may be absent. With -DLARGE as well counts and
! displacements are large.
#ifdef USE_F08
#define ERR
#define COMM_T type(MPI_Comm)
#define TYPE_T type(MPI_Datatype)
#else
#define ERR , ierr
#define COMM_T integer
#define TYPE_T integer
#endif

program fortran
#ifdef USE_F08
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
  include 'mpif.h'
#endif
#ifdef LARGE
  integer, parameter :: ck = MPI_COUNT_KIND, dk = MPI_ADDRESS_KIND
#else
  integer, parameter :: ck = kind(0), dk = ck
#endif
  integer(ck), parameter :: n = 40
  integer, parameter :: most = 16
  integer :: rank, size, ierr, wrong, all_wrong, i, r, root, total
  integer :: a(n * most), b(n * most), absolute(n)
  integer(ck) :: mine, counts(most)
  integer(dk) :: displs(most)
  double precision :: x(600), y(600) ! longer than others: another variant
  TYPE_T :: placed
  integer :: lengths(1)
  integer(kind=MPI_ADDRESS_KIND) :: where(1)
  COMM_T :: comm

  ierr = MPI_SUCCESS
  wrong = 0
  call MPI_Init(ierr)
  comm = MPI_COMM_WORLD
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Comm_size(comm, size, ierr)
  do i = 1, 5 ! past the calls that are the library's in any case
    call MPI_Barrier(comm ERR)
  end do
  root = size - 1

  call fill(a, rank)
  call MPI_Bcast(a, n, MPI_INTEGER, root, comm ERR)
  call expect(a, root, 'bcast')

  ! A type with absolute addresses, used with MPI_BOTTOM.
  absolute = merge(7, 0, rank == root)
  call MPI_Get_address(absolute, where(1), ierr)
  lengths(1) = int(n)
  call MPI_Type_create_hindexed(1, lengths, where, MPI_INTEGER, placed, ierr)
  call MPI_Type_commit(placed, ierr)
  call MPI_Bcast(MPI_BOTTOM, 1_ck, placed, root, comm ERR)
  call truth(all(absolute == 7), 'bcast of MPI_BOTTOM')
  call MPI_Type_free(placed, ierr)

  call fill(a, rank)
  call MPI_Reduce(a, b, n, MPI_INTEGER, MPI_SUM, 0, comm ERR)
  if (rank == 0) call expect_sum(b, size, 'reduce')
  call MPI_Allreduce(a, b, n, MPI_INTEGER, MPI_SUM, comm ERR)
  call expect_sum(b, size, 'allreduce')
  call fill(b, rank)
  call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, comm ERR)
  call expect_sum(b, size, 'allreduce in place')
  x = rank + 1
  call MPI_Allreduce(x, y, 600_ck, MPI_REAL8, MPI_SUM, comm ERR)
  call truth(all(y == size * (size + 1) / 2), 'allreduce of MPI_REAL8')
  call MPI_Scan(a, b, n, MPI_INTEGER, MPI_SUM, comm ERR)
  call expect_sum(b, rank + 1, 'scan')
  call MPI_Exscan(a, b, n, MPI_INTEGER, MPI_SUM, comm ERR)
  if (rank > 0) call expect_sum(b, rank, 'exscan')

  do r = 0, size - 1
    call fill(b(r * n + 1:), rank)
  end do
  call MPI_Reduce_scatter_block(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_SUM, &
                                comm ERR)
  call expect_sum(b, size, 'reduce_scatter_block in place')

  call fill(a, rank)
  call MPI_Gather(a, n, MPI_INTEGER, b, n, MPI_INTEGER, root, comm ERR)
  if (rank == root) call expect_all(b, 'gather')
  b = 0
  call fill(b(rank * n + 1:), rank)
  call MPI_Allgather(MPI_IN_PLACE, 0_ck, MPI_INTEGER, b, n, MPI_INTEGER, &
                     comm ERR)
  call expect_all(b, 'allgather in place')
  if (rank == root) then
    a = b
    call MPI_Scatter(a, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, &
                     comm ERR)
  else
    call MPI_Scatter(a, n, MPI_INTEGER, b, n, MPI_INTEGER, root, comm ERR)
    call expect(b, rank, 'scatter')
  end if
  do r = 0, size - 1
    call fill(a(r * n + 1:), rank)
  end do
  call MPI_Alltoall(a, n, MPI_INTEGER, b, n, MPI_INTEGER, comm ERR)
  call expect_all(b, 'alltoall')

  ! Rank r has r + 1 elements.
  total = 0
  do r = 1, size
    counts(r) = r
    displs(r) = total
    total = total + r
  end do
  mine = rank + 1
  call fill(a, rank)
  b = -1
  call MPI_Gatherv(a, mine, MPI_INTEGER, b, counts, displs, MPI_INTEGER, &
                   root, comm ERR)
  if (rank == root) call expect_rising(b, 'gatherv')
  b = -1
  call MPI_Allgatherv(a, mine, MPI_INTEGER, b, counts, displs, MPI_INTEGER, &
                      comm ERR)
  call expect_rising(b, 'allgatherv')
  a = b
  b = -1
  call MPI_Scatterv(a, counts, displs, MPI_INTEGER, b, mine, MPI_INTEGER, &
                    root, comm ERR)
  call truth(b(1) == value(rank, 1) .and. b(mine) == value(rank, rank + 1) &
             .and. b(mine + 1) == -1, 'scatterv')
  a = 1
  call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, comm ERR)
  call truth(all(b(1:mine) == size), 'reduce_scatter')
  do r = 1, size
    counts(r) = 1 + mod(rank + r - 1, 3)
    displs(r) = 3 * (r - 1)
  end do
  a = rank
  b = -1
  call MPI_Alltoallv(a, counts, displs, MPI_INTEGER, b, counts, displs, &
                     MPI_INTEGER, comm ERR)
  do r = 1, size
    call truth(all(b(displs(r) + 1:displs(r) + counts(r)) == r - 1), &
               'alltoallv')
  end do

  call truth(ierr == MPI_SUCCESS, 'an error code')
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, comm ERR)
  if (rank == 0) print '(a,i0)', 'fortran: wrong=', all_wrong
  call MPI_Finalize(ierr)
  if (all_wrong /= 0) stop 1

contains

  integer function value(from, k)
    integer, intent(in) :: from, k
    value = 1009 * from + k
  end function

  subroutine fill(buf, from)
    integer, intent(out) :: buf(*)
    integer, intent(in) :: from
    integer :: k
    do k = 1, n
      buf(k) = value(from, k)
    end do
  end subroutine

  subroutine truth(cond, what)
    logical, intent(in) :: cond
    character(*), intent(in) :: what
    if (.not. cond) then
      print '(a,i0,2a)', 'wrong on ', rank, ': ', what
      wrong = wrong + 1
    end if
  end subroutine

  subroutine expect(buf, from, what)
    integer, intent(in) :: buf(*), from
    character(*), intent(in) :: what
    integer :: k
    do k = 1, n
      call truth(buf(k) == value(from, k), what)
    end do
  end subroutine

  ! Check the sum over ranks below upto.
  subroutine expect_sum(buf, upto, what)
    integer, intent(in) :: buf(*), upto
    character(*), intent(in) :: what
    integer :: k
    do k = 1, n
      call truth(buf(k) == 1009 * (upto * (upto - 1) / 2) + k * upto, what)
    end do
  end subroutine

  subroutine expect_all(buf, what)
    integer, intent(in) :: buf(*)
    character(*), intent(in) :: what
    integer :: from
    do from = 0, size - 1
      call expect(buf(from * n + 1:from * n + n), from, what)
    end do
  end subroutine

  subroutine expect_rising(buf, what)
    integer, intent(in) :: buf(*)
    character(*), intent(in) :: what
    integer :: from, k, at
    at = 0
    do from = 0, size - 1
      do k = 1, from + 1
        at = at + 1
        call truth(buf(at) == value(from, k), what)
      end do
    end do
  end subroutine
end program
