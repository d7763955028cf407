-- Views over a database that simgrid.sh filled. A forced algorithm is the
-- provider library of a system whose selector names it.
CREATE TABLE IF NOT EXISTS bench_map (coll TEXT, variant TEXT, params TEXT,
                                      algorithm TEXT);
DROP VIEW IF EXISTS v_bench_lost;
DROP VIEW IF EXISTS v_bench_best;
DROP VIEW IF EXISTS v_bench_point;
DROP VIEW IF EXISTS v_bench_same;
DROP VIEW IF EXISTS v_bench_theirs;
DROP VIEW IF EXISTS v_bench_ours;

CREATE VIEW v_bench_ours AS
SELECT c.coll, c.comm_size, c.msg_size, c.variant, c.params,
       min(s.median) AS seconds
  FROM cell c JOIN run r USING (cell_id) JOIN run_summary s USING (run_id)
 WHERE c.provider = 'chorale' AND r.status = 'ok'
 GROUP BY 1, 2, 3, 4, 5;

CREATE VIEW v_bench_theirs AS
SELECT c.coll, c.comm_size, c.msg_size,
       substr(rest, 1, instr(rest || ',', ',') - 1) AS algorithm,
       min(s.median) AS seconds
  FROM (SELECT cell.*, substr(p.sim_selector,
               instr(p.sim_selector, ',' || cell.coll || ':') +
               length(cell.coll) + 2) AS rest
          FROM cell JOIN campaign p USING (campaign_id)
         WHERE instr(p.sim_selector, ',' || cell.coll || ':') > 0) c
  JOIN run r USING (cell_id) JOIN run_summary s USING (run_id)
 WHERE c.provider = 'library' AND r.status = 'ok'
 GROUP BY 1, 2, 3, 4;

CREATE VIEW v_bench_same AS
SELECT m.coll, m.variant, m.params, m.algorithm, count(*) AS points,
       round(exp(avg(ln(o.seconds / t.seconds))), 4) AS mean,
       round(max(o.seconds / t.seconds), 4) AS worst,
       CASE WHEN max(o.seconds / t.seconds) > 1.02 THEN 'above 1.02'
            ELSE '' END AS note
  FROM bench_map m
  JOIN v_bench_ours o ON o.coll = m.coll AND o.variant = m.variant
   AND (m.params = '-' OR o.params = m.params)
  JOIN v_bench_theirs t ON t.coll = m.coll AND t.algorithm = m.algorithm
   AND t.comm_size = o.comm_size AND t.msg_size = o.msg_size
 WHERE o.comm_size IN (8, 13, 16)
 GROUP BY 1, 2, 3, 4;

CREATE VIEW v_bench_point AS
SELECT o.coll, o.comm_size, o.msg_size, o.variant, o.params, o.seconds,
       t.algorithm, t.seconds AS their_seconds, o.seconds / t.seconds AS ratio
  FROM (SELECT coll, comm_size, msg_size, variant, params,
               min(seconds) AS seconds FROM v_bench_ours GROUP BY 1, 2, 3) o
  JOIN (SELECT coll, comm_size, msg_size, algorithm,
               min(seconds) AS seconds FROM v_bench_theirs GROUP BY 1, 2, 3) t
    ON t.coll = o.coll AND t.comm_size = o.comm_size
   AND t.msg_size = o.msg_size;

CREATE VIEW v_bench_best AS
SELECT coll, count(*) AS points, round(exp(avg(ln(ratio))), 4) AS mean,
       round(min(ratio), 4) AS least, round(max(ratio), 4) AS worst,
       sum(ratio > 1.02) AS lost
  FROM v_bench_point GROUP BY 1;

CREATE VIEW v_bench_lost AS
SELECT coll, comm_size AS P, msg_size AS m, variant, params,
       round(seconds * 1e6, 3) AS us, algorithm,
       round(their_seconds * 1e6, 3) AS their_us, round(ratio, 3) AS ratio
  FROM v_bench_point WHERE ratio > 1.02 ORDER BY ratio DESC;
