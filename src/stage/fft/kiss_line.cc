/* SPDX-License-Identifier: Apache-2.0 */
/* kiss_line.cc: C interface to kissfft.hh. */
#include "stage/fft/kiss_line.h"

#include <cmath>
#include <cstddef>
#include <kissfft/kissfft.hh>
#include <new>

struct kiss_line {
    kissfft<double> fft;
    kiss_line(std::size_t n, bool backward) : fft(n, backward) {}
};

struct kiss_line *kiss_line_create(int64_t n, int backward)
{
    try {
        kiss_line *line = new kiss_line((std::size_t)n, backward != 0);
        /* its first transform of a size with odd factors allocates */
        std::vector<std::complex<double>> in(n), out(n);
        line->fft.transform(in.data(), out.data());
        return line;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void kiss_line_destroy(struct kiss_line *line)
{
    delete line;
}

void kiss_line_run(struct kiss_line *line, const double *in, double *out)
{
    line->fft.transform(reinterpret_cast<const std::complex<double> *>(in),
                        reinterpret_cast<std::complex<double> *>(out));
}
