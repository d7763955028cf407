/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - stragglers are found from simulated node speeds, and the
 * switches above a node from Slurm's topology address. */
#include "config.h"

#include <string.h>

#include "db/environment.h"
#include "db/node_outliers.h"
#include "tests/tap.h"

enum { N = 5 };

/* Set n equal nodes of four ranks: 8 GB/s of copies, 2 us between nodes. */
static void alike(struct chorale_node_speed *node, int n)
{
    for (int i = 0; i < n; i++)
        node[i] = (struct chorale_node_speed){ 8e9 * (1 + 0.01 * i), 4, 2e-6,
                                                1e10 };
}

static void switches(void)
{
    const char *of = "spine.leaf7.n1", *full = "leaf7.n1.example.org";

    tap_ok(chorale_facts_switch(of, "n1") == of &&
           chorale_facts_switch(of, "n1.example.org") == of &&
           chorale_facts_switch(full, "n1.example.org") == full,
           "the switches above a node are found by its short or full name");
    tap_ok(chorale_facts_switch(of, "n2") == NULL &&
           chorale_facts_switch(of, "1") == NULL &&
           chorale_facts_switch(of, "leaf7") == NULL &&
           chorale_facts_switch(of, "n10") == NULL &&
           chorale_facts_switch("spine.leaf7.n10", "n1") == NULL &&
           chorale_facts_switch(full, "n2.example.org") == NULL,
           "an address of another node is not used");
    tap_ok(chorale_facts_switch("n1", "n1") == NULL &&
               chorale_facts_switch(".n1", "n1") == NULL &&
               chorale_facts_switch("n1.example.org", "n1.example.org") == NULL,
           "an address with the node alone has no switch");
    tap_ok(chorale_facts_switch(NULL, "n1") == NULL &&
           chorale_facts_switch("", "n1") == NULL &&
           chorale_facts_switch("spine.leaf7.", "") == NULL &&
           chorale_facts_switch("spine.leaf7.", ".org") == NULL,
           "an empty name has no switch");
}

int main(void)
{
    struct chorale_node_speed node[N];
    char text[256], little[12];
    int n;

    alike(node, N);
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 0 && text[0] == '\0', "equal nodes: no straggler");

    node[3].memory = 0.81 * 8e9 * 1.02;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "copies just above the threshold: no straggler");
    node[3].memory = 0.5 * 8e9 * 1.02;
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "3 (copies 0.5 of the median)") == 0,
       "copies at half of the median: that node is a straggler (%s)", text);

    alike(node, N);
    node[4].memory /= 4;
    node[4].ranks = 1;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "a node with fewer ranks is compared per rank");

    alike(node, N);
    node[1].next = 6e-6;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "one slow link: no straggler, because each node has another link");
    node[2].next = 6e-6;
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (messages 3 of the median)") == 0,
       "both links of a node are slow: that node is a straggler (%s)", text);
    node[2].memory /= 2;
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 1 &&
           strcmp(text, "2 (copies 0.5, messages 3 of the median)") == 0,
       "slow copies and slow messages are both named (%s)", text);
    alike(node, N);
    node[0].next = node[N - 1].next = 3.2e-6;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 1 &&
           strncmp(text, "0 (", 3) == 0,
       "the ring is closed: node 0 can be a straggler too");
    node[0].next = node[N - 1].next = 2.9e-6;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "messages just below the threshold: no straggler");

    alike(node, N);
    node[1].bandwidth = 1e9;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "one link of low bandwidth: no straggler");
    node[2].bandwidth = 1e9;
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (bandwidth 0.1 of the median)") == 0,
       "both links have low bandwidth, normal latency: straggler (%s)",
       text);
    node[1].next = node[2].next = 6e-6;
    node[2].memory /= 2;
    n = chorale_stragglers_find(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (copies 0.5, messages 3, bandwidth 0.1 "
                                  "of the median)") == 0,
       "a node that is slow in all measures is named with all (%s)", text);
    alike(node, N);
    node[3].bandwidth = node[2].bandwidth = 0.68e10;
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0,
       "bandwidth just above the threshold: no straggler");

    alike(node, N);
    node[0].memory = node[2].memory = 1e9;
    n = chorale_stragglers_find(node, N, little, sizeof(little));
    tap_ok(n == 2 && strlen(little) < sizeof(little),
       "a short buffer is truncated, and the count is right");

    alike(node, 2);
    node[1].memory = 1e9;
    tap_ok(chorale_stragglers_find(node, 2, text, sizeof(text)) == 0,
       "of two nodes no straggler can be identified");
    alike(node, 3);
    node[2].memory = 1e9;
    tap_ok(chorale_stragglers_find(node, 3, text, sizeof(text)) == 1,
       "of three nodes a straggler is found");
    memset(node, 0, sizeof(node));
    tap_ok(chorale_stragglers_find(node, N, text, sizeof(text)) == 0 &&
           chorale_stragglers_find(node, 0, text, sizeof(text)) == 0,
       "without measurements there is no straggler");
    switches();
    return tap_done();
}
