/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign_label.c - the label of a campaign, given by the user or by git. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/plan/plan.h"
#include "tuner/base/process.h"

static enum chorale_err ask_git(char text[CHORALE_LABEL_SIZE],
                                struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    int status = 0;
    enum chorale_err err;

    chorale_args_add(&args, "git");
    chorale_args_add(&args, "describe");
    chorale_args_add(&args, "--always");
    chorale_args_add(&args, "--dirty");
    chorale_args_add(&args, "--abbrev=12");
    err = chorale_capture(&args, "or name the label: --label TEXT", text,
                          CHORALE_LABEL_SIZE, &status, msg);
    chorale_args_free(&args);
    text[strcspn(text, "\n")] = '\0';
    if (err == CHORALE_OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        err = chorale_fail(msg, CHORALE_ENV, "--label git: git describe: %s; "
                           "run it in a work tree, or name the label: --label "
                           "TEXT", text);
    return err;
}

enum chorale_err chorale_plan_label(const char *label,
                                    char text[CHORALE_LABEL_SIZE],
                                    struct chorale_errmsg *msg)
{
    text[0] = '\0';
    if (label == NULL)
        return CHORALE_OK;
    if (strcmp(label, "git") == 0)
        return ask_git(text, msg);
    if (strlen(label) >= CHORALE_LABEL_SIZE)
        return chorale_fail(msg, CHORALE_USAGE, "--label: %zu characters; at "
                            "most %d fit", strlen(label),
                            CHORALE_LABEL_SIZE - 1);
    for (const char *c = label; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return chorale_fail(msg, CHORALE_USAGE, "--label: has a control "
                                "character; printable ones only");
    strcpy(text, label);
    return CHORALE_OK;
}
