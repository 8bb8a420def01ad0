/* secrets_test: what of a command line is stored. */
#include "classify/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

typedef struct sample {
    const char *line, *stored; /* NULL: as it is */
} sample;

static void expect(pm_secrets *secrets, pm_text line, const char *stored)
{
    pm_text out = {0};
    char shown[512];

    assert_int_equal(pm_secrets_hide(secrets, line, &out, NULL), PMAPDB_OK);
    snprintf(shown, sizeof shown, "%.*s", (int)out.len, out.data);
    assert_string_equal(shown, stored);
}

/* Also: redacted twice is as redacted once. */
static void check_all(const sample *samples, size_t n, char between)
{
    pm_secrets *secrets = NULL;

    assert_int_equal(pm_secrets_new(NULL, 0, false, &secrets, NULL), PMAPDB_OK);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(samples[i].line);
        const char *stored = samples[i].stored ? samples[i].stored : samples[i].line;
        char *line = malloc(len + 1); /* so that reading beyond it is seen */
        char *plain = strdup(stored);

        memcpy(line, samples[i].line, len);
        for (size_t k = 0; k < len; k++)
            if (line[k] == '|')
                line[k] = between;
        for (char *p = plain; *p; p++)
            if (*p == '|')
                *p = ' ';
        expect(secrets, (pm_text){line, len}, plain);
        expect(secrets, pm_text_of(plain), plain);
        free(line);
        free(plain);
    }
    pm_secrets_free(secrets);
}

