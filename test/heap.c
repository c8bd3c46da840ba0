/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c: replacement of malloc and related functions, which glibc allows
 * ("Replacing malloc" in its manual).  glibc's own are named __libc_*. */
#include "heap.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if !defined(SANITIZED) && defined(__GLIBC__)
#define PUBLIC __attribute__((visibility("default")))
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic int64_t calls, others_calls, live, peak;
/* Address ranges of these libraries; FFTW has two precisions, and threads for
 * each. */
enum { LIBRARIES = 8 };
static struct {
    uintptr_t begin, end;
} other[LIBRARIES];
static int libraries;

static int find_other(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    if (libraries == LIBRARIES || (!strstr(info->dlpi_name, "/libfftw3")
                                   && !strstr(info->dlpi_name, "/libgomp")))
        return 0;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        end = at + part->p_memsz > end ? at + part->p_memsz : end;
    }
    other[libraries].begin = begin;
    other[libraries++].end = end;
    return 0;
}

__attribute__((constructor)) static void find_libraries(void)
{
    dl_iterate_phdr(find_other, NULL);
}

static void *counted_by(void *p, void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    calls++;
    for (int i = 0; i < libraries; i++)
        others_calls += at >= other[i].begin && at < other[i].end;
    if (p) {
        int64_t more = (int64_t)malloc_usable_size(p);
        int64_t now = atomic_fetch_add(&live, more) + more, most = peak;
        while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
            continue;
    }
    return p;
}

/* Used in the function that the caller called. */
#define counted(p) counted_by((p), __builtin_return_address(0))

static void uncounted(void *p)
{
    if (p)
        live -= (int64_t)malloc_usable_size(p);
}

PUBLIC void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

PUBLIC void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}

PUBLIC void *realloc(void *old, size_t size)
{
    int64_t before = old ? (int64_t)malloc_usable_size(old) : 0;
    void *p = __libc_realloc(old, size);
    if (p || size == 0)
        live -= before;
    return counted(p);
}

PUBLIC void free(void *p)
{
    uncounted(p);
    __libc_free(p);
}

PUBLIC void *memalign(size_t align, size_t size)
{
    return counted(__libc_memalign(align, size));
}

PUBLIC void *aligned_alloc(size_t align, size_t size)
{
    return counted(__libc_memalign(align, size));
}

PUBLIC int posix_memalign(void **p, size_t align, size_t size)
{
    void *made = counted(__libc_memalign(align, size));
    if (!made)
        return ENOMEM;
    *p = made;
    return 0;
}

int heap_counts(void)
{
    return 1;
}

int64_t heap_calls(void)
{
    return calls;
}

int64_t heap_calls_of_others(void)
{
    return others_calls;
}

int64_t heap_live(void)
{
    return live;
}

int64_t heap_peak(void)
{
    return peak;
}

void heap_reset_peak(void)
{
    peak = live;
}
#else
int heap_counts(void)
{
    return 0;
}

int64_t heap_calls(void)
{
    return 0;
}

int64_t heap_calls_of_others(void)
{
    return 0;
}

int64_t heap_live(void)
{
    return 0;
}

int64_t heap_peak(void)
{
    return 0;
}

void heap_reset_peak(void)
{
}
#endif
