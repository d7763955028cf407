# SPDX-License-Identifier: BSD-3-Clause
"""recipes.py - load the recipes for EasyBuild, conda-forge and Ramble without
these tools, and print what they have in common with configure.

    recipes.py FOLDER       of ci/packaging

Stubs refuse names that the tools would refuse. Output lines:

    easybuild version VERSION       ramble command WORDS
    easybuild depends NAME VERSION  ramble finds NAME PATTERN
    easybuild configure OPTIONS     ramble success PATTERN
    conda version VERSION
    conda depends SECTION NAME
    conda script COMMAND
"""

import pathlib
import re
import sys
import types

# Parameters that EasyBuild documents for all easyconfigs, and for ConfigureMake.
EASYBUILD = """easyblock name version homepage description toolchain
toolchainopts sources source_urls checksums builddependencies dependencies
configopts buildopts installopts sanity_check_paths sanity_check_commands
moduleclass""".split()
CONDA = {"schema_version", "context", "package", "source", "build",
         "requirements", "tests", "about", "extra"}


def easybuild(path):
    known = {"SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz"}
    names = dict(known)
    exec(compile(path.read_text(), str(path), "exec"), names)
    for one in names:
        if one not in EASYBUILD and one not in known and one[0] != "_":
            sys.exit("easybuild: no parameter %r" % one)
    expected = "%(name)s-%(version)s-" % names + "%(name)s-%(version)s.eb" % \
        names["toolchain"]
    if path.name != expected:
        sys.exit("easybuild: the file's name is not " + expected)
    print("easybuild version", names["version"])
    for kind in "builddependencies", "dependencies":
        for name, version in names[kind]:
            print("easybuild depends", name, version)
    print("easybuild configure", names["configopts"])


def conda(folder):
    try:
        import yaml
    except ImportError:
        print("conda skip")
        return
    text = (folder / "recipe.yaml").read_text()
    recipe = yaml.safe_load(text)
    variants = yaml.safe_load((folder / "variants.yaml").read_text())
    if recipe["schema_version"] != 1 or set(recipe) - CONDA:
        sys.exit("conda: no such keys: %s" % (set(recipe) - CONDA))
    defined = set(recipe["context"]) | set(variants) | {"hash"}
    for word in re.findall(r"\$\{\{ *(.*?) *\}\}", text):
        if word not in defined and not re.match(r"(compiler|stdlib)\('c'\)$",
                                                word):
            sys.exit("conda: no variable %r" % word)
    print("conda version", recipe["context"]["version"])
    for section, names in recipe["requirements"].items():
        for name in names:
            print("conda depends", section, name)
    for command in recipe["build"]["script"]:
        print("conda script", command)


class When:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


class ExecutableApplication:
    pass


def ramble(path):
    executables, variables = {}, set()

    def executable(name, template, use_mpi=False, output_capture=None):
        executables[name] = template

    def workload(name, executables=(), executable=None):
        pass

    def workload_variable(name, default, description, workloads):
        variables.add(name)

    def figure_of_merit(name, fom_regex, group_name, units, log_file):
        if "(?P<%s>" % group_name not in fom_regex:
            sys.exit("ramble: no group %r in %r" % (group_name, fom_regex))
        print("ramble finds", name, re.compile(fom_regex).pattern)

    def success_criteria(name, mode, match, file):
        print("ramble success", re.compile(match).pattern)

    module = types.ModuleType("ramble.appkit")
    for one in (executable, workload, workload_variable, figure_of_merit,
                success_criteria, ExecutableApplication):
        setattr(module, one.__name__, one)
    module.when = lambda spec: When()
    module.tags = lambda *names: None
    module.software_spec = lambda name, pkg_spec: None
    module.required_package = lambda name: None
    sys.modules["ramble"] = types.ModuleType("ramble")
    sys.modules["ramble.appkit"] = module
    exec(compile(path.read_text(), str(path), "exec"), {})
    for template in executables.values():
        for word in re.findall(r"\{(\w+)\}", template):
            if word not in variables | {"experiment_run_dir"}:
                sys.exit("ramble: no variable %r" % word)
        print("ramble command", template)


def main(folder):
    folder = pathlib.Path(folder)
    for path in (folder / "easybuild").glob("*.eb"):
        easybuild(path)
    conda(folder / "conda")
    ramble(folder / "ramble/applications/chorale/application.py")


main(sys.argv[1])