/* In both forms, | between arguments: NULs as in /proc, blanks as in what pmap prints. */
static void known_names(void **state)
{
    static const sample samples[] = {
        {"app|--password=hunter2|-v", "app|--password=***|-v"},
        {"app|--password|hunter2|-v", "app|--password|***|-v"},
        {"app|-password|hunter2|-v", "app|-password|***|-v"},
        {"app|--db-password=hunter2", "app|--db-password=***"},
        {"app|--DB_PASSWD=hunter2", "app|--DB_PASSWD=***"},
        {"app|--dbPass=hunter2", "app|--dbPass=***"},
        {"app|--password1=hunter2", "app|--password1=***"},
        {"app|--password:hunter2", "app|--password:***"},
        {"app|--api-key|k1|--apikey=k2|--apiKey=k3", "app|--api-key|***|--apikey=***|--apiKey=***"},
        {"app|--access-key=k|--private_key=k", "app|--access-key=***|--private_key=***"},
        {"app|--client-secret|s|--credentials=c", "app|--client-secret|***|--credentials=***"},
        {"app|--token=-x-|--token|-x-", "app|--token=***|--token|***"},
        {"app|--auth|user:pw|--smtp-auth=pw", "app|--auth|***|--smtp-auth=***"},
        {"java|-Djavax.net.ssl.trustStorePassword=changeit|-Xmx1g|Main",
         "java|-Djavax.net.ssl.trustStorePassword=***|-Xmx1g|Main"},
        {"java|-Dspring.datasource.password=a,b;c&d", "java|-Dspring.datasource.password=***"},
        {"env|PGPASSWORD=x|MYSQL_PWD=y|AWS_SECRET_ACCESS_KEY=z|REDISCLI_AUTH=w|run",
         "env|PGPASSWORD=***|MYSQL_PWD=***|AWS_SECRET_ACCESS_KEY=***|REDISCLI_AUTH=***|run"},
        {"rails|SECRET_KEY_BASE=0f0f", "rails|SECRET_KEY_BASE=***"},
        {"redis-server|--requirepass|x|--port|6379", "redis-server|--requirepass|***|--port|6379"},
        {"beam.smp|-setcookie|monster|-name|n@h", "beam.smp|-setcookie|***|-name|n@h"},
        {"keytool|-storepass|x|-keypass|y", "keytool|-storepass|***|-keypass|***"},
        {"openssl|rsa|-passin|pass:x", "openssl|rsa|-passin|***"},
        {"openssl|enc|-pass|pass:x|-k|y|-K|0f|-in|f", "openssl|enc|-pass|***|-k|***|-K|***|-in|f"},
        {"app|--bearer|x|--bearer=y|-v", "app|--bearer|***|--bearer=***|-v"},
        {"curl|--oauth2-bearer|x|h", "curl|--oauth2-bearer|***|h"},
        {"app|--password=|x|y", "app|--password=|***|y"},
        {"curl|https://h/?api_key=k&user=u&token=t#x",
         "curl|https://h/?api_key=***&user=u&token=***"},
        {"java|jdbc:mysql://h:3306/db?user=u&password=p&ssl=1",
         "java|jdbc:mysql://h:3306/db?user=u&password=***&ssl=1"},
        {"psql|postgres://joe:hunter2@db/x", "psql|postgres://joe:***@db/x"},
        {"app|--url=amqp://joe:a@b:c@db:5672/v", "app|--url=amqp://joe:***@db:5672/v"},
        {"app|redis://:pw@db", "app|redis://:***@db"},
        {"app|mongodb://u:p@h1:1,h2:2/x?authSource=admin",
         "app|mongodb://u:***@h1:1,h2:2/x?authSource=admin"},
        {"app|postgres://u:pa/ss@h/db", "app|postgres://u:***@h/db"},
        {"git|clone|https://ghp_abc@github.com/a/b", "git|clone|https://***@github.com/a/b"},
        {"app|{\"user\":\"u\",\"password\":\"p,q\"}", "app|{\"user\":\"u\",\"password\":\"***\"}"},
        {"odbc|Server=h;Pwd=x;Database=d", "odbc|Server=h;Pwd=***;Database=d"},
        {"mysql|-uroot|-phunter2|-h|db", "mysql|-uroot|-p***|-h|db"},
        {"/usr/bin/mysqldump|-p|db", NULL}, /* it asks; db is the database */
        {"sshpass|-p|hunter2|ssh|h", "sshpass|-p|***|ssh|h"},
        {"redis-cli|-a|pw|-h|db", "redis-cli|-a|***|-h|db"},
        {"ldapsearch|-LLLxw|pw|-b|dc=x", "ldapsearch|-LLLxw|***|-b|dc=x"},
        {"curl|-u|joe:pw|https://h", "curl|-u|joe:***|https://h"},
        {"pmapdb|--match|env(API_KEY,abc)", "pmapdb|--match|env(API_KEY,***)"},
        {"pmapdb|--match|cmdline(*--token=abc*)", "pmapdb|--match|cmdline(*--token=****)"},
    };

    (void)state;
    check_all(samples, sizeof samples / sizeof *samples, '\0');
    check_all(samples, sizeof samples / sizeof *samples, ' ');
}

static void no_secrets(void **state)
{
    static const sample samples[] = {
        {"", NULL},
        {"app", NULL},
        {"app|--token-ttl|30|--token-type=bearer|--password-file=/etc/x|--secret-name=db", NULL},
        {"app|--tokenizer=bpe|--max-tokens|4096|--passes=2|--bypass=1|--compass|n", NULL},
        {"app|--author=me|--authority|x|--keyboard=us|--key|server.pem|--public-key=k", NULL},
        {"app|AWS_ACCESS_KEY_ID=AKIA|PWD=/home/u|OLDPWD=/", NULL},
        {"app|--password", NULL},
        {"app|--password=", NULL},
        {"app|--password=|-v", NULL},
        {"env|PGPASSWORD=|psql|-h|db", NULL}, /* an empty one, and the program */
        {"openssl|req|-key|f|-keyout|k.pem|-nodes|-kdf|scrypt", NULL},
        {"mongod|--auth|--port|27017", NULL},
        {"app|--no-password|db|--ask-pass|h", NULL},
        {"Xorg|:0|-auth|/run/user/0/Xauthority|vt1", NULL},
        {"app|--credentials=/etc/gcp.json", NULL},
        {"docker|-v|/run/secrets:/run/secrets:ro", NULL},
        {"app|http://host:8080/x@y|ssh://git@host/r|http://auth:8080/", NULL},
        {"nginx: worker process", NULL},
        {"postgres: joe db 10.0.0.1(5432) idle", NULL},
        {"password=x|y", NULL}, /* the first word */
    };

    (void)state;
    check_all(samples, sizeof samples / sizeof *samples, '\0');
    check_all(samples, sizeof samples / sizeof *samples, ' ');
}

