/* SPDX-License-Identifier: BSD-3-Clause */
/* Which nodes are stragglers, from invented speeds, and whose switches Slurm
 * names. */
#include "config.h"

#include <string.h>

#include "db/environment.h"
#include "db/node_outliers.h"
#include "tests/tap.h"

enum { N = 5 };

/* n nodes of four ranks that copy 8 GB/s together, 2 us from each other. */
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
           "the switches above this node, by its short name or its full one");
    tap_ok(chorale_facts_switch(of, "n2") == NULL &&
           chorale_facts_switch(of, "1") == NULL &&
           chorale_facts_switch(of, "leaf7") == NULL &&
           chorale_facts_switch(of, "n10") == NULL &&
           chorale_facts_switch("spine.leaf7.n10", "n1") == NULL &&
           chorale_facts_switch(full, "n2.example.org") == NULL,
           "another node's are not known here");
    tap_ok(chorale_facts_switch("n1", "n1") == NULL &&
               chorale_facts_switch(".n1", "n1") == NULL &&
               chorale_facts_switch("n1.example.org", "n1.example.org") == NULL,
           "no switch where Slurm knows of none, and names the node alone");
    tap_ok(chorale_facts_switch(NULL, "n1") == NULL &&
           chorale_facts_switch("", "n1") == NULL &&
           chorale_facts_switch("spine.leaf7.", "") == NULL &&
           chorale_facts_switch("spine.leaf7.", ".org") == NULL,
           "nor are any without a name");
}

int main(void)
{
    struct chorale_node_speed node[N];
    char text[256], little[12];
    int n;

    alike(node, N);
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 0 && text[0] == '\0', "nodes that are alike: none");

    node[3].memory = 0.81 * 8e9 * 1.02;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "memory just above the threshold: none");
    node[3].memory = 0.5 * 8e9 * 1.02;
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "3 (copies 0.5 of the median)") == 0,
       "half of the median: that node (%s)", text);

    alike(node, N);
    node[4].memory /= 4;
    node[4].ranks = 1;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "a node of fewer ranks is held by the rank");

    alike(node, N);
    node[1].next = 6e-6;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "one slow way: neither of its nodes, each has another");
    node[2].next = 6e-6;
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (messages 3 of the median)") == 0,
       "both ways of a node are slow: that node (%s)", text);
    node[2].memory /= 2;
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 1 &&
           strcmp(text, "2 (copies 0.5, messages 3 of the median)") == 0,
       "a node that is slow both ways is named with both (%s)", text);
    alike(node, N);
    node[0].next = node[N - 1].next = 3.2e-6;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 1 &&
           strncmp(text, "0 (", 3) == 0,
       "the ring is closed: the first node too");
    node[0].next = node[N - 1].next = 2.9e-6;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "messages just below the threshold: none");

    alike(node, N);
    node[1].bandwidth = 1e9;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "one narrow way: neither of its nodes");
    node[2].bandwidth = 1e9;
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (bandwidth 0.1 of the median)") == 0,
       "both ways of a node are narrow, and as short as ever: that node (%s)",
       text);
    node[1].next = node[2].next = 6e-6;
    node[2].memory /= 2;
    n = chorale_preflight_judge(node, N, text, sizeof(text));
    tap_ok(n == 1 && strcmp(text, "2 (copies 0.5, messages 3, bandwidth 0.1 "
                                  "of the median)") == 0,
       "a node that is slow in all ways is named with all (%s)", text);
    alike(node, N);
    node[3].bandwidth = node[2].bandwidth = 0.68e10;
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0,
       "bandwidth just above the threshold: none");

    alike(node, N);
    node[0].memory = node[2].memory = 1e9;
    n = chorale_preflight_judge(node, N, little, sizeof(little));
    tap_ok(n == 2 && strlen(little) < sizeof(little),
       "a text that is too short is cut, the number is right");

    alike(node, 2);
    node[1].memory = 1e9;
    tap_ok(chorale_preflight_judge(node, 2, text, sizeof(text)) == 0,
       "of two nodes none: which would it be?");
    alike(node, 3);
    node[2].memory = 1e9;
    tap_ok(chorale_preflight_judge(node, 3, text, sizeof(text)) == 1,
       "of three one");
    memset(node, 0, sizeof(node));
    tap_ok(chorale_preflight_judge(node, N, text, sizeof(text)) == 0 &&
           chorale_preflight_judge(node, 0, text, sizeof(text)) == 0,
       "nothing measured: none");
    switches();
    return tap_done();
}
