/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h: the functions of CUDA's driver that handlers need.  The driver is
 * opened at run time, when XLA first calls a handler for a GPU. */
#ifndef DRIVER_H
#define DRIVER_H

#include <cstddef>
#include <string>

namespace handler
{

struct driver {
    driver();
    /* Block until the copy, or all work on the stream, is done. */
    void read(void *to, const void *from, std::size_t bytes,
              void *stream) const;
    void write(void *to, const void *from, std::size_t bytes,
               void *stream) const;
    void wait(void *stream) const;
    /* Name of the thread's current device: "cuda:0". */
    std::string current() const;

  private:
    friend struct inside;
    int (*context_of_)(void *, void **);
    int (*push_)(void *);
    int (*pop_)(void **);
    int (*to_host_)(void *, unsigned long long, std::size_t, void *);
    int (*to_device_)(unsigned long long, const void *, std::size_t, void *);
    int (*synchronize_)(void *);
    int (*device_)(int *);
};

const driver &cuda();

/* While it lives, the stream's context is the thread's. */
struct inside {
    explicit inside(void *stream);
    inside(const inside &) = delete;
    ~inside();
};

} // namespace handler
#endif
