/* SPDX-License-Identifier: Apache-2.0 */
/* fake_peers.h: memory that several devices or processes use, in the simulated
 * driver; included by fake_driver.c. */
#ifndef FARSUM_TEST_DEVICE_FAKE_PEERS_H
#define FARSUM_TEST_DEVICE_FAKE_PEERS_H

/* What a name of an allocation holds. */
struct driver_shared {
    char bytes[64];
};
static const char shared_mark[] = "simulated memory";

static int fake_peer_access(void *name, unsigned flags)
{
    enum { ALREADY = 704 };
    static int enabled[FAKE_DEVICES][FAKE_DEVICES];
    HERE(peer_access);
#if FAKE_HIP
    int other = (int)(intptr_t)name;
#else
    int other = ((struct fake_context *)name)->device;
#endif
    if (flags != 0 || other == device)
        return INVALID;
    fake.peers++;
    return enabled[device][other]++ ? ALREADY : 0;
}
static int fake_address_range(void **start, size_t *bytes, void *address)
{
    HERE(address_range);
    for (int i = 0; i < FAKE_LIVE; i++) {
        char *from = fake.block[i].from, *at = address;
        if (!from || at < from || at >= from + fake.block[i].bytes)
            continue;
        *start = from;
        *bytes = fake.block[i].bytes;
        return 0;
    }
    return INVALID;
}
/* Only the start of an allocation has a name. */
static int fake_share(struct driver_shared *shared, void *start)
{
    void *found = NULL;
    size_t bytes = 0;
    HERE(share);
    if (fake_address_range(&found, &bytes, start) != 0 || found != start)
        return INVALID;
    memcpy(shared->bytes, shared_mark, sizeof shared_mark);
    memcpy(shared->bytes + 32, &start, sizeof start);
    return 0;
}
static int fake_shared_open(void **start, struct driver_shared shared,
                            unsigned flags)
{
    HERE(shared_open);
    if (flags != 1 || strcmp(shared.bytes, shared_mark) != 0)
        return INVALID;
    memcpy(start, shared.bytes + 32, sizeof *start);
    fake.mapped++;
    return 0;
}
static int fake_shared_close(void *start)
{
    HERE(shared_close);
    fake.mapped--;
    return inside(start, 1) ? 0 : INVALID;
}
#endif
