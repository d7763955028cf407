/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_check.c - see elf_check.h. */
#include "config.h"

#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/dispatch/table/elf_check.h"

/* Of file systems; and how few zeroes may be all that a segment has of one:
 * those that end .eh_frame, and small data. */
enum { BLOCK = 4096, FEW = 16, FEW_DATA = 64 };

#define DAMAGED "the file is damaged: "
#define AGAIN "; compile or copy it again"

struct image {
    const unsigned char *file;
    size_t size;
    ElfW(Ehdr) head;
    char *why;
    size_t why_size;
};

__attribute__((format(printf, 2, 3)))
static int refuse(const struct image *m, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(m->why, m->why_size, format, ap);
    va_end(ap);
    return -1;
}

/* What this library itself was built for. */
extern const ElfW(Ehdr) __ehdr_start
    __attribute__((visibility("hidden"), weak));

static int other_machine(const ElfW(Ehdr) *head)
{
    const ElfW(Ehdr) *own = &__ehdr_start;

    return own != NULL
        && (head->e_machine != own->e_machine
            || head->e_ident[EI_CLASS] != own->e_ident[EI_CLASS]
            || head->e_ident[EI_DATA] != own->e_ident[EI_DATA]);
}

/* Bytes at ... at + length lie in the file. */
static int inside(const struct image *m, size_t at, size_t length)
{
    return at <= m->size && length <= m->size - at;
}

static int check_head(struct image *m)
{
    if (m->size >= sizeof(m->head))
        memcpy(&m->head, m->file, sizeof(m->head));
    if (memcmp(m->head.e_ident, ELFMAG, SELFMAG) != 0
        || other_machine(&m->head) || m->head.e_type != ET_DYN
        || m->head.e_phentsize != sizeof(ElfW(Phdr)))
        return refuse(m, "not a shared object for this machine; make one by "
                      "chorale generate --format c and compile it here");
    if (!inside(m, m->head.e_phoff, m->head.e_phnum * sizeof(ElfW(Phdr))))
        return refuse(m, "the file is cut short; copy it again");
    return 0;
}

static ElfW(Phdr) segment(const struct image *m, size_t i)
{
    ElfW(Phdr) seg;

    memcpy(&seg, m->file + m->head.e_phoff + i * sizeof(seg), sizeof(seg));
    return seg;
}

/* length bytes of memory at an address, as the file has them; NULL: none. */
static const unsigned char *at(const struct image *m, ElfW(Addr) address,
                               size_t length)
{
    for (size_t i = 0; i < m->head.e_phnum; i++) {
        const ElfW(Phdr) seg = segment(m, i);

        if (seg.p_type == PT_LOAD && address >= seg.p_vaddr
            && address - seg.p_vaddr <= seg.p_filesz
            && length <= seg.p_filesz - (address - seg.p_vaddr))
            return m->file + seg.p_offset + (address - seg.p_vaddr);
    }
    return NULL;
}

/* 1 if an address is in memory with these rights. */
static int is_memory(const struct image *m, ElfW(Addr) address,
                     size_t length, ElfW(Word) flags)
{
    for (size_t i = 0; i < m->head.e_phnum; i++) {
        const ElfW(Phdr) seg = segment(m, i);

        if (seg.p_type == PT_LOAD && (seg.p_flags & flags) == flags
            && address >= seg.p_vaddr && address - seg.p_vaddr <= seg.p_memsz
            && length <= seg.p_memsz - (address - seg.p_vaddr))
            return 1;
    }
    return 0;
}

static int check_segments(const struct image *m)
{
    ElfW(Addr) end = 0;
    int loads = 0;

    for (size_t i = 0; i < m->head.e_phnum; i++) {
        const ElfW(Phdr) seg = segment(m, i);

        if (seg.p_type != PT_LOAD)
            continue;
        if (!inside(m, seg.p_offset, seg.p_filesz))
            return refuse(m, "the file is cut short; copy it again");
        if (seg.p_memsz < seg.p_filesz || seg.p_vaddr < end
            || seg.p_vaddr + seg.p_memsz < seg.p_vaddr)
            return refuse(m, DAMAGED "segment %zu cannot be where it says"
                          AGAIN, i);
        end = seg.p_vaddr + seg.p_memsz;
        loads++;
    }
    return loads > 0 ? 0 : refuse(m, DAMAGED "it has no segments" AGAIN);
}

