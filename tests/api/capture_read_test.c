/* capture_read_test: processes that change while a run reads them, and the targets it remembers. */
#include "api/live.h"

#include "api/capture/run.h"
#include <fcntl.h>
#include <sys/stat.h>

/* ---- a run without its beats ---- */

static void begin_run(live *l, pm_capture_run *run)
{
    *run = (pm_capture_run){
        .store = l->store, .options = &l->options, .result = &l->result, .lock = -1};
    snprintf(run->host, sizeof run->host, "here");
    assert_int_equal(pm_select_init(&run->selection, &l->options, NULL), PMAPDB_OK);
    assert_int_equal(pm_proc_open_root("/proc", &run->root, NULL), PMAPDB_OK);
    assert_int_equal(pm_proc_boot_id(run->root, run->boot_id, NULL), PMAPDB_OK);
    assert_int_equal(pm_proc_host_new(run->root, &run->machine, NULL), PMAPDB_OK);
    assert_int_equal(pm_keep_cmdline_init(NULL, 0, &run->keep_cmdline, NULL), PMAPDB_OK);
}

static void end_run(pm_capture_run *run)
{
    pm_keep_cmdline_free(&run->keep_cmdline);
    pm_proc_host_free(run->machine);
    pm_select_free(&run->selection);
    pm_targets_free(&run->targets);
    close(run->root);
}

static pmapdb_status sweep(pm_capture_run *run)
{
    run->n_begun++;
    run->sweep = (pm_sweep){.host = "here",
                            .boot_id = run->boot_id,
                            .selection = run->selection.text.data,
                            .every_ms = PMAPDB_UNKNOWN,
                            .started_ms = 1795229318000 + 1000 * (int64_t)run->n_begun};
    run->st = PMAPDB_OK;
    pm_capture_sweep(run);
    return run->st;
}

/* The identity is checked after the map is read: a map of two programs is not kept. */
WITH_RUN(exec_during_the_reading)
{
    pm_capture_run run;
    pm_target *target;
    pm_proc p;
    pm_proc_fate fate;

    child(l, "worker");
    begin_run(l, &run);
    assert_int_equal(pm_proc_open(run.root, l->pids[0], &p, &fate, NULL), PMAPDB_OK);
    assert_int_equal(fate, PM_PROC_GOOD);
    target = pm_targets_get(&run.targets, l->pids[0], p.life.start_time);
    assert_non_null(target);
    assert_int_equal(pm_capture_read(&run, &p, target), PM_PROC_GOOD);
    assert_int_equal(run.st, PMAPDB_OK);
    assert_true(target->waiting);
    target->waiting = false;
    p.life.start_stack++;
    assert_int_equal(pm_capture_read(&run, &p, target), PM_PROC_CHANGED);
    assert_int_equal(run.st, PMAPDB_OK);
    assert_false(target->waiting);
    p.life.start_stack--;
    end_child(l, 0);
    assert_int_equal(pm_capture_read(&run, &p, target), PM_PROC_GONE);
    assert_int_equal(run.st, PMAPDB_OK);
    assert_false(target->waiting);
    pm_proc_close(&p);
    end_run(&run);
}

/* Another process has got the pid of a process that was named. */
WITH_RUN(pid_was_reused)
{
    pm_capture_run run;

    child(l, "worker");
    begin_run(l, &run);
    run.selection.named[0].start_time = 1;
    run.n_begun = 1;
    assert_int_equal(sweep(&run), PMAPDB_OK);
    expect(l, "(note) it has ended\n");
    assert_false(pm_select_any_left(&run.selection));
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot"), 0);
    end_run(&run);
}

/* A process that ended is forgotten. A process that reuses its pid is another target. */
WITH_RUN(the_gone_are_forgotten)
{
    pm_capture_run run;
    pm_target *first, *second;

    child(l, "worker");
    child(l, "worker");
    begin_run(l, &run);
    assert_int_equal(sweep(&run), PMAPDB_OK);
    assert_int_equal(run.targets.n, 2);
    end_child(l, 1);
    assert_int_equal(sweep(&run), PMAPDB_OK);
    assert_int_equal(run.targets.n, 1);
    assert_int_equal(run.targets.ended, 1);
    first = run.targets.item[0];
    assert_ptr_equal(pm_targets_get(&run.targets, first->pid, first->start_time), first);
    second = pm_targets_get(&run.targets, first->pid, first->start_time + 1);
    assert_non_null(second);
    assert_int_equal(run.targets.n, 1);
    assert_null(second->map.pool);
    end_run(&run);
}

