/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c - loads an MPI program as a private module (RTLD_LOCAL), as
 * interpreters do: the MPI library is not in the global scope. argv[1]: the
 * module, with its main named module_main. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*start)(int, char **);
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

    if (module == NULL) {
        printf("host: cannot load the module\n");
        return 1;
    }
    *(void **)&start = dlsym(module, "module_main");
    return start != NULL ? start(1, argv) : 1;
}
