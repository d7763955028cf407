-- Add the times of one measured database (attached as part) to the tables of
-- simgrid.sql. SimGrid's algorithms are runs of the library on systems whose
-- selector names them.
INSERT OR REPLACE INTO ours
SELECT c.coll, c.comm_size, c.msg_size, c.variant, c.params, min(s.median)
  FROM part.cell c JOIN part.run r USING (cell_id)
  JOIN part.run_summary s USING (run_id)
 WHERE c.provider = 'chorale' AND r.status = 'ok'
 GROUP BY 1, 2, 3, 4, 5;

INSERT OR REPLACE INTO theirs
SELECT c.coll, c.comm_size, c.msg_size,
       substr(rest, 1, instr(rest || ',', ',') - 1), min(s.median)
  FROM (SELECT cell.*, substr(p.sim_selector,
               instr(p.sim_selector, ',' || cell.coll || ':') +
               length(cell.coll) + 2) AS rest
          FROM part.cell JOIN part.campaign p USING (campaign_id)
         WHERE instr(p.sim_selector, ',' || cell.coll || ':') > 0) c
  JOIN part.run r USING (cell_id) JOIN part.run_summary s USING (run_id)
 WHERE c.provider = 'library' AND r.status = 'ok'
 GROUP BY 1, 2, 3, 4;

INSERT OR REPLACE INTO wrong
SELECT c.coll, c.comm_size, c.msg_size, c.provider,
       CASE WHEN c.provider = 'chorale' THEN c.variant || ' ' || c.params
            ELSE p.sim_selector END, r.status, r.reason
  FROM part.cell c JOIN part.campaign p USING (campaign_id)
  JOIN part.run r USING (cell_id)
 WHERE r.status IN ('invalid', 'failed');