/* The later beats of a run know the rows of earlier beats: their captures are right, too. */
WITH_RUN(later_beats_are_right)
{
    pm_capture_run run;

    child(l, "worker");
    begin_run(l, &run);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sweep(&run), PMAPDB_OK);
        ask(l, 0, 'g');
    }
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot WHERE checked = 'status'"), 4);
    assert_int_equal(number(l, "SELECT max(rss_kib) - min(rss_kib) FROM snapshot") / 3072, 1);
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot s WHERE rss_kib <> (SELECT "
                               "sum(rss_kib) FROM mappings m WHERE m.snapshot_id = s.snapshot_id)"),
                     0);
    end_run(&run);
}

/* A /proc of one process with smaps of two moments: a mapping was split while it was read. */
static int torn_proc(void)
{
    static const char *const torn = "00001000-00004000 rw-p 00000000 00:00 0 \n"
                                    "Size:                 12 kB\nRss:                  12 kB\n"
                                    "00002000-00006000 rw-p 00000000 00:00 0 \n"
                                    "Size:                 16 kB\nRss:                  16 kB\n";
    int root;

    assert_int_equal(mkdir("proc", 0700), 0);
    assert_int_equal(mkdir("proc/4711", 0700), 0);
    box_text("proc/4711/stat", "4711 (torn) S 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 "
                               "0 18446744073709551615 0 0 140000000\n");
    box_text("proc/4711/status", "Tgid:\t4711\nUid:\t0\t0\t0\t0\n");
    box_text("proc/4711/maps", "00001000-00004000 rw-p 00000000 00:00 0 \n");
    box_text("proc/4711/smaps", torn);
    root = open("proc", O_RDONLY | O_DIRECTORY);
    assert_true(root >= 0);
    return root;
}

/* A torn map is counted, and reported once. It is trouble only for a single capture of a pid. */
WITH_RUN(a_torn_map)
{
    static const char *const words =
        "its map changed too quickly while it was read: no part of it was stored\n";
    pm_capture_run run;
    int root = torn_proc();

    for (int how = 0; how < 3; how++) {
        pm_buf_clear(&l->news);
        l->result.trouble = 0;
        l->pids[0] = 4711;
        l->options.n_pids = how < 2;
        l->options.all = how == 2;
        l->options.every_ms = how == 1 ? 1000 : PMAPDB_UNKNOWN;
        begin_run(l, &run);
        close(run.root);
        run.root = dup(root);
        assert_int_equal(sweep(&run), PMAPDB_OK);
        assert_int_equal(l->result.trouble, how == 0);
        assert_true(pm_select_any_left(&run.selection));
        assert_int_equal(number(l, "SELECT changed FROM beat ORDER BY capture_id DESC"), 1);
        if (how > 0)
            assert_int_equal(sweep(&run), PMAPDB_OK);
        assert_int_equal(strncmp(l->news.data, "(note) ", 7) == 0, how > 0);
        assert_string_equal(l->news.data + (how ? 7 : 0), words);
        end_run(&run);
    }
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot"), 0);
    l->pids[0] = 0;
    close(root);
}

/* Maps exceed the bound: the maps read so far are stored and forgotten, and the beat goes on. */
WITH_RUN(a_beat_in_parts)
{
    pm_capture_run run;

    child(l, "worker");
    child(l, "idle");
    begin_run(l, &run);
    for (int beyond = 0; beyond < 2; beyond++) {
        run.map_bytes = beyond ? PM_MAPS_BYTES : 0;
        run.capture_id = 0;
        assert_int_equal(sweep(&run), PMAPDB_OK);
        assert_int_equal(run.targets.n, 2);
        assert_int_equal(run.targets.item[0]->map.pool == NULL, beyond);
        assert_non_null(run.targets.item[1]->map.pool);
    }
    assert_int_equal(number(l, "SELECT count(*) FROM snapshot"), 4);
    assert_int_equal(number(l, "SELECT count(DISTINCT capture_id) FROM snapshot"), 2);
    end_run(&run);
}

RUN_TESTS(NULL, NULL)
