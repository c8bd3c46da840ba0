/* SPDX-License-Identifier: Apache-2.0 */
/* loader_peers.c: tests of memory that several devices or processes use, with a
 * simulated driver. */
#include "device/loader.h"

#include <stdlib.h>
#include <string.h>

#include "device/driver/driver.h"

static void test_places(void)
{
    struct device *a = opened(0), *b = opened(1);
    char place[32];
    driver_place(a, place, sizeof place);
    CHECK(strcmp(place, "0000:01:00.0") == 0, "%s", place);
    driver_place(b, place, sizeof place);
    CHECK(strcmp(place, "0000:02:00.0") == 0, "%s", place);
    tell("FAKE_FAIL", "bus=719");
    driver_place(b, place, sizeof place);
    CHECK(strcmp(place, b->name) == 0, "%s", place);
    tell("FAKE_FAIL", NULL);
    device_close(a);
    device_close(b);
    nothing_left("places");
}

/* The second device uses the last 100 bytes of a buffer of the first. */
static void use(struct device *b, const struct driver_peer *peer,
                const struct buf *part, int same)
{
    void *address = NULL, *mapped = NULL;
    int peers = player.fake->peers, maps = player.fake->mapped;
    CHECK_OK(driver_peer_open(b, peer, same, &address, &mapped));
    CHECK(address == part->handle, "another address");
    CHECK((mapped == NULL) == same && player.fake->mapped == maps + !same
              && player.fake->peers == peers + same,
          "%d peers, %d mapped", player.fake->peers, player.fake->mapped);
    driver_peer_close(b, mapped);
    CHECK(player.fake->mapped == maps, "%d are mapped", player.fake->mapped);
}

static void test_peers(void)
{
    struct device *a = opened(0), *b = opened(1);
    struct buf whole = {0}, part = {0};
    struct driver_peer peer;
    void *address = NULL, *mapped = NULL;
    CHECK_OK(buf_alloc(&whole, a, 300));
    CHECK_OK(buf_view(&part, &whole, 200, 100));
    CHECK_OK(driver_peer_give(&part, &peer));
    CHECK(peer.offset == 200 && peer.bytes == 100, "%lld bytes at %lld",
          (long long)peer.bytes, (long long)peer.offset);
    for (int time = 0; time < 2; time++) /* the second time, it is enabled */
        for (int same = 0; same < 2; same++)
            use(b, &peer, &part, same);
    int peers = player.fake->peers;
    CHECK_OK(driver_peer_open(a, &peer, 1, &address, &mapped));
    CHECK(player.fake->peers == peers && address == part.handle,
          "a device asks for its own memory");
    buf_clear(&part);
    buf_clear(&whole);
    device_close(a);
    device_close(b);
    nothing_left("peers");
}

static void test_bad_peers(void)
{
    static const char *const fails[] = {"address_range=719", "share=719",
                                        "peer_access=217", "shared_open=201"};
    struct device *a = opened(0), *b = opened(1);
    struct buf buf = {0};
    struct driver_peer peer;
    CHECK_OK(buf_alloc(&buf, a, 300));
    for (int k = 0; k < 4; k++) {
        void *address = NULL, *mapped = NULL;
        tell("FAKE_FAIL", fails[k]);
        farsum_status status = driver_peer_give(&buf, &peer);
        if (k > 1) {
            CHECK_OK(status);
            status = driver_peer_open(b, &peer, k == 2, &address, &mapped);
        }
        CHECK(status == FARSUM_ERR_UNSUPPORTED, "%s: status %d", fails[k],
              status);
        CHECK_SAYS(k > 1 ? "using another's memory" : "naming memory");
        CHECK(!address && !mapped, "an output was touched");
    }
    tell("FAKE_FAIL", NULL);
    buf_clear(&buf);
    device_close(a);
    device_close(b);
    nothing_left("bad peers");
}

void loader_peers(void)
{
    RUN(test_places);
    RUN(test_peers);
    RUN(test_bad_peers);
}
