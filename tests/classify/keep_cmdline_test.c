/* keep_cmdline_test: the part of a command line that is stored. */
#include "classify/keep_cmdline.h"

#include "unit.h"

static void keeps(const char *const *regexes, size_t n, pm_text line, const char *expected)
{
    pm_keep_cmdline keep = {0};
    pmapdb_error err;
    pm_text kept;

    assert_int_equal(pm_keep_cmdline_init(regexes, n, &keep, &err), PMAPDB_OK);
    assert_int_equal(pm_keep_cmdline_of(&keep, line, &kept, &err), PMAPDB_OK);
    if (!pm_text_equal(kept, pm_text_of(expected)))
        fail_msg("'%.*s' is kept of '%.*s', not '%s'", (int)kept.len, kept.data, (int)line.len,
                 line.data, expected);
    pm_keep_cmdline_free(&keep);
}

/* Tests `line` with blanks between its arguments, as tools print them, and then with NULs. */
static void both(const char *line, const char *expected)
{
    char with_nuls[256];
    size_t n = strlen(line);

    keeps(NULL, 0, pm_text_of(line), expected);
    for (size_t i = 0; i <= n; i++)
        with_nuls[i] = (char)(line[i] == ' ' ? '\0' : line[i]);
    keeps(NULL, 0, (pm_text){with_nuls, n + 1}, expected);
}

TEST(the_program)
{
    both("", "");
    both("/usr/bin/redis-server --requirepass hunter2", "/usr/bin/redis-server");
    both("mysql -uroot -phunter2 -h db", "mysql");
    both("TOKEN=hunter2 app", "TOKEN=hunter2"); /* argument 0 is the program, whatever its text */
    both("/opt/python/app --secret x", "/opt/python/app");
    keeps(NULL, 0, PM_TEXT("postgres: joe secretdb 10.0.0.1(1234) idle\0\0\0"), "postgres:");
    keeps(NULL, 0, PM_TEXT("python3 a title that says secrets\0\0"), "python3");
    keeps(NULL, 0, PM_TEXT("/opt/a b/app\0--x"), "/opt/a");
    keeps(NULL, 0, PM_TEXT("\0x\0"), "");
}

/* Programs that are interpreters, with any separator between their arguments. */
TEST(names)
{
    static const char *const said[][2] = {
        {"java -Xmx1g -cp a.jar:b.jar com.x.Main --db hunter2", "com.x.Main"},
        {"/usr/lib/jvm/bin/java -javaagent:x=y -jar /srv/app.jar prod", "app.jar"},
        {"java -m my.mod/my.Main", "my.Main"},
        {"java -version", "java"},
        {"/usr/bin/node --inspect -r ./hook.js /srv/server.js 8080", "server.js"},
        {"node -e 1", "node"},
        {"/usr/bin/python3.11 -u /srv/manage.py runserver", "manage.py"},
        {"python3 -m http.server 8000", "http.server"},
        {"python3", "python3"},
        {"/usr/bin/perl -w /usr/sbin/munin-node", "munin-node"},
        {"ruby /usr/bin/puma -C x.rb", "puma"},
        {"php artisan queue:work", "artisan"},
        {"dotnet /app/shop.dll", "shop.dll"},
        {"sh /opt/backup.sh nightly", "backup.sh"},
        {"/bin/bash /dev/fd/63 x", "bash"},
        {"sh -c hunter2", "sh"},
        {"redis-server *:6379", ""},
        {"postgres: checkpointer ", ""},
        {"", ""},
    };

    for (size_t i = 0; i < COUNT(said); i++) {
        char arguments[128];
        size_t n = strlen(said[i][0]);

        for (int nuls = 0; nuls < 2; nuls++) {
            pm_text name;

            for (size_t k = 0; k <= n; k++)
                arguments[k] = (char)(nuls && said[i][0][k] == ' ' ? '\0' : said[i][0][k]);
            name = pm_interpreted_name((pm_text){arguments, n});
            if (!pm_text_equal(name, pm_text_of(said[i][1])))
                fail_msg("'%s' is called '%.*s'", said[i][0], (int)name.len, name.data);
        }
    }
}

TEST(of_an_interpreter_the_script)
{
    both("java -Xmx1g -Dpassword=hunter2 -cp a.jar:b.jar com.x.Main --db hunter2",
         "java com.x.Main");
    both("/usr/lib/jvm/bin/java -javaagent:x=hunter2 -jar /srv/app.jar hunter2",
         "/usr/lib/jvm/bin/java -jar /srv/app.jar");
    both("java --add-opens java.base/java.lang -m my.app hunter2", "java -m my.app");
    both("python3.11 -u -W ignore /srv/app.py --token hunter2", "python3.11 /srv/app.py");
    both("python -Im http.server hunter2", "python -Im http.server");
    both("python3 -c hunter2 hunter2", "python3");
    both("python3 -Ic hunter2", "python3");
    both("node --inspect -r ./hook.js server.js hunter2", "node server.js");
    both("node -e hunter2", "node");
    both("ruby -I lib -r json worker.rb hunter2", "ruby worker.rb");
    both("perl -we hunter2", "perl");
    both("php -d memory_limit=1G -f job.php hunter2", "php -f job.php");
    both("php artisan queue:work", "php artisan");
    both("dotnet /srv/app.dll hunter2", "dotnet /srv/app.dll");
    both("/bin/sh -ec hunter2", "/bin/sh");
    both("bash -o pipefail run.sh hunter2", "bash run.sh");
    both("python3 http://joe:hunter2@db", "python3");
    both("python3 PASSWORD=hunter2", "python3");
    both("python3 -m", "python3 -m");
    both("node", "node");
}

TEST(what_regexes_match)
{
    static const char *const port[] = {"--port \\d+", "role=\\K\\w+"};
    static const char *const all[] = {".*"}, *const empty[] = {"x*"};
    pm_text line = PM_TEXT("/srv/app\0--token\0hunter2\0--port\080\0role=db\0");

    keeps(port, 2, line, "/srv/app --port 80 db");
    keeps(port, 1, PM_TEXT("app --port x"), "app");
    keeps(all, 1, line, "/srv/app --token hunter2 --port 80 role=db");
    keeps(empty, 1, line, "/srv/app");
    keeps(all, 1, PM_TEXT(""), "");
}

TEST(what_gives_up_keeps_nothing)
{
    static const char *const slow[] = {"(a+)+b"};
    char line[64] = "app ";

    memset(line + 4, 'a', 50);
    keeps(slow, 1, pm_text_of(line), "app");
}

TEST(wrong_regexes)
{
    static const char *const wrong[] = {"("};
    pm_keep_cmdline keep;
    pmapdb_error err;

    assert_int_equal(pm_keep_cmdline_init(wrong, 1, &keep, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "--keep-cmdline '(': regex, at character 2"));
    pm_keep_cmdline_free(&keep);
}

RUN_TESTS(NULL, NULL)
