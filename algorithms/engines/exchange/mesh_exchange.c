/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_exchange.c - alltoall along the dimensions of a mesh. */
#include "algorithms/engines/exchange/mesh_exchange.h"

#include "algorithms/engines/exchange/exchange_all.h"

const long chorale_mesh_lengths[CHORALE_NMESH_LENGTH] = { 0, 2, 3, 4, 8, 16 };

int chorale_mesh_side(int p, int power)
{
    int side = 1;

    for (long d = 2; (power == 2 ? d * d : d * d * d) <= p; d++)
        if (p % d == 0 &&
            (power == 2 || chorale_mesh_side(p / (int)d, power - 1) > 1))
            side = (int)d;
    return side;
}

const char *chorale_mesh_init(struct chorale_mesh *mesh, int size, int ndim,
                              const long *wanted)
{
    int left = size, free = 0;

    mesh->ndim = ndim;
    for (int i = 0; i < ndim - 1; i++) {
        if (wanted[i] > 0 && left % wanted[i] != 0)
            return "needs rows and columns that divide the number of "
                   "processes";
        mesh->dim[i] = (int)wanted[i];
        left /= wanted[i] > 0 ? (int)wanted[i] : 1;
        free += wanted[i] == 0;
    }
    for (int i = 0; i < ndim - 1; i++)
        if (mesh->dim[i] == 0) {
            mesh->dim[i] = chorale_mesh_side(left, 1 + free--);
            left /= mesh->dim[i];
        }
    mesh->dim[ndim - 1] = left;
    for (int i = 0; i < ndim; i++)
        if (mesh->dim[i] < 2)
            return "needs a number of processes with more factors";
    return NULL;
}

const char *chorale_mesh_refuses(const struct chorale_point *pt, int ndim)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, ndim, pt->param);
}

void chorale_mesh_init_cube(struct chorale_mesh *mesh, int size)
{
    for (mesh->ndim = 0; size > 1; size /= 2)
        mesh->dim[mesh->ndim++] = 2;
}

/* 1 if all dimensions have length 2: a phase then works inside one array. */
static int is_cube(const struct chorale_mesh *mesh)
{
    int twos = 0;

    for (int i = 0; i < mesh->ndim; i++)
        twos += mesh->dim[i] == 2;
    return twos == mesh->ndim;
}

/* --- one phase -------------------------------------------------------- */

/* View of the array along one dimension: each coordinate has `before` runs, of
 * `stride` blocks or `run` bytes each.
 *
 * The runs of one coordinate form a piece, which is one message. If pieces is
 * set, a piece stays contiguous in the destination array: pieces are stored
 * there by source, so that they are received in place. The next phase then
 * finds the blocks of a run in different pieces (apart). */
struct phase {
    struct chorale_ctx *ctx;
    int dim, stride, place; /* place is this rank's coordinate */
    int before, pieces, apart;
    size_t run;
    char *tmp;              /* two pieces per round; one if pieces is set */
    MPI_Request *req;       /* two per round */
};

static char *run_at(const struct phase *ph, const void *array, int place,
                    int i)
{
    return chorale_at(array, (MPI_Aint)ph->run,
                      (MPI_Aint)i * ph->dim + place);
}

/* Copy run i of a coordinate out of the array. */
static void take_run(const struct phase *ph, char *to, const void *from,
                     int place, int i)
{
    size_t block = ph->run / (size_t)ph->stride;
    int runs = ph->dim * ph->before;

    if (!ph->apart) {
        chorale_memmove(ph->ctx, to, run_at(ph, from, place, i), ph->run);
        return;
    }
    for (int j = 0; j < ph->stride; j++)
        chorale_memmove(ph->ctx, to + (size_t)j * block,
                        chorale_at(from, (MPI_Aint)block,
                                   (MPI_Aint)j * runs + i * ph->dim + place),
                        block);
}

/* Copy the piece of one coordinate to, or from, a contiguous message. */
static void gather_piece(const struct phase *ph, char *to, const void *from,
                         int place)
{
    for (int i = 0; i < ph->before; i++)
        take_run(ph, to + (size_t)i * ph->run, from, place, i);
}

static void put_piece(const struct phase *ph, void *to, const char *from,
                      int place)
{
    for (int i = 0; i < ph->before; i++)
        chorale_memmove(ph->ctx, run_at(ph, to, place, i),
                        from + (size_t)i * ph->run, ph->run);
}

