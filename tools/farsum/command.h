/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: table of subcommands. */
#ifndef FARSUM_TOOLS_COMMAND_H
#define FARSUM_TOOLS_COMMAND_H

#include "options.h"

/* Each returns an exit status (say.h). */
int run_main(struct settings *s);
int gen_main(struct settings *s);
int list_main(struct settings *s);
int bench_main(struct settings *s);
int tune_main(struct settings *s);
int check_main(struct settings *s);
int help_main(struct settings *s);
int cache_main(struct settings *s);
int map_main(struct settings *s);  /* 'tune --map' */
int exchange_main(struct settings *s); /* 'bench exchange' */
int warm_main(struct settings *s); /* 'cache warm', without these words */

struct command {
    const char *name;
    int bit; /* FOR_... */
    int (*main)(struct settings *s);
};
/* index 0, 1, ...; NULL beyond the last. */
const struct command *command_get(int index);
const struct command *command_find(const char *name); /* NULL: none */
const char *command_name(int bit); /* of a legal FOR_... */
/* Prints that no such command exists, and similar names. */
void command_refuse(const char *name);
#endif