/* Of the dynamic section. */
struct tags {
    ElfW(Addr) strings, symbols, gnu_hash, hash, rela, jumps;
    size_t string_size, rela_size, jump_size;
    ElfW(Addr) init, fini, init_array;
    size_t init_size;
    int packed;              /* addends of relocations are in the data */
};

static void take_tag(struct tags *t, const ElfW(Dyn) *d)
{
    switch (d->d_tag) {
    case DT_STRTAB: t->strings = d->d_un.d_ptr; break;
    case DT_STRSZ: t->string_size = d->d_un.d_val; break;
    case DT_SYMTAB: t->symbols = d->d_un.d_ptr; break;
    case DT_GNU_HASH: t->gnu_hash = d->d_un.d_ptr; break;
    case DT_HASH: t->hash = d->d_un.d_ptr; break;
    case DT_RELA: t->rela = d->d_un.d_ptr; break;
    case DT_RELASZ: t->rela_size = d->d_un.d_val; break;
    case DT_JMPREL: t->jumps = d->d_un.d_ptr; break;
    case DT_PLTRELSZ: t->jump_size = d->d_un.d_val; break;
    case DT_INIT: t->init = d->d_un.d_ptr; break;
    case DT_FINI: t->fini = d->d_un.d_ptr; break;
    case DT_INIT_ARRAY: t->init_array = d->d_un.d_ptr; break;
    case DT_INIT_ARRAYSZ: t->init_size = d->d_un.d_val; break;
    case DT_REL: t->packed = 1; break;
    case 36: t->packed = 1; break; /* DT_RELR, newer than some elf.h */
    default: break;
    }
}

static int find_tags(const struct image *m, struct tags *t)
{
    for (size_t i = 0; i < m->head.e_phnum; i++) {
        const ElfW(Phdr) seg = segment(m, i);
        const unsigned char *from;
        ElfW(Dyn) d;

        if (seg.p_type != PT_DYNAMIC)
            continue;
        from = at(m, seg.p_vaddr, seg.p_filesz);
        for (size_t k = 0; from != NULL && k < seg.p_filesz / sizeof(d); k++) {
            memcpy(&d, from + k * sizeof(d), sizeof(d));
            if (d.d_tag == DT_NULL)
                return 0;
            take_tag(t, &d);
        }
        return refuse(m, DAMAGED "its dynamic section does not end" AGAIN);
    }
    return refuse(m, DAMAGED "it has no dynamic section" AGAIN);
}

/* 1 if every chain of the hash table ends inside the file. */
static int gnu_hash_is_whole(const struct image *m, ElfW(Addr) table)
{
    const unsigned char *p = at(m, table, 16);
    uint32_t head[4], last = 0, one, buckets;
    ElfW(Addr) bucket, chain;

    if (p == NULL)
        return 0;
    memcpy(head, p, sizeof(head)); /* buckets, first symbol, words, shift */
    buckets = head[0];
    bucket = table + 16 + head[2] * sizeof(ElfW(Addr));
    if (buckets == 0 || head[2] == 0 || (head[2] & (head[2] - 1)) != 0
        || (p = at(m, bucket, 4 * (size_t)buckets)) == NULL)
        return 0;
    for (uint32_t i = 0; i < buckets; i++) {
        memcpy(&one, p + 4 * (size_t)i, 4);
        last = one > last ? one : last;
    }
    if (last < head[1]) /* of nothing that it has */
        return last == 0;
    chain = bucket + 4 * (ElfW(Addr))buckets;
    for (ElfW(Addr) i = last - head[1];; i++) {
        if ((p = at(m, chain + 4 * i, 4)) == NULL)
            return 0;
        memcpy(&one, p, 4);
        if (one & 1)
            return 1;
    }
}

static int hash_is_whole(const struct image *m, ElfW(Addr) table)
{
    const unsigned char *p = at(m, table, 8);
    uint32_t head[2];

    if (p == NULL)
        return 0;
    memcpy(head, p, sizeof(head)); /* buckets, symbols */
    return head[0] > 0
        && at(m, table, 8 + 4 * ((size_t)head[0] + head[1])) != NULL;
}

