/* SPDX-License-Identifier: BSD-3-Clause */
/* pmpi.h - PMPI functions of the running process, found at run time instead of
 * linked.
 *
 * libchorale and the shim enter processes with no MPI, with another MPI
 * library, or with one that was loaded late and privately (by an interpreter's
 * module). An undefined PMPI symbol would fail there when the linker binds at
 * load time. Therefore every PMPI_X in their objects is a field of one table,
 * filled from the library found at run time. The compiler includes this header
 * before every file of these two libraries; the sources write PMPI_X as
 * usual. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_PMPI_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_PMPI_H

#include "config.h" /* feature macros must precede system headers */

#include <mpi.h>
#include <stdatomic.h>

/* Conversion of Fortran handles, where they differ from C handles. */
#ifdef OPEN_MPI
#define CHORALE_PMPI_FORTRAN(X) X(Comm_f2c) X(Op_f2c) X(Type_f2c)
#else
#define CHORALE_PMPI_FORTRAN(X)
#endif

/* Functions that the catalogue and the dispatcher call. A function that is
 * missing here stays an undefined symbol, so the link of the shim fails and
 * names it. */
#define CHORALE_PMPI_LIST(X)                                                 \
    X(Allgather) X(Allgatherv) X(Allreduce) X(Alltoall) X(Alltoallv)         \
    X(Barrier) X(Bcast) X(Comm_call_errhandler) X(Comm_create)               \
    X(Comm_create_group) X(Comm_create_keyval) X(Comm_delete_attr)           \
    X(Comm_free) X(Comm_free_keyval) X(Comm_get_attr)                        \
    X(Comm_get_errhandler) X(Comm_get_parent) X(Comm_group) X(Comm_rank)     \
    X(Comm_remote_group) X(Comm_set_attr) X(Comm_set_errhandler)             \
    X(Comm_size) X(Comm_split_type) X(Comm_test_inter)                       \
    X(Errhandler_free) X(Error_class) X(Exscan) X(Finalized) X(Gather)       \
    X(Gatherv) X(Get_count) X(Get_library_version) X(Get_processor_name)     \
    X(Group_free) X(Group_rank) X(Group_size) X(Group_translate_ranks)       \
    X(Group_union) X(Iallreduce) X(Initialized)                              \
    X(Irecv) X(Isend) X(Issend) X(Op_commutative) X(Pack) X(Pack_size)       \
    X(Query_thread) X(Recv) X(Reduce) X(Reduce_local) X(Reduce_scatter)      \
    X(Reduce_scatter_block) X(Request_free) X(Scan) X(Scatter) X(Scatterv)   \
    X(Send) X(Sendrecv) X(Testall) X(Type_commit) X(Type_contiguous)         \
    X(Type_create_darray) X(Type_create_hindexed)                            \
    X(Type_create_hindexed_block) X(Type_create_hvector)                     \
    X(Type_create_indexed_block) X(Type_create_keyval)                       \
    X(Type_create_resized) X(Type_create_struct) X(Type_create_subarray)     \
    X(Type_free) X(Type_free_keyval) X(Type_get_attr) X(Type_set_attr)       \
    X(Type_get_contents) X(Type_get_envelope) X(Type_get_extent)             \
    X(Type_get_extent_x) X(Type_get_name) X(Type_get_true_extent)            \
    X(Type_get_true_extent_x) X(Type_indexed) X(Type_size) X(Type_size_x)    \
    X(Type_vector) X(Unpack) X(Wait) X(Waitall) X(Waitany) X(Wtime)          \
    CHORALE_PMPI_FORTRAN(X)

/* Open MPI's handles are addresses of objects in its library. Weak symbols are
 * null until that library is loaded; strong ones would be a loader error. */
