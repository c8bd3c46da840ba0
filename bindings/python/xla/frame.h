/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h: a call by XLA: its buffers as doubles, its attributes, its errors.
 *
 * A handler is a function of a frame.  handled<work, on_device> is the C
 * function that XLA calls; what the handler throws becomes an error of XLA. */
#ifndef FRAME_H
#define FRAME_H

#include <farsum/farsum.hpp>

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "call.h"
#include "driver.h"

namespace handler
{

using reals = std::vector<double>;

[[noreturn]] inline void refuse(const std::string &words)
{
    throw farsum::error(FARSUM_ERR_ARGUMENT, words);
}

/* A buffer of XLA, on the host or on the call's device. */
struct buffer : call_buffer {
    std::int64_t count() const
    {
        std::int64_t n = 1;
        for (std::int64_t k = 0; k < rank; k++)
            n *= axes[k];
        return n;
    }
};

class frame
{
  public:
    /* on_device: the buffers are on a GPU of CUDA, and the stream's earlier
     * work is waited for. */
    frame(const call *c, bool on_device);

    buffer argument(int k) const
    {
        return {call_argument(call_, k)};
    }
    buffer result(int k) const
    {
        return {call_result(call_, k)};
    }
    std::string_view text(const char *name) const;
    bool flag(const char *name) const;

    /* An argument's numbers on the host, NULL if it has none; valid as long as
     * the frame. */
    const double *numbers(int k);
    std::vector<std::int64_t> integers(int k) const;
    /* Zeros on the host for a result; finish() writes them to its buffer. */
    double *output(int k);
    void finish();
    /* Copies from the buffers' memory to the host. */
    void read(void *to, const void *from, std::size_t bytes) const;

  private:
    struct pending {
        buffer to;
        double *from;
    };
    const call *call_;
    bool on_device_;
    void *stream_ = nullptr;
    std::optional<inside> inside_;
    std::deque<reals> owned_;
    std::map<int, reals *> copied_; /* arguments that are in owned_ */
    std::vector<pending> outputs_;

    void write(void *to, const void *from, std::size_t bytes) const;
};

template <void (*work)(frame &), bool on_device>
call_error *handled(const call *c)
{
    if (call_answers_metadata(c))
        return nullptr;
    try {
        frame own(c, on_device);
        work(own);
        own.finish();
        return nullptr;
    } catch (const farsum::error &e) {
        return call_failure(c, e.status(), e.what());
    } catch (const std::bad_alloc &) {
        return call_failure(c, FARSUM_ERR_MEMORY, "out of memory");
    } catch (const std::exception &e) {
        return call_failure(c, FARSUM_ERR_INTERNAL, e.what());
    }
}

} // namespace handler
#endif
