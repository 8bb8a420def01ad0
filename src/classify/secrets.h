/* secrets: what of a command line may be stored. Secrets are not stored unless that was asked for:
 * PM_SECRET_HIDDEN stands for each.
 *
 * What carries a secret by default. A name is letters, digits, '_', '-', '.'; case does not count.
 *  1. NAME=VALUE, NAME:VALUE, "NAME": "VALUE", and NAME VALUE where NAME begins with a dash,
 *     if NAME ends in a word of secret_word.c: --db-password=X, --password X, -Dx.keyPassword=X,
 *     MYSQL_PWD=X, X-Api-Key: X, ?access_token=X. What goes on behind the word (--token-ttl 30,
 *     --password-file F) is no secret; nor is a next word that begins with two dashes the value,
 *     or behind --password= with one.
 *  2. The password of a URL: scheme://user:PASS@host. With http and https all before the @, where
 *     there is no colon: tokens stand there.
 *  3. Short options of some programs, by the first word's basename: mysql -pX, sshpass -p X.
 *
 * A value that begins its argument with its name (--password=my pass) goes to the argument's end;
 * one within an argument, or in a text that does not tell where arguments end, to the next blank,
 * or to what ends its part: & after ? or &, a quote, a semicolon, a bracket.
 *
 * The first word, up to a blank, stays as it is, whatever the rules and regexes say: names come
 * from it, and it tells one life of a pid from another. What is redacted twice is as if it were
 * once. */
#ifndef PM_CLASSIFY_SECRETS_H
#define PM_CLASSIFY_SECRETS_H

#include "base/buf.h"

#define PM_SECRET_HIDDEN "***"

typedef struct pm_secrets pm_secrets;

/* patterns: regexes besides. Each match is a secret, or where the regex has groups, what those
 * hold. keep: only these, and not what carries a secret by default. A wrong regex is PMAPDB_USAGE.
 */
pmapdb_status pm_secrets_new(const char *const *patterns, size_t n, bool keep, pm_secrets **out,
                             pmapdb_error *err);
void pm_secrets_free(pm_secrets *secrets);

/* What may be stored of `arguments`, blanks between; until the next call. Between arguments stand
 * NULs, as /proc/PID/cmdline has them, or blanks, as tools print them. */
pmapdb_status pm_secrets_hide(pm_secrets *secrets, pm_text arguments, pm_text *out,
                              pmapdb_error *err);

/* ---- secrets_args.c: the default alone ---- */

/* Adds `arguments` to `out` as they are but for the secrets; NULs stay. */
pmapdb_status pm_secrets_hide_named(pm_text arguments, pm_buf *out, pmapdb_error *err);

#endif
