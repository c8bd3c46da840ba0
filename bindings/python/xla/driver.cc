/* SPDX-License-Identifier: Apache-2.0 */
/* driver.cc: functions of CUDA's driver. */
#include "driver.h"

#include <farsum/farsum.hpp>

#include <cstdint>
#include <dlfcn.h>

namespace handler
{

static void need(int status, const char *what)
{
    if (status != 0)
        throw farsum::error(FARSUM_ERR_DEVICE, std::string(what)
                                                   + " failed: CUDA's status "
                                                   + std::to_string(status));
}

template <class F> static void find(void *library, const char *name, F &to)
{
    to = reinterpret_cast<F>(dlsym(library, name));
    if (!to)
        throw farsum::error(FARSUM_ERR_DEVICE,
                            std::string("libcuda.so.1 has no ") + name);
}

driver::driver()
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        throw farsum::error(FARSUM_ERR_DEVICE, "libcuda.so.1 was not found");
    find(library, "cuStreamGetCtx", context_of_);
    find(library, "cuCtxPushCurrent_v2", push_);
    find(library, "cuCtxPopCurrent_v2", pop_);
    find(library, "cuMemcpyDtoHAsync_v2", to_host_);
    find(library, "cuMemcpyHtoDAsync_v2", to_device_);
    find(library, "cuStreamSynchronize", synchronize_);
    find(library, "cuCtxGetDevice", device_);
}

void driver::read(void *to, const void *from, std::size_t bytes,
                  void *stream) const
{
    auto at = reinterpret_cast<std::uintptr_t>(from);
    need(to_host_(to, at, bytes, stream), "cuMemcpyDtoHAsync");
    wait(stream);
}

void driver::write(void *to, const void *from, std::size_t bytes,
                   void *stream) const
{
    auto at = reinterpret_cast<std::uintptr_t>(to);
    need(to_device_(at, from, bytes, stream), "cuMemcpyHtoDAsync");
    wait(stream);
}

void driver::wait(void *stream) const
{
    need(synchronize_(stream), "cuStreamSynchronize");
}

std::string driver::current() const
{
    int device = 0;
    need(device_(&device), "cuCtxGetDevice");
    return "cuda:" + std::to_string(device);
}

const driver &cuda()
{
    static const driver one;
    return one;
}

inside::inside(void *stream)
{
    void *context = nullptr;
    need(cuda().context_of_(stream, &context), "cuStreamGetCtx");
    need(cuda().push_(context), "cuCtxPushCurrent");
}

inside::~inside()
{
    void *context = nullptr;
    cuda().pop_(&context);
}

} // namespace handler
