/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_events.c - Chorale's own events, for PAPI's tools:
 *
 *     papi_native_avail -sde .../chorale/libchorale_events.so
 *
 * papi.c uses the same description to publish them in the runner.
 */
#include "runners/papi/papi_events.h"

papi_handle_t chorale_papi_describe(papi_sde_fptr_struct_t *papi,
                                    struct chorale_stat *stat)
{
    static const char *const what[CHORALE_OWN] = {
        "messages sent", "bytes of payload sent",
        "bytes combined by the operation",
        "steps that complete messages before the rank goes on",
        "nanoseconds in calls that complete messages",
    };
    papi_handle_t handle = papi->init("chorale");

    for (int i = 0; i < CHORALE_OWN; i++) {
        papi->register_counter(handle, chorale_own_name(i),
                               PAPI_SDE_RO | PAPI_SDE_DELTA,
                               PAPI_SDE_long_long,
                               chorale_own_value(stat, i));
        papi->describe_counter(handle, chorale_own_name(i), what[i]);
    }
    return handle;
}

papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *papi)
{
    static struct chorale_stat nothing;

    return chorale_papi_describe(papi, &nothing);
}