/* Pieces of round i in tmp: out, then in unless it is received in place. */
static char *tmp_at(const struct phase *ph, int i)
{
    size_t piece = ph->run * (size_t)ph->before;

    return ph->tmp + (size_t)(i - 1) * piece * (ph->pieces ? 1 : 2);
}

/* Start the exchange of round i; *n requests are active. */
static int post_round(const struct phase *ph, const void *from, void *to,
                      int i, int *n)
{
    size_t piece = ph->run * (size_t)ph->before;
    int base = ph->ctx->rank - ph->place * ph->stride;
    int dest = (ph->place + i) % ph->dim;
    int source = (ph->place + ph->dim - i) % ph->dim;
    int straight = ph->before == 1, err;
    char *tmp = tmp_at(ph, i);
    char *out = straight && from != to ? run_at(ph, from, dest, 0) : tmp;
    char *in = straight     ? run_at(ph, to, source, 0)
               : ph->pieces ? (char *)to + (size_t)source * piece
                            : tmp + piece;

    if (out == tmp)
        gather_piece(ph, out, from, dest);
    err = chorale_irecv(ph->ctx, in, (MPI_Count)piece, MPI_PACKED,
                        base + source * ph->stride, &ph->req[*n]);
    *n += err == MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        err = chorale_isend(ph->ctx, out, (MPI_Count)piece, MPI_PACKED,
                            base + dest * ph->stride, &ph->req[*n]);
    *n += err == MPI_SUCCESS;
    return err;
}

/* One phase from one array to another, or within one if the dimension has
 * length 2. All rounds are in flight together. */
static int run_phase(const struct phase *ph, const void *from, void *to)
{
    size_t piece = ph->run * (size_t)ph->before;
    int n = 0, err = MPI_SUCCESS, last;

    for (int i = 1; i < ph->dim && err == MPI_SUCCESS; i++)
        err = post_round(ph, from, to, i, &n);
    for (int i = 0; from != to && i < ph->before; i++)
        take_run(ph,
                 ph->pieces ? (char *)to + (size_t)ph->place * piece +
                                  (size_t)i * ph->run
                            : run_at(ph, to, ph->place, i),
                 from, ph->place, i);
    last = chorale_waitall(ph->ctx, n, ph->req);
    if (err == MPI_SUCCESS)
        err = last;
    for (int i = 1; i < ph->dim && ph->before > 1 && !ph->pieces &&
                    err == MPI_SUCCESS; i++)
        put_piece(ph, to, tmp_at(ph, i) + piece,
                  (ph->place + ph->dim - i) % ph->dim);
    return err;
}

/* --- all phases ------------------------------------------------------- */

/* 1 if the first phase, along the last dimension, leaves its pieces contiguous.
 * The second phase then takes single blocks. That gains nothing if the second
 * phase is the last one, whose runs are already stored as they are sent. */
static int leaves_pieces(const struct chorale_mesh *mesh)
{
    return mesh->ndim > 2 && !is_cube(mesh);
}

/* Largest number of bytes of pieces in any phase. */
static size_t tmp_bytes(const struct chorale_mesh *mesh, int size, size_t m)
{
    int first = is_cube(mesh) ? 0 : 1; /* the last phase, along dimension 0,
                                        * sends directly from the array */
    int most = 0;

    for (int i = first; i < mesh->ndim; i++) {
        int others = size - size / mesh->dim[i];

        others *= i == mesh->ndim - 1 && leaves_pieces(mesh) ? 1 : 2;
        most = others > most ? others : most;
    }
    return m * (size_t)most;
}

static size_t request_bytes(const struct chorale_mesh *mesh)
{
    int most = 1;

    for (int i = 0; i < mesh->ndim; i++)
        most = mesh->dim[i] > most ? mesh->dim[i] : most;
    return 2 * (size_t)(most - 1) * sizeof(MPI_Request);
}

/* Number of arrays between the phases. */
static int arrays(const struct chorale_mesh *mesh)
{
    return is_cube(mesh) || mesh->ndim < 2 ? 0 : mesh->ndim < 3 ? 1 : 2;
}

struct state {
    const struct chorale_mesh *mesh;
    struct chorale_ctx *ctx;
    size_t m;
    const void *first; /* packed blocks by destination */
    void *last;        /* packed blocks by source */
    char *array[2];
    char *tmp;
    MPI_Request *req;
};

