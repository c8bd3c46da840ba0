/* SPDX-License-Identifier: Apache-2.0 */
/* frame.cc: buffers, attributes and errors of a call by XLA. */
#include "frame.h"

#include <algorithm>
#include <cstring>

namespace handler
{

frame::frame(const call *c, bool on_device) : call_(c), on_device_(on_device)
{
    if (!on_device)
        return;
    if (!call_stream(c, &stream_))
        throw farsum::error(FARSUM_ERR_DEVICE, "XLA has no stream");
    inside_.emplace(stream_);
    cuda().wait(stream_);
}

void frame::read(void *to, const void *from, std::size_t bytes) const
{
    if (on_device_)
        cuda().read(to, from, bytes, stream_);
    else
        std::memcpy(to, from, bytes);
}

void frame::write(void *to, const void *from, std::size_t bytes) const
{
    if (on_device_)
        cuda().write(to, from, bytes, stream_);
    else
        std::memcpy(to, from, bytes);
}

std::string_view frame::text(const char *name) const
{
    std::size_t length = 0;
    const char *found = call_text(call_, name, &length);
    if (!found)
        refuse(std::string("the call has no text ") + name);
    return {found, length};
}

bool frame::flag(const char *name) const
{
    const std::int32_t *found = call_int32(call_, name);
    if (!found)
        refuse(std::string("the call has no int32 ") + name);
    return *found != 0;
}

const double *frame::numbers(int k)
{
    buffer from = argument(k);
    auto n = static_cast<std::size_t>(from.count());
    if (n == 0)
        return nullptr;
    if (from.type == CALL_F64 && !on_device_)
        return static_cast<const double *>(from.data);
    if (reals *before = copied_[k])
        return before->data();
    reals &to = *(copied_[k] = &owned_.emplace_back(n));
    if (from.type == CALL_F64) {
        read(to.data(), from.data, n * sizeof(double));
    } else if (from.type == CALL_F32) {
        std::vector<float> narrow(n);
        read(narrow.data(), from.data, n * sizeof(float));
        std::copy(narrow.begin(), narrow.end(), to.begin());
    } else {
        refuse("argument " + std::to_string(k) + " is neither f32 nor f64");
    }
    return to.data();
}

std::vector<std::int64_t> frame::integers(int k) const
{
    buffer from = argument(k);
    auto n = static_cast<std::size_t>(from.count());
    std::vector<std::int64_t> to(n);
    if (n == 0)
        return to;
    if (from.type == CALL_INT64) {
        read(to.data(), from.data, n * sizeof(std::int64_t));
    } else if (from.type == CALL_INT32) {
        std::vector<std::int32_t> narrow(n);
        read(narrow.data(), from.data, n * sizeof(std::int32_t));
        std::copy(narrow.begin(), narrow.end(), to.begin());
    } else {
        refuse("argument " + std::to_string(k) + " is neither int32 nor int64");
    }
    return to;
}

double *frame::output(int k)
{
    buffer to = result(k);
    auto n = static_cast<std::size_t>(to.count());
    if (to.type == CALL_F64 && !on_device_) {
        auto *own = static_cast<double *>(to.data);
        std::fill_n(own, n, 0.0);
        return own;
    }
    reals &from = owned_.emplace_back(n);
    outputs_.push_back({to, from.data()});
    return from.data();
}

void frame::finish()
{
    for (const pending &one : outputs_) {
        auto n = static_cast<std::size_t>(one.to.count());
        if (n == 0)
            continue;
        if (one.to.type == CALL_F64) {
            write(one.to.data, one.from, n * sizeof(double));
        } else {
            std::vector<float> narrow(one.from, one.from + n);
            write(one.to.data, narrow.data(), n * sizeof(float));
        }
    }
}

} // namespace handler