/* Only NULs tell where a value with blanks ends. */
static void blanks_in_arguments(void **state)
{
    static const sample samples[] = {
        {"app|--password=my long one|-v", "app|--password=***|-v"},
        {"app|--password|my long one|-v", "app|--password|***|-v"},
        {"curl|-H|Authorization: Bearer abc|h", "curl|-H|Authorization: ***|h"},
        {"sh|-c|run --password=x --port 1; echo 'a b'|z",
         "sh|-c|run --password=*** --port 1; echo 'a b'|z"},
        {"sh|-c|PGPASSWORD=x psql -h y|z", "sh|-c|PGPASSWORD=***|z"},
        {"app|host=h password=p dbname=d", "app|host=h password=*** dbname=d"},
        {"app|host=h password='p q' dbname=d", "app|host=h password='***' dbname=d"},
        {"app|password = \"p q\" x", "app|password = \"***\" x"},
        {"odbc|Server=h;Pwd=my own;Database=d", "odbc|Server=h;Pwd=***;Database=d"},
    };
    static const sample printed[] = {
        {"curl -H Authorization: Bearer abc h", "curl -H Authorization: *** h"},
        {"curl -H X-Api-Key: abc h", "curl -H X-Api-Key: *** h"},
    };

    (void)state;
    check_all(samples, sizeof samples / sizeof *samples, '\0');
    check_all(printed, sizeof printed / sizeof *printed, ' ');
}

static void regexes(void **state)
{
    static const char *const some[] = {"AKIA[A-Z0-9]+", "(?i)acct=(\\w+)", "app|\xc3\xa9*"};
    static const char *const wrong[] = {"("}, *const empty[] = {""};
    pm_secrets *secrets = NULL;
    pmapdb_error err;

    (void)state;
    assert_int_equal(pm_secrets_new(some, 3, false, &secrets, NULL), PMAPDB_OK);
    expect(secrets, PM_TEXT("app AKIA12 x AKIA34 ACCT=7 --pwd=p"),
           "app *** x *** ACCT=*** --pwd=***");
    expect(secrets, PM_TEXT("app-AKIA12 an app"), "app-AKIA12 an ***");
    expect(secrets, PM_TEXT("app \xc3\xa9\xff acct=\xff acct=q"), "app ***\xff acct=\xff acct=***");
    pm_secrets_free(secrets);
    assert_int_equal(pm_secrets_new(some, 1, true, &secrets, NULL), PMAPDB_OK);
    expect(secrets, PM_TEXT("app AKIA12 --pwd=p"), "app *** --pwd=p");
    pm_secrets_free(secrets);
    assert_int_equal(pm_secrets_new(wrong, 1, false, &secrets, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "--redact-cmdline '(': regex, at character 2"));
    assert_int_equal(pm_secrets_new(empty, 1, false, &secrets, &err), PMAPDB_USAGE);
}

