/* beside_test: what the small files beside a capture add to it, on disk and in archives. */
#include "api/run.h"

static const char smaps[] = "00400000-00401000 r-xp 00000000 08:01 11   /opt/app\n"
                            "Size:                  4 kB\nRss:                   4 kB\n"
                            "Pss:                   4 kB\nPrivate_Clean:         4 kB\n"
                            "Private_Dirty:         0 kB\nShared_Clean:          0 kB\n"
                            "Shared_Dirty:          0 kB\nSwap:                  0 kB\n"
                            "VmFlags: rd ex mr mw me\n";

static void make_proc(void)
{
    shell(
        "mkdir -p p/7 && printf 'Name:\\tworker\\nPid:\\t7\\nVmSize:\\t4 kB\\nVmRSS:\\t4 kB\\n' > "
        "p/7/status && echo worker > p/7/comm && printf '/opt/worker-of-a-long-name\\0-v\\0' > "
        "p/7/cmdline && echo '7 (worker) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 4096 "
        "1 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0' > "
        "p/7/stat");
    box_text("p/7/smaps", smaps);
    shell("touch -d @1795229318 p/7/smaps");
}

static void siblings_of_a_process_directory(void **state)
{
import in;

    (void)state;
    begin(&in);
    make_proc();
    run(&in, "p");
    expect(&in, "p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1\n");
    assert_int_equal(number(&in, "SELECT start_time FROM process"), 4242);
    shell("tar cf p.tar p");
    run(&in, "p.tar");
    expect(&in, "p.tar:p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1 again\n");
    run(&in, "p/7/smaps");
    expect(&in, "p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1 again\n");
    end(&in);
}

/* In an archive they may stand behind the capture, or before it. */
static void siblings_in_an_archive(void **state)
{
    static const char *const orders[] = {"p/7/smaps p/7/stat p/7/comm p/7/cmdline p/7/status",
                                         "p/7/status p/7/cmdline p/7/comm p/7/stat p/7/smaps"};

    (void)state;
    make_proc();
    for (int i = 0; i < 2; i++) {
        char command[160];
import in;

        snprintf(command, sizeof command, "rm -f t.db* p.tar; tar cf p.tar %s", orders[i]);
        shell(command);
        begin(&in);
        run(&in, "p.tar");
        expect(&in, "p.tar:p/7/smaps 7 worker-of-a-long-name +0 smaps complete status 1\n");
        assert_int_equal(number(&in, "SELECT start_time FROM process"), 4242);
        end(&in);
    }
}

static void siblings_by_stem(void **state)
{
import in;

    (void)state;
    begin(&in);
    box_text("1795229318-7.smaps", smaps);
    box_text("1795229318-7.status", "Name:\tworker\nPid:\t7\nVmSize:\t4 kB\nVmRSS:\t8 kB\n");
    run(&in, "1795229318-7.smaps");
    /* another sum proves nothing */
    expect(&in, "1795229318-7.smaps 7 worker +0 smaps complete none 1\n");
    assert_int_equal(number(&in, "SELECT tool_rss_kib FROM snapshots"), 8);
    end(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_BOX(siblings_of_a_process_directory),
        IN_BOX(siblings_in_an_archive),
        IN_BOX(siblings_by_stem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
