# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack 1.0 and later (package API 2). Its tarball is that of
`make dist', in the folder from which spack is called:

    spack repo add ci/packaging/spack/spack_repo/chorale
    spack install --no-checksum chorale
"""

import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Chorale(AutotoolsPackage):
    """Measures, models and chooses the algorithms of MPI's collectives."""

    manual_download = True
    url = "file://{0}/chorale-0.1.0.tar.gz".format(os.getcwd())

    license("BSD-3-Clause")

    version("0.1.0")

    variant("papi", default=True, description="Count events with PAPI")
    variant("hwloc", default=True, description="See where ranks are bound")
    variant("simgrid", default=False, description="Simulated clusters")
    variant("patented", default=True, description="Variants that are patented")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build")
    depends_on("mpi@3.1:")
    depends_on("sqlite@3.35:")
    depends_on("gsl@2.0:")
    depends_on("jansson@2.7:")
    depends_on("papi@7: +sde", when="+papi")
    depends_on("hwloc@2.0:", when="+hwloc")
    depends_on("simgrid@3.32:", when="+simgrid")
    depends_on("gnuplot", type="run")

    def configure_args(self):
        mpi = self.spec["mpi"]
        args = ["MPICC={0}".format(mpi.mpicc),
                "MPIEXEC={0}".format(join_path(mpi.prefix.bin, "mpiexec"))]
        for name in ("papi", "hwloc", "simgrid"):
            args += self.with_or_without(name)
        args += self.enable_or_disable("patented")
        return args