static int run_phases(const struct state *st)
{
    const struct chorale_mesh *mesh = st->mesh;
    const void *from = st->first;
    int stride = 1, err = MPI_SUCCESS;

    for (int i = mesh->ndim - 1; i >= 0 && err == MPI_SUCCESS; i--) {
        int dim = mesh->dim[i];
        void *to = i == 0 || is_cube(mesh) ? st->last
                                           : st->array[(i - 1) % 2];
        struct phase ph = {
            .ctx = st->ctx,
            .dim = dim,
            .stride = stride,
            .place = st->ctx->rank / stride % dim,
            .before = st->ctx->size / stride / dim,
            .pieces = leaves_pieces(mesh) && i == mesh->ndim - 1,
            .apart = leaves_pieces(mesh) && i == mesh->ndim - 2,
            .run = st->m * (size_t)stride,
            .tmp = st->tmp,
            .req = st->req,
        };

        err = run_phase(&ph, from, to);
        from = to;
        stride *= dim;
    }
    return err;
}

/* Allocate scratch and pack the caller's blocks. */
static int init(struct state *st, const struct chorale_call *call,
                const struct chorale_mesh *mesh)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    int size = ex.ctx->size;
    MPI_Count count = ex.out.count * size;
    size_t m = chorale_type_size(ex.in.type) * (size_t)ex.in.count;
    size_t n = m * (size_t)size;

    *st = (struct state){ .mesh = mesh, .ctx = ex.ctx, .m = m,
                          .first = ex.out.base, .last = ex.in.base };
    st->tmp = chorale_scratch(ex.ctx, tmp_bytes(mesh, size, m));
    st->req = chorale_scratch(ex.ctx, request_bytes(mesh));
    if (st->req == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < arrays(mesh); i++) {
        st->array[i] = chorale_scratch(ex.ctx, n);
        if (st->array[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    if (!chorale_type_is_packed(ex.in.type))
        st->last = chorale_scratch(ex.ctx, n);
    if (!chorale_type_is_packed(ex.out.type)) {
        char *packed = chorale_scratch(ex.ctx, n);

        st->first = packed;
        return packed && st->last && st->tmp
                   ? chorale_pack(ex.ctx, ex.out.base, count, ex.out.type,
                                  packed)
                   : MPI_ERR_NO_MEM;
    }
    return st->last && st->tmp ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int chorale_mesh_exchange(const struct chorale_call *call,
                          const struct chorale_mesh *mesh)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st;
    int err;

    if (ctx->size == 1) {
        struct chorale_exchange ex = chorale_exchange_of(call);

        return chorale_exchange_own(&ex);
    }
    err = init(&st, call, mesh);
    if (err == MPI_SUCCESS)
        err = run_phases(&st);
    if (err == MPI_SUCCESS && st.last != call->recvbuf)
        err = chorale_unpack(ctx, st.last, call->recvbuf,
                             call->recvcount * ctx->size, call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_alltoall_mesh_run(const struct chorale_call *call, int ndim)
{
    struct chorale_mesh mesh = { 0 };

    if (call->ctx->size > 1 &&
        chorale_mesh_init(&mesh, call->ctx->size, ndim, call->param) != NULL)
        return MPI_ERR_OTHER;
    return chorale_mesh_exchange(call, &mesh);
}

int chorale_alltoall_mesh_cost(const struct chorale_point *pt, int ndim,
                               struct chorale_term *term)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, ndim, pt->param) == NULL
               ? chorale_cost_mesh(&mesh, pt, term)
               : 0;
}

size_t chorale_alltoall_mesh_scratch(const struct chorale_point *pt, int ndim)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, ndim, pt->param) == NULL
               ? chorale_scratch_mesh(&mesh, pt)
               : 0;
}

int chorale_cost_mesh(const struct chorale_mesh *mesh,
                      const struct chorale_point *pt,
                      struct chorale_term *term)
{
    for (int i = 0; i < mesh->ndim; i++)
        term[i] = (struct chorale_term){
            .messages = mesh->dim[i] - 1,
            .bytes = (double)pt->msg_size * (pt->comm_size / mesh->dim[i]),
        };
    return mesh->ndim;
}

size_t chorale_scratch_mesh(const struct chorale_mesh *mesh,
                            const struct chorale_point *pt)
{
    return tmp_bytes(mesh, pt->comm_size, pt->msg_size) +
           (size_t)arrays(mesh) * pt->msg_size * (size_t)pt->comm_size +
           request_bytes(mesh);
}
