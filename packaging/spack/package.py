# SPDX-License-Identifier: Apache-2.0
"""A recipe for Spack.  It was not run.  Last read against the build:
2026-11-27.  Add url and sha256 from packaging/release.sh."""

from spack.package import *


class Farsum(CMakePackage):
    """Sums long-range interactions of many particles, to a stated error."""

    license("Apache-2.0")
    # version("0.2.0", sha256="SHA256-OF-THE-TARBALL")

    variant("fftw", default=True, description="use FFTW, which is under the GPL")
    variant("mpi", default=True, description="sums over the ranks of MPI")
    variant("fortran", default=True, description="install the Fortran modules")
    variant("tools", default=True, description="build the command")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("kissfft")
    depends_on("xxhash@0.8:")
    depends_on("fftw@3.3.5: precision=float,double +openmp", when="+fftw")
    depends_on("mpi@3:", when="+mpi")
    depends_on("jansson@2.10:", when="+tools")
    depends_on("zlib-api", when="+tools")
    depends_on("hdf5", when="+tools")

    def cmake_args(self):
        return [
            self.define_from_variant("FARSUM_FFTW", "fftw"),
            self.define_from_variant("FARSUM_MPI", "mpi"),
            self.define_from_variant("FARSUM_FORTRAN", "fortran"),
            self.define_from_variant("FARSUM_TOOLS", "tools"),
            self.define("FARSUM_PAPERS", False),
            self.define("FARSUM_TESTS", False),
            self.define("FARSUM_EXAMPLES", False),
        ]
