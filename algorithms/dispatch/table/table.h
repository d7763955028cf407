/* Interface of a Chorale dispatch table, version 3. C99, no includes but
 * <stddef.h>: the generator copies this text into every table it writes. */
#ifndef CHORALE_TABLE_H
#define CHORALE_TABLE_H

#include <stddef.h>

#define CHORALE_TABLE_ABI 3

/* How the ranks of a communicator lie on nodes. */
enum chorale_shape {
    CHORALE_SHAPE_UNKNOWN,
    CHORALE_SHAPE_SINGLE_NODE,
    CHORALE_SHAPE_ONE_PER_NODE,
    CHORALE_SHAPE_BLOCK,
    CHORALE_SHAPE_CYCLIC,
    CHORALE_SHAPE_IRREGULAR
};

/* What to run. Choice 0 of every table is the library's default. */
struct chorale_choice {
    const char *provider; /* "library", "chorale" or "native" */
    const char *variant;  /* name in the catalogue, "default" for library */
    const char *params;   /* "name=value,name=value", "" for none */
    int nparam;           /* the same, parsed */
    const char *param_name[4];
    long param_value[4];
    int index;            /* of this choice in its table */
};

/* Range of a collective's decisions: numbers of ranks, and bytes of the
 * operation; all 0 without a decision. Outside it the library runs,
 * whatever a selector returns. A broadcast of 1 to 63 bytes is looked up at
 * n_lo (at 1 if n_lo is 0), if n_lo is below 64. */
struct chorale_hull {
    int comm_size_lo, comm_size_hi;
    unsigned long long n_lo, n_hi;
};

/* Selectors of one collective. n is the bytes of the operation: the vector of
 * bcast, reduce, allreduce, scan and exscan; 0 for barrier; block times
 * comm_size for all others. They never return NULL, for any arguments.
 *
 * ppn is the number of ranks on each node if the shape is block (the last node
 * may have fewer), or 0 if it is not known. Other shapes ignore it. A measured
 * ppn gets the choice decided for it. A ppn between the smallest and the
 * largest measured one, and 0, get the choice on which the measured ones agree,
 * else the library. Other values get the library. */
struct chorale_selector {
    const char *coll;
    const struct chorale_choice *(*select)(size_t n, int comm_size);
    const struct chorale_choice *(*select_shape)(size_t n, int comm_size,
                                                 enum chorale_shape shape);
    const struct chorale_choice *(*select_ppn)(size_t n, int comm_size,
                                               enum chorale_shape shape,
                                               int ppn);
    struct chorale_hull hull;
};

struct chorale_table {
    int abi;                 /* CHORALE_TABLE_ABI of the writer */
    const char *digest;      /* of the content: equal tables, equal digests */
    const char *campaign;    /* UUID of the campaign it was measured in */
    const char *system;      /* its name and kind */
    const char *mpi_library; /* library, transport and processor that it was */
    const char *transport;   /* measured with; "" or NULL: not known, or */
    const char *cpu_model;   /* several */
    const char *variables;   /* "NAME=value NAME=value": the environment
                              * variables that choose a transport, in the
                              * order of CHORALE_TABLE_VARIABLES; "" if they
                              * were unset, NULL if not known */
    const char *coverage;    /* what was measured, for people; an exploratory
                              * table has its mark first: "exploratory: ...; "
                              */
    int nchoice;
    const struct chorale_choice *choice;
    int nselector;
    const struct chorale_selector *selector;
};

/* X(name): the environment variables of chorale_table.variables. */
#define CHORALE_TABLE_VARIABLES(X)                                           \
    X(UCX_TLS) X(FI_PROVIDER) X(I_MPI_FABRICS) X(OMPI_MCA_pml)               \
    X(OMPI_MCA_btl) X(OMPI_MCA_mtl)

/* The only symbol that a loadable table exports besides its selectors. */
extern const struct chorale_table chorale_table;

#endif
