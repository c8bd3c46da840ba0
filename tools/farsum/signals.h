/* signals.h: Ctrl-C and the like leave no half-written file. */
#ifndef FARSUM_TOOLS_SIGNALS_H
#define FARSUM_TOOLS_SIGNALS_H

/* From now on SIGINT, SIGTERM and SIGHUP remove the files that are watched,
 * then end the process as they would have. */
void signals_catch(void);
/* Watches a file until unwatch; a slot, or -1 if there is none.  NULL: -1. */
int signals_watch(const char *path);
void signals_unwatch(int slot);
#endif