static int check_relocations(const struct image *m, ElfW(Addr) table,
                             size_t size)
{
    const unsigned char *p = at(m, table, size);
    ElfW(Rela) r;

    if (p == NULL || size % sizeof(r) != 0)
        return refuse(m, DAMAGED "its relocations are not all there" AGAIN);
    for (size_t i = 0; i < size / sizeof(r); i++) {
        memcpy(&r, p + i * sizeof(r), sizeof(r));
        if (r.r_info == 0 || !is_memory(m, r.r_offset, sizeof(ElfW(Addr)),
                                        PF_W))
            return refuse(m, DAMAGED "relocation %zu is none" AGAIN, i);
    }
    return 0;
}

static int check_tables(const struct image *m, const struct tags *t)
{
    if (t->string_size == 0 || at(m, t->strings, t->string_size) == NULL
        || at(m, t->symbols, sizeof(ElfW(Sym))) == NULL)
        return refuse(m, DAMAGED "it has no symbols" AGAIN);
    if ((t->gnu_hash == 0 && t->hash == 0)
        || (t->gnu_hash != 0 && !gnu_hash_is_whole(m, t->gnu_hash))
        || (t->hash != 0 && !hash_is_whole(m, t->hash)))
        return refuse(m, DAMAGED "nothing finds its symbols" AGAIN);
    if ((t->init != 0 && !is_memory(m, t->init, 1, PF_X))
        || (t->fini != 0 && !is_memory(m, t->fini, 1, PF_X))
        || (t->init_size != 0 && at(m, t->init_array, t->init_size) == NULL))
        return refuse(m, DAMAGED "what it runs first is no code" AGAIN);
    if (t->rela_size != 0 && check_relocations(m, t->rela, t->rela_size) != 0)
        return -1;
    return t->jump_size != 0 ? check_relocations(m, t->jumps, t->jump_size)
                             : 0;
}

/* Bytes of memory at an address that relocations fill. */
static size_t filled(const struct image *m, ElfW(Addr) table, size_t size,
                     ElfW(Addr) from, size_t length)
{
    const unsigned char *p = at(m, table, size);
    size_t bytes = 0;
    ElfW(Rela) r;

    for (size_t i = 0; p != NULL && i < size / sizeof(r); i++) {
        memcpy(&r, p + i * sizeof(r), sizeof(r));
        if (r.r_offset >= from && r.r_offset - from < length)
            bytes += sizeof(ElfW(Addr));
    }
    return bytes;
}

/* Blocks of which a segment has nothing but zeroes. */
static int check_blocks(const struct image *m, const struct tags *t,
                        const ElfW(Phdr) *seg)
{
    const int data = (seg->p_flags & PF_W) && !t->packed;
    const size_t end = seg->p_offset + seg->p_filesz;
    size_t next, may;

    for (size_t from = seg->p_offset; from < end; from = next) {
        const ElfW(Addr) address = seg->p_vaddr + (from - seg->p_offset);
        size_t i = from;

        next = (from / BLOCK + 1) * BLOCK;
        next = next < end ? next : end;
        while (i < next && m->file[i] == 0)
            i++;
        if (i < next)
            continue;
        may = FEW;
        if (data)
            may = FEW_DATA
                + filled(m, t->rela, t->rela_size, address, next - from)
                + filled(m, t->jumps, t->jump_size, address, next - from);
        if (next - from >= may)
            return refuse(m, DAMAGED "bytes %zu to %zu are zeroes" AGAIN, from,
                          next - 1);
    }
    return 0;
}

/* Of all segments that may be written, or of the others. */
static int check_all_blocks(const struct image *m, const struct tags *t,
                            int writable)
{
    for (size_t i = 0; i < m->head.e_phnum; i++) {
        const ElfW(Phdr) seg = segment(m, i);

        if (seg.p_type == PT_LOAD && !(seg.p_flags & PF_W) == !writable
            && check_blocks(m, t, &seg) != 0)
            return -1;
    }
    return 0;
}

int chorale_elf_check(const void *file, size_t size, char *why,
                      size_t why_size)
{
    struct image m = { .file = file, .size = size, .why = why,
                       .why_size = why_size };
    struct tags t = {0};

    if (check_head(&m) != 0 || check_segments(&m) != 0
        || check_all_blocks(&m, &t, 0) != 0 || find_tags(&m, &t) != 0
        || check_tables(&m, &t) != 0)
        return -1;
    return check_all_blocks(&m, &t, 1);
}