#ifdef OPEN_MPI
#pragma weak ompi_mpi_2dblprec
#pragma weak ompi_mpi_2int
#pragma weak ompi_mpi_2integer
#pragma weak ompi_mpi_2real
#pragma weak ompi_mpi_aint
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_c_bool
#pragma weak ompi_mpi_c_double_complex
#pragma weak ompi_mpi_c_float_complex
#pragma weak ompi_mpi_c_long_double_complex
#pragma weak ompi_mpi_char
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_complex16
#pragma weak ompi_mpi_complex8
#pragma weak ompi_mpi_count
#pragma weak ompi_mpi_cplex
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_dblcplex
#pragma weak ompi_mpi_dblprec
#pragma weak ompi_mpi_double
#pragma weak ompi_mpi_double_int
#pragma weak ompi_mpi_errhandler_null
#pragma weak ompi_mpi_errors_are_fatal
#pragma weak ompi_mpi_errors_return
#pragma weak ompi_mpi_float
#pragma weak ompi_mpi_float_int
#pragma weak ompi_mpi_group_empty
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_int16_t
#pragma weak ompi_mpi_int32_t
#pragma weak ompi_mpi_int64_t
#pragma weak ompi_mpi_int8_t
#pragma weak ompi_mpi_integer
#pragma weak ompi_mpi_integer1
#pragma weak ompi_mpi_integer2
#pragma weak ompi_mpi_integer4
#pragma weak ompi_mpi_integer8
#pragma weak ompi_mpi_logical
#pragma weak ompi_mpi_long
#pragma weak ompi_mpi_long_double
#pragma weak ompi_mpi_long_int
#pragma weak ompi_mpi_long_long_int
#pragma weak ompi_mpi_longdbl_int
#pragma weak ompi_mpi_offset
#pragma weak ompi_mpi_op_band
#pragma weak ompi_mpi_op_bor
#pragma weak ompi_mpi_op_bxor
#pragma weak ompi_mpi_op_land
#pragma weak ompi_mpi_op_lor
#pragma weak ompi_mpi_op_lxor
#pragma weak ompi_mpi_op_max
#pragma weak ompi_mpi_op_maxloc
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_op_minloc
#pragma weak ompi_mpi_op_no_op
#pragma weak ompi_mpi_op_null
#pragma weak ompi_mpi_op_prod
#pragma weak ompi_mpi_op_replace
#pragma weak ompi_mpi_op_sum
#pragma weak ompi_mpi_packed
#pragma weak ompi_mpi_real
#pragma weak ompi_mpi_real4
#pragma weak ompi_mpi_real8
#pragma weak ompi_mpi_short
#pragma weak ompi_mpi_short_int
#pragma weak ompi_mpi_signed_char
#pragma weak ompi_mpi_uint16_t
#pragma weak ompi_mpi_uint32_t
#pragma weak ompi_mpi_uint64_t
#pragma weak ompi_mpi_uint8_t
#pragma weak ompi_mpi_unsigned
#pragma weak ompi_mpi_unsigned_char
#pragma weak ompi_mpi_unsigned_long
#pragma weak ompi_mpi_unsigned_long_long
#pragma weak ompi_mpi_unsigned_short
#pragma weak ompi_request_null
#endif

struct chorale_pmpi {
#define X(name) __typeof__(&PMPI_##name) name;
    CHORALE_PMPI_LIST(X)
#undef X
};

/* Written once by chorale_pmpi_ready(); read only after that returned 1. */
extern struct chorale_pmpi chorale_pmpi;

/* 1: found; -1: no matching library; 0: not searched yet. */
extern atomic_int chorale_pmpi_found;
int chorale_pmpi_find(void);

/* 1 if this process has the MPI library that this file was built for. Searches
 * once. Thread-safe; may be called at any time, also before MPI is loaded. */
static inline int chorale_pmpi_ready(void)
{
    const int found = atomic_load_explicit(&chorale_pmpi_found,
                                           memory_order_acquire);

    return found != 0 ? found > 0 : chorale_pmpi_find();
}

/* The MPI library that this build is for: the beginning of its version string.
 * "": unknown, so every library is accepted. */
extern const char chorale_pmpi_family[];

/* First line of the version string of this process's MPI library if it is of
 * another family, else NULL. A library of the right family may lack a function;
 * then it is unusable too, and chorale_pmpi_ready() returns 0. */
const char *chorale_pmpi_other(void);

/* Address of a function in any MPI library of this process, also in one that
 * was loaded privately; NULL if not found. Slow. */
void *chorale_pmpi_symbol(const char *name);

