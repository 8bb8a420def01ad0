-- merge-known-beats: notes the beats of the other store that this store has, or that are not newer
-- than the newest beat of the schedule that a prune removed here. A beat is known by its schedule and
-- its clocks.

SELECT h.name AS host, boot_id, selection, every_ms, started_ms, mono_ns, capture_id
FROM beat JOIN schedule USING (schedule_id) JOIN host h USING (host_id);
INSERT INTO temp.copied
SELECT 'beat', :capture_id, 1 FROM schedule j JOIN host h USING (host_id)
WHERE h.name = :host AND boot_id = :boot_id AND selection = :selection
  AND coalesce(every_ms, 0) = coalesce(:every_ms, 0)
  AND (:started_ms <= removed_ms OR EXISTS (SELECT 1 FROM beat w
    WHERE w.schedule_id = j.schedule_id AND w.started_ms = :started_ms AND w.mono_ns = :mono_ns));
