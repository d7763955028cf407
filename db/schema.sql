-- SPDX-License-Identifier: BSD-3-Clause
-- Schema of a Chorale database, version 1.
--
-- One file holds the evidence from plan to decision. Units are SI: seconds,
-- bytes, seconds per byte. Every time stamp is UTC, ISO 8601.
--
-- msg_size is m, the bytes of one rank's block (what OSU and IMB call the
-- message size); n is the bytes of the operation as the models count them:
-- n = m for bcast, reduce, allreduce, scan, exscan; n = 0 for barrier; n = m *
-- comm_size for all other collectives. If blocks differ, m is their mean.

-- What was measured: machine, MPI library and transport. A decision never mixes
-- two systems.
CREATE TABLE system (
    system_id   INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL UNIQUE,   -- the argument of --system
    kind        TEXT NOT NULL CHECK (kind IN ('real', 'simulated')),
    signature   TEXT NOT NULL UNIQUE,   -- text that identifies the system
    mpi_library TEXT NOT NULL,          -- the library behind 'library'
    created     TEXT NOT NULL
);

-- One plan: how the cells that it adds are measured.
CREATE TABLE campaign (
    campaign_id  INTEGER PRIMARY KEY,
    uuid         TEXT NOT NULL UNIQUE,
    system_id    INTEGER NOT NULL REFERENCES system,
    created      TEXT NOT NULL,
    command      TEXT NOT NULL,         -- the command line that planned it
    seed         INTEGER NOT NULL,      -- for the order of cells and rounds
    launches     INTEGER NOT NULL CHECK (launches >= 1),
    nrep_min     INTEGER NOT NULL CHECK (nrep_min >= 1),
    nrep_max     INTEGER NOT NULL CHECK (nrep_max >= nrep_min),
    nwarmup      INTEGER NOT NULL CHECK (nwarmup >= 0),
    target_width REAL NOT NULL,         -- a cell stops when the 95 % interval
                                        -- of its median is this narrow,
                                        -- relative to the median
    cell_seconds REAL NOT NULL,         -- time cap of one run of a cell, s
    max_memory   INTEGER NOT NULL,      -- limit of buffers on a node, bytes
    sync         TEXT NOT NULL CHECK (sync IN
                     ('roundtime', 'window', 'barrier')),
    batch        INTEGER NOT NULL DEFAULT 0, -- calls in a repetition; 0: chosen
                                        -- from the clock's resolution
    racing       INTEGER NOT NULL DEFAULT 1, -- 1: clearly slower cells stop
                                        -- early
    counters     TEXT NOT NULL DEFAULT '',
    launcher     TEXT NOT NULL CHECK (launcher IN
                     ('mpiexec', 'srun', 'smpirun', 'custom')),
    launcher_cmd TEXT NOT NULL DEFAULT '',
    platform     TEXT NOT NULL DEFAULT '', -- text of the SimGrid platform file
    network      TEXT NOT NULL DEFAULT '', -- hockney, loggp, smpi
    tau          REAL NOT NULL DEFAULT 0,  -- simulated reduction time, s/byte
    sim_selector TEXT NOT NULL DEFAULT '',
    validates    INTEGER NOT NULL DEFAULT 0, -- 1: made by `chorale validate`;
                                        -- its cells have provider 'table'
    label        TEXT NOT NULL DEFAULT '', -- of the measured software, such as
                                        -- a commit or release; for history
    again        INTEGER NOT NULL DEFAULT 0, -- 1: made by `chorale compare` to
                                        -- repeat points that looked slower
    round        INTEGER NOT NULL DEFAULT 0, -- of an adaptive plan, from 1; the
                                        -- last round has no cells; 0: the plan
                                        -- is not adaptive
    budget       REAL NOT NULL DEFAULT 0, -- for all rounds together
    budget_unit  TEXT NOT NULL DEFAULT '' CHECK (budget_unit IN
                     ('', 's', 'node-s')), -- s: sum over the launches
    spent        REAL NOT NULL DEFAULT 0, -- of the budget, before this round
    foreseen     REAL NOT NULL DEFAULT 0, -- estimated cost of this round
    regret       REAL                   -- expected before this round: mean over
                                        -- all points it could choose from
);

-- One variant at one point of one system. The point is the columns from coll on
-- without provider, variant and params; all its candidates share it.
CREATE TABLE cell (
    cell_id     INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,
    campaign_id INTEGER NOT NULL REFERENCES campaign,
    system_id   INTEGER NOT NULL REFERENCES system,
    provider    TEXT NOT NULL CHECK (provider IN
                    ('chorale', 'native', 'library', 'foreign', 'table')),
                                        -- foreign: an algorithm of neither
                                        -- Chorale nor the MPI library, of
                                        -- imported timings
    variant     TEXT NOT NULL,          -- provider library: 'default', or
                                        -- 'untouched', the same in launches
                                        -- that never force an algorithm;
                                        -- provider table: 'choice', the choice
                                        -- of a decision table, or 'library',
                                        -- the default beside it
    params      TEXT NOT NULL DEFAULT '', -- name=value,name=value, sorted;
                                        -- provider table: its digest; of its
                                        -- 'choice' followed by a space and
                                        -- either library or variant:params
    coll        TEXT NOT NULL,
    msg_size    INTEGER NOT NULL CHECK (msg_size >= 0),
    n           INTEGER NOT NULL CHECK (n >= 0),
    comm_size   INTEGER NOT NULL CHECK (comm_size >= 1),
    ppn         INTEGER NOT NULL CHECK (ppn >= 1),
    shape       TEXT NOT NULL CHECK (shape IN ('single-node', 'one-per-node',
                    'block', 'cyclic', 'irregular')),
    dtype       TEXT NOT NULL,
    op          TEXT NOT NULL DEFAULT '', -- '' for a collective without op
    op_class    TEXT NOT NULL DEFAULT '' CHECK (op_class IN
                    ('', 'builtin', 'pair', 'user', 'noncommutative')),
    root_policy TEXT NOT NULL,          -- none, first, middle, last, rotate
    buffers     TEXT NOT NULL CHECK (buffers IN ('warm', 'rotate', 'cold')),
    arrival     TEXT NOT NULL DEFAULT 'sync', -- skew of the ranks: sync, or
                                        -- first, last, random or ascending,
                                        -- with the latest rank's delay: a
                                        -- FACTOR of the library's duration
                                        -- (last:0.5) or a time (last:50us)
    siblings    TEXT NOT NULL DEFAULT 'alone', -- or 2, 4: communicators that
                                        -- call at the same time
    metric      TEXT NOT NULL DEFAULT 'duration' CHECK (metric IN
                    ('duration', 'throughput')), -- throughput: back-to-back
                                        -- calls, never used for decisions
    launches    INTEGER NOT NULL,       -- planned number of launches
    part        TEXT NOT NULL DEFAULT '', -- cells of one part share launches,
                                        -- which run no other part's cells:
                                        -- '' for most cells, 'untouched',
                                        -- COLLECTIVE:ALGORITHM for SimGrid's
                                        -- algorithm forced on a launch,
                                        -- VARIABLE=VALUE in the environment of
                                        -- the launch, for a native algorithm's
                                        -- parameter that is read in MPI_Init,
                                        -- or table-DIGEST for a decision table
    UNIQUE (system_id, coll, comm_size, msg_size, ppn, shape, dtype, op,
            root_policy, buffers, arrival, siblings, metric,
            provider, variant, params)
);