#ifdef OPEN_MPI
#define PMPI_Comm_f2c chorale_pmpi.Comm_f2c
#define PMPI_Op_f2c chorale_pmpi.Op_f2c
#define PMPI_Type_f2c chorale_pmpi.Type_f2c
#endif
#define PMPI_Allgather chorale_pmpi.Allgather
#define PMPI_Allgatherv chorale_pmpi.Allgatherv
#define PMPI_Allreduce chorale_pmpi.Allreduce
#define PMPI_Alltoall chorale_pmpi.Alltoall
#define PMPI_Alltoallv chorale_pmpi.Alltoallv
#define PMPI_Barrier chorale_pmpi.Barrier
#define PMPI_Bcast chorale_pmpi.Bcast
#define PMPI_Comm_call_errhandler chorale_pmpi.Comm_call_errhandler
#define PMPI_Comm_create chorale_pmpi.Comm_create
#define PMPI_Comm_create_group chorale_pmpi.Comm_create_group
#define PMPI_Comm_create_keyval chorale_pmpi.Comm_create_keyval
#define PMPI_Comm_delete_attr chorale_pmpi.Comm_delete_attr
#define PMPI_Comm_free chorale_pmpi.Comm_free
#define PMPI_Comm_free_keyval chorale_pmpi.Comm_free_keyval
#define PMPI_Comm_get_attr chorale_pmpi.Comm_get_attr
#define PMPI_Comm_get_errhandler chorale_pmpi.Comm_get_errhandler
#define PMPI_Comm_get_parent chorale_pmpi.Comm_get_parent
#define PMPI_Comm_group chorale_pmpi.Comm_group
#define PMPI_Comm_rank chorale_pmpi.Comm_rank
#define PMPI_Comm_remote_group chorale_pmpi.Comm_remote_group
#define PMPI_Comm_set_attr chorale_pmpi.Comm_set_attr
#define PMPI_Comm_set_errhandler chorale_pmpi.Comm_set_errhandler
#define PMPI_Comm_size chorale_pmpi.Comm_size
#define PMPI_Comm_split_type chorale_pmpi.Comm_split_type
#define PMPI_Comm_test_inter chorale_pmpi.Comm_test_inter
#define PMPI_Errhandler_free chorale_pmpi.Errhandler_free
#define PMPI_Error_class chorale_pmpi.Error_class
#define PMPI_Exscan chorale_pmpi.Exscan
#define PMPI_Finalized chorale_pmpi.Finalized
#define PMPI_Gather chorale_pmpi.Gather
#define PMPI_Gatherv chorale_pmpi.Gatherv
#define PMPI_Get_count chorale_pmpi.Get_count
#define PMPI_Get_library_version chorale_pmpi.Get_library_version
#define PMPI_Get_processor_name chorale_pmpi.Get_processor_name
#define PMPI_Group_free chorale_pmpi.Group_free
#define PMPI_Group_rank chorale_pmpi.Group_rank
#define PMPI_Group_size chorale_pmpi.Group_size
#define PMPI_Group_translate_ranks chorale_pmpi.Group_translate_ranks
#define PMPI_Group_union chorale_pmpi.Group_union
#define PMPI_Iallreduce chorale_pmpi.Iallreduce
#define PMPI_Initialized chorale_pmpi.Initialized
#define PMPI_Irecv chorale_pmpi.Irecv
#define PMPI_Isend chorale_pmpi.Isend
#define PMPI_Issend chorale_pmpi.Issend
#define PMPI_Op_commutative chorale_pmpi.Op_commutative
#define PMPI_Pack chorale_pmpi.Pack
#define PMPI_Pack_size chorale_pmpi.Pack_size
#define PMPI_Query_thread chorale_pmpi.Query_thread
#define PMPI_Recv chorale_pmpi.Recv
#define PMPI_Reduce chorale_pmpi.Reduce
#define PMPI_Reduce_local chorale_pmpi.Reduce_local
#define PMPI_Reduce_scatter chorale_pmpi.Reduce_scatter
#define PMPI_Reduce_scatter_block chorale_pmpi.Reduce_scatter_block
#define PMPI_Request_free chorale_pmpi.Request_free
#define PMPI_Scan chorale_pmpi.Scan
#define PMPI_Scatter chorale_pmpi.Scatter
#define PMPI_Scatterv chorale_pmpi.Scatterv
#define PMPI_Send chorale_pmpi.Send
#define PMPI_Sendrecv chorale_pmpi.Sendrecv
#define PMPI_Testall chorale_pmpi.Testall
#define PMPI_Type_commit chorale_pmpi.Type_commit
#define PMPI_Type_contiguous chorale_pmpi.Type_contiguous
#define PMPI_Type_create_darray chorale_pmpi.Type_create_darray
#define PMPI_Type_create_hindexed chorale_pmpi.Type_create_hindexed
#define PMPI_Type_create_hindexed_block chorale_pmpi.Type_create_hindexed_block
#define PMPI_Type_create_hvector chorale_pmpi.Type_create_hvector
#define PMPI_Type_create_indexed_block chorale_pmpi.Type_create_indexed_block
#define PMPI_Type_create_keyval chorale_pmpi.Type_create_keyval
#define PMPI_Type_create_resized chorale_pmpi.Type_create_resized
#define PMPI_Type_create_struct chorale_pmpi.Type_create_struct
#define PMPI_Type_create_subarray chorale_pmpi.Type_create_subarray
#define PMPI_Type_free chorale_pmpi.Type_free
#define PMPI_Type_free_keyval chorale_pmpi.Type_free_keyval
#define PMPI_Type_get_attr chorale_pmpi.Type_get_attr
#define PMPI_Type_get_contents chorale_pmpi.Type_get_contents
#define PMPI_Type_get_envelope chorale_pmpi.Type_get_envelope
#define PMPI_Type_get_extent chorale_pmpi.Type_get_extent
#define PMPI_Type_get_extent_x chorale_pmpi.Type_get_extent_x
#define PMPI_Type_get_name chorale_pmpi.Type_get_name
#define PMPI_Type_get_true_extent chorale_pmpi.Type_get_true_extent
#define PMPI_Type_get_true_extent_x chorale_pmpi.Type_get_true_extent_x
#define PMPI_Type_indexed chorale_pmpi.Type_indexed
#define PMPI_Type_set_attr chorale_pmpi.Type_set_attr
#define PMPI_Type_size chorale_pmpi.Type_size
#define PMPI_Type_size_x chorale_pmpi.Type_size_x
#define PMPI_Type_vector chorale_pmpi.Type_vector
#define PMPI_Unpack chorale_pmpi.Unpack
#define PMPI_Wait chorale_pmpi.Wait
#define PMPI_Waitall chorale_pmpi.Waitall
#define PMPI_Waitany chorale_pmpi.Waitany
#define PMPI_Wtime chorale_pmpi.Wtime

#endif
