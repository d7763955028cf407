# SPDX-License-Identifier: BSD-3-Clause
"""recipe.py - load a recipe for Spack without Spack, and print its contents.

    recipe.py package.py

Stubs replace the names that our recipe imports from `spack.package' and, as in
Spack 1.0 and later, from `spack_repo.builtin'. They take Spack's arguments and
refuse what Spack would refuse. Output lines:

    version VERSION
    variant NAME DEFAULT
    depends SPEC when=CONDITION type=TYPES
    args on | off    configure's arguments with all variants on or off
"""

import re
import runpy
import sys
import types

NAME = r"[a-z0-9][a-z0-9-]*"
SPEC = re.compile(NAME + r"(@[0-9.:]+)?( ?[+~]" + NAME + r")*$")
TYPES = ("build", "link", "run", "test")
versions, variants, depends = [], {}, []


def version(ver, checksum=None, **keywords):
    versions.append(ver)


def variant(name, default=None, description="", **keywords):
    if not isinstance(default, bool) or not description:
        sys.exit("variant %s: wants a default and a description" % name)
    variants[name] = default


def depends_on(spec, when=None, type=("build", "link")):
    kinds = (type,) if isinstance(type, str) else type
    if not SPEC.match(spec) or not all(kind in TYPES for kind in kinds):
        sys.exit("depends_on: no spec, or no type: %r, %r" % (spec, type))
    if when is not None and not re.match("[+~]" + NAME + "$", when):
        sys.exit("depends_on %s: no condition: %r" % (spec, when))
    depends.append((spec.replace(" ", ""), when or "", kinds))


def license(name, **keywords):
    pass


def join_path(*parts):
    return "/".join(parts)


class Mpi:
    """Attributes of the MPI dependency that a recipe may use."""

    mpicc = "/mpi/bin/mpicc"
    prefix = types.SimpleNamespace(bin="/mpi/bin")


class AutotoolsPackage:
    def __init__(self, on):
        self.on = on
        self.spec = {"mpi": Mpi}

    def _option(self, name, yes, no):
        if name not in variants:
            sys.exit("configure_args: no variant %r" % name)
        return ["--%s-%s" % (yes if self.on else no, name)]

    def with_or_without(self, name):
        return self._option(name, "with", "without")

    def enable_or_disable(self, name):
        return self._option(name, "enable", "disable")


def main(path):
    package = types.ModuleType("spack.package")
    for one in (version, variant, depends_on, license, join_path):
        setattr(package, one.__name__, one)
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = package
    name = ""
    for part in ("spack_repo", "builtin", "build_systems", "autotools"):
        name += ("." if name else "") + part
        sys.modules[name] = types.ModuleType(name)
    sys.modules[name].AutotoolsPackage = AutotoolsPackage
    recipe = runpy.run_path(path)["Chorale"]
    for one in versions:
        print("version", one)
    for name, default in variants.items():
        print("variant", name, default)
    for spec, when, kinds in depends:
        if when and when[1:] not in variants:
            sys.exit("depends_on %s: no variant %r" % (spec, when))
        print("depends %s when=%s type=%s" % (spec, when, ",".join(kinds)))
    for word, on in (("on", True), ("off", False)):
        print("args", word, " ".join(recipe(on).configure_args()))


main(sys.argv[1])