-- One start of the runner: the independent sample of all statistics.
CREATE TABLE launch (
    launch_id   INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,
    campaign_id INTEGER NOT NULL REFERENCES campaign,
    system_id   INTEGER NOT NULL REFERENCES system,
    ordinal     INTEGER NOT NULL,       -- 0 ... launches - 1; a resumed launch
                                        -- has the ordinal of the killed one
    comm_size   INTEGER NOT NULL,
    ppn         INTEGER NOT NULL,
    shape       TEXT NOT NULL,
    siblings    INTEGER NOT NULL DEFAULT 1, -- communicators of comm_size
                                        -- ranks each; ppn counts one's ranks
    part        TEXT NOT NULL DEFAULT '', -- as in cell
    seed        INTEGER NOT NULL,
    job_id      TEXT NOT NULL DEFAULT '',
    host_map    TEXT NOT NULL DEFAULT '', -- node of each rank: 0,0,1,1
    started     TEXT NOT NULL,
    finished    TEXT,
    status      TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed')),
    reason      TEXT NOT NULL DEFAULT ''
);
CREATE INDEX launch_by_campaign ON launch (campaign_id, comm_size, ordinal);

-- One execution of a cell in a launch.
CREATE TABLE run (
    run_id      INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,
    cell_id     INTEGER NOT NULL REFERENCES cell,
    launch_id   INTEGER NOT NULL REFERENCES launch,
    status      TEXT NOT NULL CHECK (status IN
                    ('ok', 'invalid', 'inapplicable', 'failed')),
    reason      TEXT NOT NULL DEFAULT '',
    stop_reason TEXT NOT NULL DEFAULT '' CHECK (stop_reason IN
                    ('', 'width', 'nrep', 'time', 'raced', 'equal',
                     'unequal')),
    validity    TEXT NOT NULL DEFAULT '', -- comma-separated: oversubscribed,
                                          -- throttled, late, straggler,
                                          -- mixed_cpus, load, suspicious,
                                          -- clock, imported, 'not a duration'.
                                          -- If any
                                          -- candidate has clock or suspicious,
                                          -- decisions ignore that point in
                                          -- that launch. 'not a duration': a
                                          -- mean over the ranks of a rooted
                                          -- collective, which decides only
                                          -- with policy.accept_mean
    first_call  REAL,                     -- seconds of the very first call
    sync        TEXT NOT NULL DEFAULT '', -- start of repetitions; barrier if
                                          -- the clocks were not good enough
                                          -- for a common start time
    batch       INTEGER NOT NULL DEFAULT 1, -- calls in a repetition, equal in
                                          -- all launches of a point unless
                                          -- they ran at the same time in
                                          -- different databases
    separator   REAL,                     -- seconds of the barrier between the
                                          -- calls of a batch, subtracted
    clock_error REAL,                     -- of the common clock, s: the worst
                                          -- since the first repetition
    skew        REAL,                     -- span of the arrival pattern, s
    UNIQUE (cell_id, launch_id)
);
CREATE INDEX run_by_launch ON run (launch_id);

-- Order statistics, written with the run. lo, hi: 95 % interval of the median
-- inside this launch; it only decides when sampling stops.
CREATE TABLE run_summary (
    run_id  INTEGER PRIMARY KEY REFERENCES run,
    nrep    INTEGER NOT NULL,
    nlate   INTEGER NOT NULL,
    median  REAL NOT NULL,
    lo      REAL,
    hi      REAL,
    mean    REAL NOT NULL,
    min     REAL NOT NULL,
    q25     REAL NOT NULL,
    q75     REAL NOT NULL,
    p95     REAL NOT NULL,
    p99     REAL NOT NULL,
    max     REAL NOT NULL
);

-- One repetition. Times are in seconds since the common start of the
-- repetition; with run.sync = 'barrier' since the first rank left the barrier.
-- seconds: until the last rank is out. Of a batch it is the share of one call
-- without the separator (run.batch, run.separator).
-- first_in, last_in, root_out: of the whole batch, when the first and last rank
-- began its first call, and when the root left its last call and separator.
-- If the barrier replaced clocks that disagree, seconds is the longest local
-- time of any rank and other times are NULL.
-- Samples set aside come last and enter no summary.
CREATE TABLE sample (
    run_id    INTEGER NOT NULL REFERENCES run,
    rep       INTEGER NOT NULL,
    seconds   REAL NOT NULL,
    first_in  REAL,
    last_in   REAL,
    root_out  REAL,                     -- also NULL if there is no root
    root      INTEGER,
    flags     INTEGER NOT NULL DEFAULT 0, -- sum of 1: a rank started late; 2:
                                        -- set aside, because the clock of its
                                        -- start was rejected, or because the
                                        -- point was timed again after times
                                        -- below the physical lower bound
    PRIMARY KEY (run_id, rep)
) WITHOUT ROWID;

