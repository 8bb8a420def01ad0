/* proc_touched_test: values of a file of pressure, and the writing of clear_refs. */
#include "source/box.h"

#include "source/proc.h"
#include <errno.h>

static void expect(const char *text, int64_t wanted)
{
    box_text("memory", text);
    assert_int_equal(pm_proc_pressure(AT_FDCWD, "memory"), wanted);
}

IN_BOX(pressure)
{
    expect("some avg10=0.00 avg60=0.00 avg300=1.00 total=4711\nfull avg10=3.00 avg60=2.00\n", 0);
    expect("some avg10=0.00 avg60=1.25 avg300=0.04 total=1\n", 125);
    expect("some avg10=12.50 avg60=1.25 avg300=0.04 total=1\n", 1250);
    expect("some avg10=0.01 avg60=0.00 avg300=0.00 total=1\n", 1);
    expect("", PMAPDB_UNKNOWN);
    expect("some avg10= avg60=0.00\n", PMAPDB_UNKNOWN);
    expect("some avg10=0.00\n", PMAPDB_UNKNOWN);
    expect("full avg10=0.00 avg60=0.00\n", PMAPDB_UNKNOWN);
    assert_int_equal(pm_proc_pressure(AT_FDCWD, "none"), PMAPDB_UNKNOWN);
}

IN_BOX(clear)
{
    const pm_proc p = {.dir = AT_FDCWD};
    char text[8] = "";
    int64_t took_us = 0;
    int fd;

    assert_int_equal(pm_proc_clear_refs(&p, &took_us), ENOENT);
    box_text("clear_refs", "");
    assert_int_equal(pm_proc_clear_refs(&p, &took_us), 0);
    fd = open("clear_refs", O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text), 1);
    close(fd);
    assert_string_equal(text, "1");
    assert_true(took_us >= 0);
}

RUN_TESTS(NULL, NULL)
