/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: the table of subcommands. */
#include "command.h"

#include "files.h"
#include "help.h"
#include "nearest.h"
#include "ranks/ranks.h"
#include "say.h"
#include "signals.h"
#include "start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command table[] = {
    {"run", FOR_RUN, run_main},       {"gen", FOR_GEN, gen_main},
    {"list", FOR_LIST, list_main},    {"bench", FOR_BENCH, bench_main},
    {"tune", FOR_TUNE, tune_main},    {"check", FOR_CHECK, check_main},
    {"cache", FOR_CACHE, cache_main}, {"help", FOR_HELP, help_main},
};

const struct command *command_get(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? &table[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (int k = 0; command_get(k); k++)
        if (strcmp(table[k].name, name) == 0)
            return &table[k];
    return NULL;
}

const char *command_name(int bit)
{
    int k = 0;
    while (table[k].bit != bit)
        k++;
    return table[k].name;
}

static const char *name_at(int k, const void *data)
{
    (void)data;
    return command_get(k) ? table[k].name : NULL;
}

void command_refuse(const char *name)
{
    char text[160];
    nearest(name, name_at, NULL, text, sizeof text);
    if (*text)
        say_error("unknown subcommand '%s'; did you mean %s?", name, text);
    else
        say_error("unknown subcommand '%s'; see 'farsum help'", name);
}

/* Fails if printed text was not written, for example to a full disk. */
static int finish(int status)
{
    int bad = ferror(stdout);
    errno = 0;
    if ((fflush(stdout) != 0 || bad) && status == EXIT_DONE) {
        int why = errno ? errno : signals_cause();
        say_error("standard output: %s", why ? strerror(why) : "write error");
        return EXIT_FAILED;
    }
    return status;
}

/* 1: each copy that a launcher started sums on its own. */
static int is_alone(int argc, char **argv)
{
    for (int k = 2; k < argc; k++)
        if (strcmp(argv[k], "--ranks=1") == 0
            || (strcmp(argv[k], "--ranks") == 0 && k + 1 < argc
                && strcmp(argv[k + 1], "1") == 0))
            return 1;
    return 0;
}

/* 1: copies that a launcher starts share the work, if `word` is the first
 * argument. */
static int is_shared(const struct command *command, const char *word)
{
    return command->bit == FOR_RUN
           || (command->bit == FOR_BENCH && strcmp(word, "exchange") == 0);
}

/* The same before the words are parsed. */
static int is_any_shared(const struct command *command, int argc, char **argv)
{
    int shared = is_shared(command, "");
    for (int k = 2; k < argc; k++)
        shared = shared || is_shared(command, argv[k]);
    return shared;
}

/* Rank 0 speaks for all copies. */
static void be_silent(void)
{
    say_silence();
    (void)!freopen("/dev/null", "w", stdout);
}

int main(int argc, char **argv)
{
    struct settings s = {0};
    start_descriptors();
    say_whole_lines();
    signals_catch();
    if (argc < 2) {
        help_print("farsum", stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("farsum %s\n", farsum_version());
        return finish(EXIT_DONE);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (name[0] == '-') {
        say_error("found option %s before a subcommand; see 'farsum help'",
                  name);
        return EXIT_USAGE;
    }
    const struct command *command = command_find(name);
    if (!command) {
        command_refuse(name);
        return EXIT_USAGE;
    }
    s.command = command->bit;
    struct ranks_marks marks = ranks_marks();
    if (marks.rank > 0 && is_any_shared(command, argc, argv)
        && !is_alone(argc, argv))
        be_silent();
    if (options_parse(argc - 2, argv + 2, name, &s) != 0)
        return EXIT_USAGE;
    if (s.help && command->bit != FOR_HELP) {
        help_print(name, stdout);
        return finish(EXIT_DONE);
    }
    int shared = is_shared(command, s.n_words ? s.words[0] : "");
    if (shared && s.ranks > 1 && !ranks_are_marked(&marks))
        return ranks_launch(s.ranks, argc, argv);
    if (!shared && files_check(&s, name) != 0)
        return EXIT_USAGE;
    return finish(command->main(&s));
}
