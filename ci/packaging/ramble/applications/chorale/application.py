# SPDX-License-Identifier: BSD-3-Clause
"""Application for Ramble: tunes the collectives of a machine or a simulated
network, and validates the table against the library's default.

    ramble repo add ci/packaging/ramble
"""

from ramble.appkit import *


class Chorale(ExecutableApplication):
    """Measures, models and chooses the algorithms of MPI's collectives."""

    name = "chorale"

    tags("benchmark-app", "mpi", "collectives", "tuning")

    with when("package_manager_family=spack"):
        software_spec("chorale", pkg_spec="chorale@0.1.0")
        required_package("chorale")

    # chorale starts the ranks itself.
    executable(
        "tune",
        "chorale tune {experiment_run_dir}/results.db -c {collectives}"
        " -m {sizes} --budget {budget} {options}",
        use_mpi=False,
    )

    workload("tune", executables=["tune"])

    workload_variable(
        "collectives",
        default="bcast,allreduce",
        description="Collectives, as for chorale tune -c",
        workloads=["tune"],
    )
    workload_variable(
        "sizes",
        default="8:1M",
        description="Message sizes in bytes, as for chorale tune -m",
        workloads=["tune"],
    )
    workload_variable(
        "budget",
        default="6m",
        description="Time to measure",
        workloads=["tune"],
    )
    workload_variable(
        "options",
        default="",
        description="More options: process counts, launcher, platform",
        workloads=["tune"],
    )

    log = "{experiment_run_dir}/{experiment_name}.out"

    figure_of_merit(
        "speed-up",
        log_file=log,
        fom_regex=r"^\s*all: x(?P<speedup>[0-9.]+) .*over [0-9]+ point",
        group_name="speedup",
        units="x",
    )
    figure_of_merit(
        "points",
        log_file=log,
        fom_regex=r"^\s*all: x.* over (?P<points>[0-9]+) point",
        group_name="points",
        units="",
    )

    success_criteria(
        "validated", mode="string", match=r"^\s*all: x[0-9.]+ ", file=log
    )
