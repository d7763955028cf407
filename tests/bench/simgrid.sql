-- Tables compared by simgrid.sh: seconds of Chorale's variants and of SimGrid's
-- algorithms, and the pairs that are the same algorithm.
CREATE TABLE IF NOT EXISTS ours
(coll TEXT, comm_size INTEGER, msg_size INTEGER, variant TEXT, params TEXT,
 seconds REAL, PRIMARY KEY (coll, comm_size, msg_size, variant, params));
CREATE TABLE IF NOT EXISTS theirs
(coll TEXT, comm_size INTEGER, msg_size INTEGER, algorithm TEXT, seconds REAL,
 PRIMARY KEY (coll, comm_size, msg_size, algorithm));
CREATE TABLE IF NOT EXISTS wrong
(coll TEXT, comm_size INTEGER, msg_size INTEGER, provider TEXT, what TEXT,
 status TEXT, reason TEXT,
 PRIMARY KEY (coll, comm_size, msg_size, provider, what));
CREATE TABLE IF NOT EXISTS same
(coll TEXT, variant TEXT, params TEXT, algorithm TEXT, least INTEGER,
 ranks TEXT);

DROP VIEW IF EXISTS v_same;
CREATE VIEW v_same AS
SELECT m.coll, m.variant, m.params, m.algorithm, count(t.seconds) AS points,
       round(exp(avg(ln(o.seconds / t.seconds))), 4) AS mean,
       round(max(o.seconds / t.seconds), 4) AS worst,
       CASE WHEN count(t.seconds) = 0 THEN 'not measured'
            WHEN max(o.seconds / t.seconds) > 1.02 THEN 'above 1.02'
            ELSE '' END AS note
  FROM same m
  LEFT JOIN ours o ON o.coll = m.coll AND o.variant = m.variant
   AND (m.params = '-' OR o.params = m.params)
   AND o.comm_size IN (8, 13, 16) AND o.msg_size >= m.least
   AND CASE WHEN m.ranks = '' THEN 1
            WHEN m.ranks + 0 > 0 THEN o.comm_size = m.ranks + 0
            ELSE (m.ranks = 'pow2') = (o.comm_size & (o.comm_size - 1) = 0)
       END
  LEFT JOIN theirs t ON t.coll = o.coll AND t.algorithm = m.algorithm
   AND t.comm_size = o.comm_size AND t.msg_size = o.msg_size
 GROUP BY 1, 2, 3, 4;

-- A point without a correct variant of Chorale has no variant and ratio.
DROP VIEW IF EXISTS v_point;
CREATE VIEW v_point AS
SELECT t.coll, t.comm_size, t.msg_size, o.variant, o.params, o.seconds,
       t.algorithm, t.seconds AS their_seconds, o.seconds / t.seconds AS ratio
  FROM (SELECT coll, comm_size, msg_size, algorithm,
               min(seconds) AS seconds FROM theirs GROUP BY 1, 2, 3) t
  LEFT JOIN (SELECT coll, comm_size, msg_size, variant, params,
               min(seconds) AS seconds FROM ours GROUP BY 1, 2, 3) o
    ON t.coll = o.coll AND t.comm_size = o.comm_size
   AND t.msg_size = o.msg_size;

DROP VIEW IF EXISTS v_best;
CREATE VIEW v_best AS
SELECT coll, count(*) AS points, round(exp(avg(ln(ratio))), 4) AS mean,
       round(min(ratio), 4) AS least, round(max(ratio), 4) AS worst,
       sum(ratio IS NULL OR ratio > 1.02) AS lost
  FROM v_point GROUP BY 1;

DROP VIEW IF EXISTS v_lost;
CREATE VIEW v_lost AS
SELECT coll, comm_size AS P, msg_size AS m, variant, params,
       round(seconds * 1e6, 3) AS us, algorithm,
       round(their_seconds * 1e6, 3) AS their_us, round(ratio, 3) AS ratio
  FROM v_point WHERE ratio IS NULL OR ratio > 1.02
 ORDER BY coll, P, m;

DROP VIEW IF EXISTS v_ours_wrong;
CREATE VIEW v_ours_wrong AS
SELECT coll, comm_size AS P, msg_size AS m, what, status, reason FROM wrong
 WHERE provider = 'chorale' ORDER BY 1, 2, 3, 4;