CREATE TABLE counter (
    run_id INTEGER NOT NULL REFERENCES run,
    rank   INTEGER NOT NULL,            -- -1: sum over all ranks; for rounds
                                        -- the maximum
    event  TEXT NOT NULL,
    value  REAL,                        -- NULL: not available, never zero
    PRIMARY KEY (run_id, event, rank)
) WITHOUT ROWID;

-- What was true in a launch. An imported launch has keys that begin with
-- 'import:'. The value of 'import:seconds' states what its times are.
CREATE TABLE environment (
    launch_id INTEGER NOT NULL REFERENCES launch,
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (launch_id, key)
) WITHOUT ROWID;

-- Fitted parameters of a system: alpha [s] and beta [s/byte] for each level of
-- the network and regime of message sizes; tau [s/byte] by bytes reduced at
-- once.
-- alpha: latency of a message from end to end. send_overhead, recv_overhead and
-- gap are its parts that keep processors and ports busy.
-- overlapped [bytes]: messages up to this size are sent without waiting for the
-- receiver; 0: no overlap, one port.
-- kappa: how many ways the ranks of a node share its port when all of them send
-- to other nodes at once; at level 'node', inside the node.
-- If nodes share links, kappa of levels such as 'line 16', 'torus 4x4' and
-- 'tree 8' is the share of a link that a message takes (1: a link is as fast as
-- a node's port). Levels 'shift 4', 'pairs 4' and 'mirror' hold it as measured
-- for that pattern.
-- alpha of level 'hop': extra latency of each further link; of level 'rank': time
-- of a copy or reduction of any size. overlapped of level 'copied': the largest
-- message that both ranks of a node copy; longer ones the receiver alone.
CREATE TABLE model (
    model_id    INTEGER PRIMARY KEY,
    system_id   INTEGER NOT NULL REFERENCES system,
    level       TEXT NOT NULL DEFAULT 'all', -- 'node': inside a node; 'net':
                                             -- between nodes
    regime      TEXT NOT NULL DEFAULT 'all', -- readable: '<= 8192'
    param       TEXT NOT NULL CHECK (param IN ('alpha', 'beta', 'tau', 'kappa',
                    'send_overhead', 'recv_overhead', 'gap', 'copy', 'cold',
                    'overlapped')),
    dtype       TEXT NOT NULL DEFAULT '', -- for tau
    op          TEXT NOT NULL DEFAULT '', -- for tau
    value       REAL NOT NULL,
    lo          REAL,                   -- 95 % interval, NULL: unknown
    hi          REAL,
    unit        TEXT NOT NULL,
    npoints     INTEGER NOT NULL,
    error       REAL NOT NULL,          -- median |model / measured - 1|
    worst_error REAL NOT NULL,
    trusted     INTEGER NOT NULL,       -- 0: lack of fit, not for predictions
    upto        REAL,                   -- end of the regime, message bytes; it
                                        -- starts above the previous regime's;
                                        -- NULL: unlimited
    ppn         INTEGER NOT NULL DEFAULT 0, -- for kappa
    UNIQUE (system_id, level, regime, param, dtype, op, ppn)
);

-- How well the model describes a variant, and how far beyond the measured
-- points it may predict. Errors are |model / measured - 1|. A variant also
-- counts as not trusted if lack is below 0.01 and worst_error above 10 %.
CREATE TABLE model_variant (
    system_id    INTEGER NOT NULL REFERENCES system,
    coll         TEXT NOT NULL,
    variant      TEXT NOT NULL,
    shape        TEXT NOT NULL,         -- single-node, or a multi-node shape
    ppn          INTEGER NOT NULL,      -- 0 for a single node
    npoints      INTEGER NOT NULL,
    median_error REAL NOT NULL,
    worst_error  REAL NOT NULL,
    loo_error    REAL,                  -- 90th percentile of cross-validation:
                                        -- each process count is predicted by a
                                        -- fit without it
    lack         REAL,                  -- p-value that the model's misfit is no
                                        -- larger than launch-to-launch
                                        -- variation; NULL: unknown
    reach        REAL NOT NULL,         -- factor of extrapolation in comm_size
                                        -- with errors within 10 %; 1: none
    reach_m      REAL NOT NULL,         -- the same in block size
    trusted      INTEGER NOT NULL,      -- 1: loo_error is within 10 %
    PRIMARY KEY (system_id, coll, variant, shape, ppn)
) WITHOUT ROWID;

-- The same for each process count.
CREATE TABLE model_ranks (
    system_id    INTEGER NOT NULL REFERENCES system,
    coll         TEXT NOT NULL,
    variant      TEXT NOT NULL,
    shape        TEXT NOT NULL,
    ppn          INTEGER NOT NULL,
    comm_size    INTEGER NOT NULL,
    npoints      INTEGER NOT NULL,
    loo_error    REAL,                  -- worst, by a fit without these points
    ahead_error  REAL,                  -- worst, by a fit to at most half as
                                        -- many ranks
    m_lo         INTEGER NOT NULL,      -- range of block sizes predicted within
    m_hi         INTEGER NOT NULL,      -- 10 % by the fit of loo_error; empty
                                        -- if m_lo is above m_hi
    m_max        INTEGER NOT NULL,      -- the largest block measured
    PRIMARY KEY (system_id, coll, variant, shape, ppn, comm_size)
) WITHOUT ROWID;

-- The decision table: the choice for n in [n_lo, n_hi] and comm_size to
-- comm_size_hi ranks. At other points the library decides. Two tables exist:
-- target 'dispatch': choices of a generated dispatch table, Chorale's variants
-- or the library;
-- target 'rules': choices of the library's own rule file, its algorithms
-- (provider native) or its default.
-- A measured row contains at least one measured point. All points of a modelled
-- row are predicted.
CREATE TABLE decision (
    decision_id INTEGER PRIMARY KEY,
    system_id   INTEGER NOT NULL REFERENCES system,
    target      TEXT NOT NULL DEFAULT 'dispatch' CHECK (target IN
                    ('dispatch', 'rules')),
    coll        TEXT NOT NULL,
    comm_size   INTEGER NOT NULL,
    comm_size_hi INTEGER NOT NULL DEFAULT 0, -- last process count; 0: comm_size
    ppn         INTEGER NOT NULL,
    shape       TEXT NOT NULL,
    dtype       TEXT NOT NULL,
    op          TEXT NOT NULL,
    op_class    TEXT NOT NULL DEFAULT '', -- as in cell
    n_lo        INTEGER NOT NULL,
    n_hi        INTEGER NOT NULL CHECK (n_hi >= n_lo),
    provider    TEXT NOT NULL,
    variant     TEXT NOT NULL,
    params      TEXT NOT NULL,
    basis       TEXT NOT NULL CHECK (basis IN
                    ('measured', 'modelled', 'library')),
    seconds     REAL,                   -- of the choice and of the library,
    library_seconds REAL,               -- geometric means over the row's
                                        -- points, measured or predicted
    speedup     REAL,                   -- library / choice, confirmed; of a
                                        -- modelled row predicted
    speedup_lo  REAL,                   -- 95 % interval over the launches;
    speedup_hi  REAL,                   -- NULL for a modelled row
    regret      REAL,                   -- expected, against the best
    reason      TEXT NOT NULL,
    arrival     TEXT NOT NULL DEFAULT '', -- arrival patterns that decided at
                                        -- the measured points: sync; traced
                                        -- ones such as last:50us, whose
                                        -- seconds count from the last arrival;
                                        -- or robust, whose seconds are those
                                        -- of the best in sync plus the largest
                                        -- loss over the patterns
    UNIQUE (system_id, target, coll, comm_size, ppn, shape, dtype, op, n_lo)
);

-- Options of the `chorale decide` that made the rows of decision. NULL: the
-- default of that version.
CREATE TABLE policy (
    system_id   INTEGER PRIMARY KEY REFERENCES system,
    threshold   REAL,                   -- smallest gain, as a share, for which
                                        -- the library is replaced
    compact     REAL,                   -- share given up for fewer rows
    dispatch_cost REAL,                 -- seconds added to every variant
    objective   TEXT CHECK (objective IN ('median', 'p95')),
    deterministic INTEGER NOT NULL,     -- 1: reduce in rank order only
    max_scratch INTEGER,                -- scratch buffer limit, bytes per rank
    allow_patented INTEGER NOT NULL,
    accept_mean INTEGER NOT NULL DEFAULT 0, -- 1: times that are 'not a
                                        -- duration' decide too
    launch_noise REAL,                  -- assumed standard deviation of the
                                        -- log time of a launch, where no cell
                                        -- has two
    exploratory TEXT NOT NULL DEFAULT '', -- not empty: too few launches to
                                        -- confirm a choice; how many, and how
                                        -- much launches differ
    arrival     TEXT NOT NULL DEFAULT 'sync' CHECK (arrival IN
                    ('sync', 'traced', 'robust')) -- patterns that decided
);

-- Results of `chorale validate`: a table's choices against the library's
-- default at points of the decisions and on their boundaries. Both run through
-- the shim, paired in each launch; these launches run only that.
CREATE TABLE validation (
    validation_id INTEGER PRIMARY KEY,
    system_id   INTEGER NOT NULL REFERENCES system,
    digest      TEXT NOT NULL,          -- of the table
    coll        TEXT NOT NULL,
    comm_size   INTEGER NOT NULL,
    ppn         INTEGER NOT NULL,
    shape       TEXT NOT NULL,
    dtype       TEXT NOT NULL,
    op          TEXT NOT NULL,
    root_policy TEXT NOT NULL,
    buffers     TEXT NOT NULL,
    msg_size    INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    metric      TEXT NOT NULL DEFAULT 'duration', -- as in cell
    arrival     TEXT NOT NULL DEFAULT 'sync', -- as in cell; robust: the largest
                                        -- loss over the patterns, as in
                                        -- decision. A point of several
                                        -- patterns is judged by that row, and
                                        -- slower is 0 in its other rows
    choice      TEXT NOT NULL,          -- library, or variant:params
    launches    INTEGER NOT NULL,       -- launches that count
    seconds     REAL,                   -- through the table, geometric mean;
    library_seconds REAL,               -- NULL: no launch counts
    speedup     REAL,                   -- library / table
    speedup_lo  REAL,                   -- 95 % interval over the launches;
    speedup_hi  REAL,                   -- NULL for one, exact in simulation
    p_slower    REAL,                   -- p-value of a loss above the
                                        -- threshold; NULL for one real launch
    slower      INTEGER NOT NULL,       -- 1: such a loss is significant, after
                                        -- correction for the number of points
    best_speedup REAL,                  -- library / best in the campaign; NULL
                                        -- if the campaign lacks this point
    note        TEXT NOT NULL DEFAULT '', -- why launches do not count
    UNIQUE (system_id, digest, coll, comm_size, ppn, shape, dtype, op,
            root_policy, buffers, msg_size, metric, arrival)
);

-- The collective calls of an application, written by CHORALE_TRACE and read by
-- `chorale import`.
CREATE TABLE trace (
    trace_id    INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,   -- of the file's content
    label       TEXT NOT NULL DEFAULT '',
    imported    TEXT NOT NULL,
    program     TEXT NOT NULL,
    mpi_library TEXT NOT NULL,
    started     TEXT NOT NULL,          -- when MPI_Init returned
    comm_size   INTEGER NOT NULL CHECK (comm_size >= 1), -- of MPI_COMM_WORLD
    ranks       INTEGER NOT NULL CHECK (ranks BETWEEN 1 AND comm_size),
                                        -- number of ranks summed here
    part_rank   INTEGER,                -- the only rank; NULL: all of them
    part        TEXT NOT NULL DEFAULT '', -- why there is only one rank
    wall_mean   REAL NOT NULL,          -- s from MPI_Init to MPI_Finalize: mean
    wall_max    REAL NOT NULL,          -- and maximum over the ranks
    unlisted_calls   INTEGER NOT NULL,  -- calls of ranks without a row below
    unlisted_seconds REAL NOT NULL
);

-- Calls with the same arguments that ran the same algorithm.
CREATE TABLE trace_point (
    trace_id    INTEGER NOT NULL REFERENCES trace,
    coll        TEXT NOT NULL,
    n           INTEGER NOT NULL CHECK (n >= 0), -- of gatherv, scatterv and
                                        -- alltoallv: mean over the calls
    msg_size    INTEGER NOT NULL CHECK (msg_size >= 0), -- irregular: mean
                                        -- block size
    comm_size   INTEGER NOT NULL CHECK (comm_size >= 1),
    shape       TEXT NOT NULL,          -- as in cell, or 'unknown'
    dtype       TEXT NOT NULL,          -- as in cell, or 'other', 'derived'
    op          TEXT NOT NULL,          -- as in cell, or 'other', 'user'
    root        TEXT NOT NULL,          -- none, first, middle, last
    ran         TEXT NOT NULL,          -- library, or variant:params
    rank_calls  INTEGER NOT NULL,       -- summed over the ranks
    calls       REAL NOT NULL,          -- operations; a whole number if all
                                        -- ranks of the communicators are summed
    seconds     REAL NOT NULL,          -- summed over the ranks
    max_seconds REAL NOT NULL,          -- of the rank with the longest time
    skew        REAL,                   -- s between the ranks that on average
                                        -- entered first and last; NULL: unknown
    late        REAL,                   -- mean lateness, as a share of skew
    trend       REAL,                   -- slope of the lateness over the ranks:
                                        -- 1 if rank r is late by r / (P - 1)
                                        -- of skew
    latest      INTEGER,                -- rank that entered last
    arrival     TEXT NOT NULL DEFAULT '', -- nearest pattern of cell.arrival;
                                        -- '': unknown
    PRIMARY KEY (trace_id, coll, comm_size, n, shape, dtype, op, root, ran)
) WITHOUT ROWID;
CREATE INDEX trace_point_by_size ON trace_point (comm_size, coll, msg_size);

-- One `chorale submit`: launches that run in batch jobs. Its folder holds the
-- scripts and shards; their progress is read from there and from the runs.
CREATE TABLE submission (
    submission_id INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,
    system_id   INTEGER NOT NULL REFERENCES system,
    created     TEXT NOT NULL,
    command     TEXT NOT NULL,          -- the command line that made it
    folder      TEXT NOT NULL,          -- absolute
    gather_job  TEXT NOT NULL DEFAULT '' -- id of the last job, which merges
);

-- An element of a job array: the launches of one allocation.
CREATE TABLE element (
    submission_id INTEGER NOT NULL REFERENCES submission,
    element     INTEGER NOT NULL CHECK (element >= 1),
    nodes       INTEGER NOT NULL CHECK (nodes >= 1),
    ppn         INTEGER NOT NULL CHECK (ppn >= 1), -- over all communicators
    seconds     REAL NOT NULL,          -- estimate, an upper bound
    job_id      TEXT NOT NULL DEFAULT '', -- of the array; '': not submitted
    task        INTEGER NOT NULL,       -- index in the array
    PRIMARY KEY (submission_id, element)
) WITHOUT ROWID;

-- A launch of an element: it runs the cells with these columns that have no run
-- of this ordinal yet.
CREATE TABLE element_launch (
    submission_id INTEGER NOT NULL,
    element     INTEGER NOT NULL,
    system_id   INTEGER NOT NULL REFERENCES system,
    comm_size   INTEGER NOT NULL,
    ppn         INTEGER NOT NULL,
    shape       TEXT NOT NULL,
    part        TEXT NOT NULL,
    siblings    INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    PRIMARY KEY (submission_id, element, system_id, comm_size, ppn, shape,
                 part, siblings, ordinal),
    FOREIGN KEY (submission_id, element) REFERENCES element
) WITHOUT ROWID;

-- A named reference for comparisons: the launches of one or more campaigns.
CREATE TABLE baseline (
    name        TEXT NOT NULL,
    system_id   INTEGER NOT NULL REFERENCES system,
    campaign_id INTEGER NOT NULL REFERENCES campaign,
    created     TEXT NOT NULL,
    PRIMARY KEY (name, system_id, campaign_id)
) WITHOUT ROWID;

-- Two-sided 95 % quantiles of Student's t by degrees of freedom. For values
-- between or above rows take the next lower row: slightly too wide, never too
-- narrow.
CREATE TABLE student_t (df INTEGER PRIMARY KEY, t REAL NOT NULL);
INSERT INTO student_t VALUES
    (1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706),
    (6, 2.4469), (7, 2.3646), (8, 2.3060), (9, 2.2622), (10, 2.2281),
    (11, 2.2010), (12, 2.1788), (13, 2.1604), (14, 2.1448), (15, 2.1314),
    (16, 2.1199), (17, 2.1098), (18, 2.1009), (19, 2.0930), (20, 2.0860),
    (25, 2.0595), (30, 2.0423), (40, 2.0211), (60, 2.0003), (120, 1.9799);

-- All runs with their cell, launch and summary. Models, decisions and histories
-- use these rows.
CREATE VIEW v_run AS
SELECT y.name AS system, y.kind, c.coll, c.msg_size, c.n, c.comm_size, c.ppn,
       c.shape, c.provider, c.variant, c.params, c.dtype, c.op, c.op_class,
       c.root_policy, c.buffers, c.arrival, c.siblings, c.metric, c.part,
       l.ordinal, l.uuid AS launch, l.started, r.status, r.reason, r.batch,
       r.stop_reason, r.validity, s.nrep, s.median, s.mean, s.q25, s.q75,
       s.min, s.max, s.p95, s.p99, r.run_id, r.launch_id, r.cell_id,
       c.system_id
  FROM cell c JOIN system y USING (system_id)
  JOIN run r ON r.cell_id = c.cell_id
  JOIN launch l ON l.launch_id = r.launch_id
  LEFT JOIN run_summary s ON s.run_id = r.run_id;

-- Time of each cell over its launches: the geometric mean of the launch
-- medians, with its 95 % interval from the logarithms (t, L - 1 degrees of
-- freedom). For one launch it is NULL, or in simulation the time itself. It is
-- also NULL if it is wider than a factor of 1000 each way, as for two very
-- different launches.
-- min: the least of the launches' minima. p95, p99: the largest of
-- the launches' quantiles. q25, q75: means of the launches' quantiles. With
-- batches (run.batch) all of them describe means over a batch, so p99 tells
-- less about single calls. Launches are read in the order of their ids, so that
-- a sum has the same last digit for any ids of runs.
CREATE VIEW v_summary AS
WITH l AS (
    SELECT c.cell_id, count(*) AS launches, sum(s.nrep) AS nrep,
           avg(ln(s.median)) AS mu,
           avg(ln(s.median) * ln(s.median)) AS mu2,
           min(s.min) AS min, max(s.p95) AS p95, max(s.p99) AS p99,
           avg(s.q25) AS q25, avg(s.q75) AS q75,
           group_concat(DISTINCT r.stop_reason) AS stop_reason,
           group_concat(DISTINCT nullif(r.validity, '')) AS validity
      FROM cell c NOT INDEXED CROSS JOIN run r ON r.cell_id = c.cell_id
     CROSS JOIN run_summary s ON s.run_id = r.run_id
     WHERE r.status = 'ok' AND s.median > 0
     GROUP BY c.cell_id
)
SELECT y.name AS system, c.coll, c.msg_size, c.n, c.comm_size, c.ppn, c.shape,
       c.provider, c.variant, c.params, c.dtype, c.op, c.op_class,
       c.root_policy, c.buffers, c.arrival, c.siblings, c.metric,
       exp(l.mu) AS seconds,
       CASE WHEN l.launches > 1 THEN exp(l.mu - h.half)
            WHEN y.kind = 'simulated' THEN exp(l.mu) END AS lo,
       CASE WHEN l.launches > 1 THEN exp(l.mu + h.half)
            WHEN y.kind = 'simulated' THEN exp(l.mu) END AS hi,
       l.q25, l.q75, l.min, l.p95, l.p99, l.launches, l.nrep, l.stop_reason,
       coalesce(l.validity, '') AS validity, c.cell_id, c.system_id
  FROM cell c
  JOIN system y USING (system_id)
  JOIN l USING (cell_id)
  LEFT JOIN (SELECT cell_id,
               (SELECT t FROM student_t WHERE df <= launches - 1
                 ORDER BY df DESC LIMIT 1)
               * sqrt(max(mu2 - mu * mu, 0) / (launches - 1)) AS half
               FROM l WHERE launches > 1) h
    ON h.cell_id = c.cell_id AND h.half < ln(1000);

-- An application's time in collectives, by point. call_seconds: mean time of a
-- call on a rank. rank_seconds: mean time of a rank in all these calls. share,
-- program_share: share of the time in collectives and in the whole program.
CREATE VIEW v_trace AS
SELECT t.trace_id, t.label, t.program, p.coll, p.msg_size, p.n, p.comm_size,
       p.shape, p.dtype, p.op, sum(p.calls) AS calls,
       sum(p.seconds) / sum(p.rank_calls) AS call_seconds,
       sum(p.seconds) / t.ranks AS rank_seconds,
       sum(p.seconds) / nullif((SELECT sum(q.seconds) FROM trace_point q
           WHERE q.trace_id = t.trace_id), 0) AS share,
       sum(p.seconds) / nullif(t.ranks * t.wall_mean, 0) AS program_share,
       group_concat(DISTINCT p.ran) AS ran
  FROM trace t JOIN trace_point p USING (trace_id)
 GROUP BY t.trace_id, p.coll, p.comm_size, p.n, p.shape, p.dtype, p.op
 ORDER BY t.trace_id, share DESC;

-- The arrival pattern of each traced point: of the rows with a known pattern
-- that with the largest time over all traces, types and operations.
CREATE VIEW v_arrival AS
SELECT coll, comm_size, msg_size, arrival, seconds
  FROM (SELECT coll, comm_size, msg_size, arrival, sum(seconds) AS seconds,
               row_number() OVER (PARTITION BY coll, comm_size, msg_size
                   ORDER BY sum(seconds) DESC, arrival) AS place
          FROM trace_point WHERE arrival <> ''
         GROUP BY coll, comm_size, msg_size, arrival)
 WHERE place = 1;

-- Every cell against the library's default at the same point: mean logarithm of
-- the ratio, paired by launch, so that launch-to-launch variation cancels.
-- A native algorithm with launches of its own (cell.part) is paired with the
-- library's launch of the same ordinal.
CREATE VIEW v_paired AS
SELECT c.cell_id, count(*) AS launches,
       avg(ln(t.median / s.median)) AS mu,
       avg(ln(t.median / s.median) * ln(t.median / s.median)) AS mu2,
       group_concat(DISTINCT nullif(q.validity, '')) AS library_validity
  FROM cell c NOT INDEXED CROSS JOIN run r ON r.cell_id = c.cell_id
 CROSS JOIN run_summary s ON s.run_id = r.run_id
 CROSS JOIN cell b
    ON b.provider = 'library' AND b.system_id = c.system_id
   AND b.coll = c.coll AND b.comm_size = c.comm_size
   AND b.msg_size = c.msg_size AND b.ppn = c.ppn AND b.shape = c.shape
   AND b.dtype = c.dtype AND b.op = c.op AND b.root_policy = c.root_policy
   AND b.buffers = c.buffers AND b.arrival = c.arrival
   AND b.siblings = c.siblings AND b.metric = c.metric
   AND b.variant = 'default'
 CROSS JOIN run q ON q.cell_id = b.cell_id AND q.launch_id =
       CASE WHEN c.provider = 'native' AND c.part <> '' THEN
           (SELECT max(k.launch_id) FROM launch l
              JOIN launch k ON k.ordinal = l.ordinal
              JOIN run w ON w.launch_id = k.launch_id
             WHERE l.launch_id = r.launch_id AND w.cell_id = b.cell_id
               AND w.status = 'ok')
       ELSE r.launch_id END
 CROSS JOIN run_summary t ON t.run_id = q.run_id
 WHERE r.status = 'ok' AND s.median > 0 AND q.status = 'ok' AND t.median > 0
 GROUP BY c.cell_id;

-- Speed-up over the library's default: above 1 is faster. speedup_lo and
-- speedup_hi: 95 % interval over the launches, as in v_summary. validity is of
-- both times; flags of the library's time have the prefix library:, as in
-- library:late. They are omitted if both times have the same flags.
CREATE VIEW v_speedup AS
SELECT v.system, v.coll, v.msg_size, v.n, v.comm_size, v.ppn, v.shape,
       v.provider, v.variant, v.params, v.dtype, v.op, v.root_policy,
       v.buffers, v.arrival, v.siblings, v.metric, v.seconds,
       exp(p.mu) * v.seconds AS library_seconds, exp(p.mu) AS speedup,
       CASE WHEN p.launches > 1 THEN exp(p.mu - h.half)
            WHEN y.kind = 'simulated' THEN exp(p.mu) END AS speedup_lo,
       CASE WHEN p.launches > 1 THEN exp(p.mu + h.half)
            WHEN y.kind = 'simulated' THEN exp(p.mu) END AS speedup_hi,
       v.launches,
       CASE WHEN v.provider = 'library'
              OR coalesce(p.library_validity, '') IN ('', v.validity)
            THEN v.validity
            ELSE v.validity || CASE v.validity WHEN '' THEN '' ELSE ',' END ||
                 'library:' || replace(p.library_validity, ',', ',library:')
            END AS validity,
       v.cell_id, v.system_id
  FROM v_summary v JOIN system y USING (system_id)
  JOIN v_paired p USING (cell_id)
  LEFT JOIN (SELECT cell_id,
               (SELECT t FROM student_t WHERE df <= launches - 1
                 ORDER BY df DESC LIMIT 1)
               * sqrt(max(mu2 - mu * mu, 0) / (launches - 1)) AS half
               FROM v_paired WHERE launches > 1) h
    ON h.cell_id = v.cell_id AND h.half < ln(1000);

-- The fastest variant of each measured point, and its speed-up.
CREATE VIEW v_best AS
SELECT system, coll, msg_size, n, comm_size, ppn, shape, provider, variant,
       params, dtype, op, root_policy, buffers, arrival, siblings, metric,
       seconds, library_seconds, speedup, launches, validity, cell_id,
       system_id
  FROM (SELECT *, row_number() OVER (
            PARTITION BY system_id, coll, comm_size, msg_size, ppn, shape,
                         dtype, op, root_policy, buffers, arrival, siblings,
                         metric
            ORDER BY seconds, provider = 'chorale', variant, params) AS place
          FROM v_speedup)
 WHERE place = 1;

-- Measurements of `chorale validate`, launch by launch: the choice of the table
-- with that digest (part is 'table-DIGEST'), and beside it the library's
-- default. seconds is NULL if the launch does not count, for the reason in
-- reason, or if it has not run yet.
CREATE VIEW v_proof AS
SELECT y.name AS system, substr(c.part, 7) AS digest, c.coll, c.msg_size, c.n,
       c.comm_size, c.ppn, c.shape, c.dtype, c.op, c.root_policy, c.buffers,
       c.metric, c.arrival, substr(c.params, 18) AS choice, l.ordinal,
       l.uuid AS launch, r.skew,
       CASE WHEN r.status = 'ok' AND q.status = 'ok' AND s.median > 0
             AND t.median > 0 AND r.stop_reason <> 'unequal'
             AND q.stop_reason <> 'unequal' AND NOT
             (instr(',' || r.validity || ',' || q.validity || ',', ',clock,')
              OR instr(',' || r.validity || ',' || q.validity || ',',
                       ',suspicious,')) THEN s.median END AS seconds,
       t.median AS library_seconds,
       CASE WHEN r.reason <> '' THEN r.reason
            WHEN q.reason <> '' THEN 'the library: ' || q.reason
            WHEN instr(',' || r.validity || ',' || coalesce(q.validity, '')
                       || ',', ',clock,')
              OR instr(',' || r.validity || ',' || coalesce(q.validity, '')
                       || ',', ',suspicious,')
            THEN 'a launch does not count: ' ||
                 trim(r.validity || ',' || coalesce(q.validity, ''), ',')
            ELSE '' END AS reason,
       c.part, c.cell_id, l.launch_id, c.system_id
  FROM cell c JOIN system y USING (system_id)
  JOIN cell b ON b.system_id = c.system_id AND b.part = c.part
   AND b.variant = 'library' AND b.coll = c.coll
   AND b.comm_size = c.comm_size AND b.ppn = c.ppn AND b.shape = c.shape
   AND b.dtype = c.dtype AND b.op = c.op AND b.root_policy = c.root_policy
   AND b.buffers = c.buffers AND b.msg_size = c.msg_size
   AND b.metric = c.metric AND b.arrival = c.arrival
  LEFT JOIN run r ON r.cell_id = c.cell_id
  LEFT JOIN launch l ON l.launch_id = r.launch_id
  LEFT JOIN run_summary s ON s.run_id = r.run_id
  LEFT JOIN run q ON q.cell_id = b.cell_id AND q.launch_id = r.launch_id
  LEFT JOIN run_summary t ON t.run_id = q.run_id
 WHERE c.variant = 'choice';

-- Does forcing algorithms change the library's default? Its time beside forced
-- algorithms (forced_seconds), its time in launches that never force one
-- (untouched_seconds), and their ratio over the ordinals that have both with
-- equal batches. The 95 % interval is NULL for one launch and if it is too wide
-- (v_summary). An interval without 1 shows a difference; one point in twenty
-- does so by chance.
CREATE VIEW v_untouched AS
WITH o AS (
    SELECT u.cell_id, l.ordinal,
           avg(ln(t.median)) AS forced, avg(ln(s.median)) AS untouched
      FROM cell u NOT INDEXED CROSS JOIN run r ON r.cell_id = u.cell_id
     CROSS JOIN launch l ON l.launch_id = r.launch_id
     CROSS JOIN run_summary s ON s.run_id = r.run_id
     CROSS JOIN cell b
        ON b.provider = 'library' AND b.system_id = u.system_id
       AND b.coll = u.coll AND b.comm_size = u.comm_size
       AND b.msg_size = u.msg_size AND b.ppn = u.ppn AND b.shape = u.shape
       AND b.dtype = u.dtype AND b.op = u.op AND b.root_policy = u.root_policy
       AND b.buffers = u.buffers AND b.arrival = u.arrival
       AND b.siblings = u.siblings AND b.metric = u.metric
       AND b.variant = 'default'
     CROSS JOIN run q ON q.cell_id = b.cell_id
     CROSS JOIN launch k ON k.launch_id = q.launch_id AND k.ordinal = l.ordinal
     CROSS JOIN run_summary t ON t.run_id = q.run_id
     WHERE u.provider = 'library' AND u.variant = 'untouched'
       AND r.status = 'ok' AND q.status = 'ok' AND s.median > 0
       AND t.median > 0 AND q.batch = r.batch
     GROUP BY u.cell_id, l.ordinal
), d AS (
    SELECT cell_id, count(*) AS launches, avg(forced) AS forced,
           avg(untouched) AS untouched, avg(forced - untouched) AS mu,
           avg((forced - untouched) * (forced - untouched)) AS mu2
      FROM o GROUP BY cell_id
)
SELECT y.name AS system, c.coll, c.msg_size, c.n, c.comm_size, c.ppn, c.shape,
       c.dtype, c.op, c.root_policy, c.buffers, c.arrival, c.siblings,
       c.metric, exp(d.forced) AS forced_seconds,
       exp(d.untouched) AS untouched_seconds, exp(d.mu) AS ratio,
       exp(d.mu - h.half) AS ratio_lo, exp(d.mu + h.half) AS ratio_hi,
       d.launches, c.cell_id, c.system_id
  FROM d JOIN cell c USING (cell_id) JOIN system y USING (system_id)
  LEFT JOIN (SELECT cell_id,
               (SELECT t FROM student_t WHERE df <= launches - 1
                 ORDER BY df DESC LIMIT 1)
               * sqrt(max(mu2 - mu * mu, 0) / (launches - 1)) AS half
               FROM d WHERE launches > 1) h
    ON h.cell_id = d.cell_id AND h.half < ln(1000);

-- The choices of the dispatch table that `generate` writes: for n_lo to n_hi
-- bytes on comm_size to comm_size_hi processes. At other points the
-- library decides. Choices for the library's own rule file are in the table
-- decision only.
CREATE VIEW v_decision AS
SELECT y.name AS system, d.coll, d.comm_size,
       max(d.comm_size, d.comm_size_hi) AS comm_size_hi,
       d.ppn, d.shape, d.dtype, d.op, d.op_class, d.n_lo, d.n_hi,
       d.provider, d.variant, d.params, d.basis, d.seconds,
       d.library_seconds, d.speedup, d.speedup_lo, d.speedup_hi, d.regret,
       d.reason, d.arrival, d.decision_id, d.system_id
  FROM decision d JOIN system y USING (system_id)
 WHERE d.target = 'dispatch';

-- Progress per system, collective and comm_size. A cell counts once for each
-- launch it is planned in. An interrupted launch may have measured cells that
-- its repetition measures again: the best status counts.
CREATE VIEW v_progress AS
SELECT y.name AS system, c.coll, c.comm_size, sum(c.launches) AS planned,
       sum(min(c.launches, d.done)) AS done,
       sum(d.ok) AS ok, sum(d.inapplicable) AS inapplicable,
       sum(d.invalid) AS invalid, sum(d.failed) AS failed
  FROM cell c JOIN system y USING (system_id)
  JOIN (SELECT cell_id, count(ordinal) AS done,
               count(CASE best WHEN 4 THEN 1 END) AS ok,
               count(CASE best WHEN 3 THEN 1 END) AS inapplicable,
               count(CASE best WHEN 2 THEN 1 END) AS invalid,
               count(CASE best WHEN 1 THEN 1 END) AS failed
          FROM (SELECT c2.cell_id, l.ordinal,
                       max(CASE r.status WHEN 'ok' THEN 4
                                         WHEN 'inapplicable' THEN 3
                                         WHEN 'invalid' THEN 2
                                         WHEN 'failed' THEN 1 END) AS best
                  FROM cell c2 LEFT JOIN run r USING (cell_id)
                  LEFT JOIN launch l USING (launch_id)
                 GROUP BY c2.cell_id, l.ordinal)
         GROUP BY cell_id) d USING (cell_id)
 GROUP BY c.system_id, c.coll, c.comm_size;
