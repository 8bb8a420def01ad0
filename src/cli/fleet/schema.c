/* schema: pmapdb fleet schema: schema/fleet/clickhouse.sql for one server, or for a cluster. */
#include "cli/fleet/fleet.h"

#include "cli/options/options.h"
#include "cli/output.h"
#include "store/file/embedded.h"
#include <ctype.h>
#include <string.h>

extern const pm_embedded pm_embedded_tables[];

typedef struct schema_args {
    const char *database, *cluster;
    bool replicated, codecs;
} schema_args;

#define AT(field) offsetof(schema_args, field)

static const pm_option options[] = {
    {"database", 0, PM_OPT_NAME, AT(database), "DB", "The database (pmapdb)"},
    {"cluster", 0, PM_OPT_NAME, AT(cluster), "NAME",
     "Spread the hosts over the shards of this cluster of the server's configuration"},
    {"replicated", 0, PM_OPT_FLAG, AT(replicated), NULL,
     "Of a cluster: every shard has replicas; the macros shard and replica name them"},
    {"codecs", 0, PM_OPT_FLAG, AT(codecs), NULL,
     "For version 20 and newer: smaller columns, and a TTL that removes old days"},
    {0}};

static const pm_syntax syntax = {
    .options = options,
    .about = "Prints the statements that make the tables in ClickHouse: pipe them to "
             "\"clickhouse-client -n\". In a cluster, run them on every server; with --replicated, "
             "run them on one server, and the cluster needs ZooKeeper or Keeper.",
    .examples = "pmapdb fleet schema\npmapdb fleet schema --cluster fleet --replicated --codecs\n"};

/* Names go into the statements without quotes. */
static void check_name(const pm_cli *cli, const char *option, const char *name)
{
    for (const char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            pm_cli_usage(cli, "--%s wants a name of letters, digits and underscores, not '%s'",
                         option, name);
}

/* Prints "DATABASE.TABLE"; "ON CLUSTER" needs ZooKeeper, which only replicas are sure to have. */
static void put_table(const schema_args *a, pm_text table, const char *suffix, FILE *out)
{
    fprintf(out, "%s.%.*s%s", a->database, (int)table.len, table.data, suffix);
    if (a->replicated)
        fprintf(out, " ON CLUSTER %s", a->cluster);
}

/* Prints what comes after the name of a table: columns, engine, the end of the statement. */
static void put_rest(const schema_args *a, pm_text table, pm_text rest, FILE *out)
{
    static const char engine[] = "ReplacingMergeTree(";
    const char *at = a->replicated ? strstr(rest.data, engine) : NULL;

    if (at && at < rest.data + rest.len) {
        fprintf(out, "%.*sReplicated%s'/clickhouse/tables/{shard}/%s.%.*s', '{replica}'%s",
                (int)(at - rest.data), rest.data, engine, a->database, (int)table.len, table.data,
                at[sizeof engine - 1] == ')' ? "" : ", ");
        rest = pm_text_from(rest, (size_t)(at - rest.data) + sizeof engine - 1);
    }
    fprintf(out, "%.*s;\n", (int)rest.len, rest.data);
}

/* Prints a statement for each table that it names. */
static void put_statement(const schema_args *a, pm_text statement, FILE *out)
{
    pm_text create = PM_TEXT("CREATE TABLE IF NOT EXISTS "), alter = PM_TEXT("ALTER TABLE ");
    pm_text head = pm_text_starts(statement, create) ? create : alter;
    pm_text rest = pm_text_from(statement, head.len),
            names = {rest.data, strcspn(rest.data, "(\n")};
    pm_text table;

    rest = pm_text_from(rest, names.len);
    while ((table = pm_text_word(&names, ", ")).len) {
        fputs(head.data, out);
        put_table(a, table, a->cluster ? "_local" : "", out);
        fputs(*rest.data == '(' ? " " : "", out);
        put_rest(a, table, rest, out);
        if (!a->cluster || head.data != create.data)
            continue;
        fputs(create.data, out);
        put_table(a, table, "", out);
        fprintf(out, " AS %s.%.*s_local\nENGINE = Distributed(%s, %s, %.*s_local, host_id);\n",
                a->database, (int)table.len, table.data, a->cluster, a->database, (int)table.len,
                table.data);
    }
}

/* Comments and empty lines stay. */
static void put_schema(const schema_args *a, const char *text, FILE *out)
{
    const char *codecs = strstr(text, "-- From version 20 on");
    const char *end = a->codecs ? text + strlen(text) : codecs;

    while (text < end) {
        bool is_line = *text == '-' || *text == '\n';
        const char *stop = strstr(text, is_line ? "\n" : ";\n");

        if (is_line)
            fprintf(out, "%.*s\n", (int)(stop - text), text);
        else
            put_statement(a, (pm_text){text, (size_t)(stop - text)}, out);
        text = stop + (is_line ? 1 : 2);
    }
}

int pm_fleet_schema(pm_cli *cli, int argc, char **argv)
{
    schema_args a = {.database = "pmapdb"};
    pm_output out;

    pm_options_parse(cli, &syntax, &a, argc, argv);
    check_name(cli, "database", a.database);
    check_name(cli, "cluster", a.cluster);
    if (a.replicated && !a.cluster)
        pm_cli_usage(cli, "--replicated goes with --cluster");
    pm_output_open(&out, cli);
    fprintf(out.text, "CREATE DATABASE IF NOT EXISTS %s", a.database);
    if (a.replicated)
        fprintf(out.text, " ON CLUSTER %s", a.cluster);
    fputs(";\n\n", out.text);
    put_schema(&a, pm_embedded_tables[0].text, out.text);
    pm_output_end(&out);
    return PM_EXIT_OK;
}