/* A match may begin in the first word, which stays; groups may come in any order. */
static void regexes_see_the_whole_line(void **state)
{
    static const char *const whole[] = {"^app.*"}, *const behind[] = {"^\\S+ .*--lic (\\S+)"};
    static const char *const turned[] = {"(?=.*--b (\\S+)).*--a (\\S+)"};
    static const struct {
        const char *const *pattern, *stored;
    } cases[] = {{whole, "app ***"},
                 {behind, "app --a 1 --b 2 --lic ***"},
                 {turned, "app --a *** --b *** --lic 3"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pm_secrets *secrets = NULL;

        assert_int_equal(pm_secrets_new(cases[i].pattern, 1, false, &secrets, NULL), PMAPDB_OK);
        expect(secrets, PM_TEXT("app --a 1 --b 2 --lic 3"), cases[i].stored);
        pm_secrets_free(secrets);
    }
}

/* A regex that gives up leaves nothing; one that matches everywhere ends. */
static void hostile(void **state)
{
    static const char *const slow[] = {"(?:a+)+$"}, *const often[] = {"b"};
    char line[4096];
    pm_secrets *secrets = NULL;
    pm_text out = {0};
    clock_t begun = clock();

    (void)state;
    memset(line, 'a', sizeof line);
    memcpy(line, (const char[]){'a', 'p', 'p', ' ', 'x', ' '}, 6);
    line[sizeof line - 1] = '!';
    assert_int_equal(pm_secrets_new(slow, 1, false, &secrets, NULL), PMAPDB_OK);
    expect(secrets, (pm_text){line, sizeof line}, "app ***");
    pm_secrets_free(secrets);
    memset(line + 4, 'b', sizeof line - 4);
    assert_int_equal(pm_secrets_new(often, 1, false, &secrets, NULL), PMAPDB_OK);
    assert_int_equal(pm_secrets_hide(secrets, (pm_text){line, sizeof line}, &out, NULL), PMAPDB_OK);
    assert_null(memchr(out.data, 'b', out.len));
    pm_secrets_free(secrets);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 5);
}

/* Whatever bytes: no longer than three more for each, the first word as it was, once as twice. */
static void anything(void **state)
{
    static const char *const pieces[] = {"--password", "=", " ", "\"",    "'", "://", "@",
                                         ":",          "x", "/", "token", "&", "?",   ",",
                                         "(",          ";", "-", "{",     "a", "auth"};
    pm_secrets *secrets = NULL;
    uint64_t seed = 42;

    (void)state;
    assert_int_equal(pm_secrets_new(NULL, 0, false, &secrets, NULL), PMAPDB_OK);
    for (int i = 0; i < 20000; i++) {
        char line[256], *once;
        size_t n = 0;
        bool exact = false;
        pm_text out = {0};

        for (int k = 0; k < 12; k++) {
            const char *piece;

            seed = seed * 6364136223846793005U + 1442695040888963407U;
            piece = pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)];
            memcpy(line + n, piece, strlen(piece));
            n += strlen(piece);
            if (seed >> 61 == 0 && i % 2) {
                line[n++] = '\0';
                exact = true;
            }
        }
        assert_int_equal(pm_secrets_hide(secrets, (pm_text){line, n}, &out, NULL), PMAPDB_OK);
        assert_true(out.len <= 4 * n);
        for (size_t k = 0; k < n && line[k] && line[k] != ' '; k++)
            assert_true(k < out.len && out.data[k] == line[k]);
        once = pm_text_copy(out);
        n = out.len;
        assert_int_equal(pm_secrets_hide(secrets, (pm_text){once, n}, &out, NULL), PMAPDB_OK);
        /* as printed, arguments with blanks are other ones */
        if (!exact && (out.len != n || memcmp(once, out.data, n) != 0))
            fail_msg("once '%s', twice '%.*s'", once, (int)out.len, out.data);
        free(once);
    }
    pm_secrets_free(secrets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names),
        cmocka_unit_test(no_secrets),
        cmocka_unit_test(blanks_in_arguments),
        cmocka_unit_test(regexes),
        cmocka_unit_test(regexes_see_the_whole_line),
        cmocka_unit_test(hostile),
        cmocka_unit_test(anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
