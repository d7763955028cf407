# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame: compares collectives of base and head on this system, in turn.

    reframe -c chorale_reframe.py -r \\
        -S base_side=build:/opt/chorale-old/bin/chorale -S head_side=this

The job starts the launches itself, so it is one task that holds the nodes. The
test passes if no cell is slower. All reports, such as `report.json`, are in the
stage folder. The number of slower cells is also a performance figure.
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher


@rfm.simple_test
class CollectivesAB(rfm.RunOnlyRegressionTest):
    descr = 'MPI collectives: is head slower than base?'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    num_tasks = 1
    time_limit = '2h'
    # The folder of compare.sh; for sides see `chorale ab --help`.
    templates = variable(str, value=os.path.dirname(os.path.abspath(__file__)))
    program = variable(str, value='chorale')
    base_side = variable(str, value='this')
    head_side = variable(str, value='this')
    plan = variable(
        str, value='-c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --batch 8')
    tags = {'mpi', 'performance'}

    @run_before('run')
    def prepare(self):
        # ReFrame writes these words into a script unquoted.
        self.executable = 'env'
        self.executable_opts = [quoted(word) for word in (
            'CHORALE_PROGRAM=' + self.program,
            'CHORALE_PLAN=' + self.plan,
            'CHORALE_REPORTS=reports',
            os.path.join(self.templates, 'compare.sh'),
            self.base_side, self.head_side)]
        self.job.launcher = getlauncher('local')()

    @sanity_function
    def not_slower(self):
        return sn.assert_eq(
            self.red(), 0, msg='{0} findings are red: see reports/summary.md')

    @performance_function('cells')
    def slower(self):
        return len([c for c in self.findings()['cells']
                    if c['verdict'] == 'slower'])

    @deferrable
    def red(self):
        return self.findings()['red']

    def findings(self):
        name = os.path.join(self.stagedir, 'reports', 'report.json')
        with open(name, encoding='utf-8') as report:
            return json.load(report)


def quoted(text):
    """Quote a word for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
