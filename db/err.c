/* SPDX-License-Identifier: BSD-3-Clause */
/* err.c - error classes and messages. */
#include "db/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *chorale_err_unwritten(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return "; make the folder first, or name another place";
    case EISDIR:
        return "; name a file";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; name a place where you may write";
    case ENOSPC:
    case EDQUOT:
        return "; free some space and repeat the command";
    case ENAMETOOLONG:
        return "; name a place nearer to /";
    case EFBIG:
        return "; raise the limit of a file's size (`ulimit -f`)";
    case EMFILE:
    case ENFILE:
        return "; raise the limit of open files (`ulimit -n`)";
    default:
        return "; repair the file system, or name a place on another";
    }
}

/* Make foreign text safe to print: one line without control characters, which
 * could steer a terminal. */
static void flatten(char *text)
{
    char *out = text;

    for (const char *in = text; *in != '\0'; in++) {
        int space = *in == '\n' || *in == '\r';

        if (space)
            in += strspn(in + 1, " \t\r\n");
        *out = space || *in == '\t' ? ' ' : *in;
        if ((unsigned char)*out < ' ' || *out == 0x7F)
            *out = '?';
        out++;
    }
    *out = '\0';
}

/* Is this byte a continuation byte of a UTF-8 character? */
static int is_inside(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Cut the middle of a message that is too long. The middle is usually part of a
 * path; the object in front and the remedy at the end stay. */
static void fit(const char *whole, struct chorale_errmsg *msg)
{
    static const char gap[] = " ... ";
    const size_t room = sizeof(msg->text) - sizeof(gap);
    const size_t length = strlen(whole);
    size_t head = room / 3, tail = length - (room - room / 3);

    if (length < sizeof(msg->text)) {
        strcpy(msg->text, whole);
        return;
    }
    while (head > 0 && is_inside(whole[head]))
        head--;
    while (is_inside(whole[tail]))
        tail++;
    snprintf(msg->text, sizeof(msg->text), "%.*s%s%s", (int)head, whole, gap,
             whole + tail);
}

enum chorale_err chorale_fail(struct chorale_errmsg *msg, enum chorale_err err,
                              const char *format, ...)
{
    enum { WHOLE = 4 * 4096 }; /* three paths of maximum length, and text */

    if (msg != NULL) {
        char whole[WHOLE];
        va_list ap;

        va_start(ap, format);
        vsnprintf(whole, sizeof(whole), format, ap);
        va_end(ap);
        flatten(whole);
        fit(whole, msg);
    }
    return err;
}

enum chorale_err chorale_fail_memory(struct chorale_errmsg *msg,
                                     const char *what)
{
    return chorale_fail(msg, CHORALE_ENV, "%s%sout of memory; end other "
                        "programs, raise the limit (`ulimit -v`), or ask for "
                        "less at once", what != NULL ? what : "",
                        what != NULL ? ": " : "");
}

enum chorale_err chorale_fail_written(struct chorale_errmsg *msg,
                                      const char *path, int error)
{
    return chorale_fail(msg, CHORALE_ENV, "%s: %s%s", path, strerror(error),
                        chorale_err_unwritten(error));
}

enum chorale_err chorale_fail_read(struct chorale_errmsg *msg,
                                   const char *path, int error)
{
    return chorale_fail(msg, CHORALE_ENV, "%s: cannot be read (%s); repair it "
                        "or its file system, and repeat the command", path,
                        strerror(error));
}

enum chorale_err chorale_fail_long(struct chorale_errmsg *msg,
                                   const char *path)
{
    return chorale_fail(msg, CHORALE_ENV, "%.700s: its path is too long; name "
                        "a place nearer to /", path);
}

enum chorale_err chorale_fail_output(struct chorale_errmsg *msg,
                                     const char *what)
{
    return chorale_fail(msg, CHORALE_ENV, "%s%scannot write the output (is "
                        "the disk full?); free some space and repeat the "
                        "command", what != NULL ? what : "",
                        what != NULL ? ": " : "");
}

enum chorale_err chorale_fail_system(struct chorale_errmsg *msg,
                                     const char *what, int error)
{
    return chorale_fail(msg, CHORALE_ENV, "%s: %s; end other programs, or "
                        "raise the limits that `ulimit -a` shows", what,
                        strerror(error));
}

void chorale_printable(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > 126)
            *c = '?';
}
