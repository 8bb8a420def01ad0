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
    {"database", 0, PM_OPT_NAME, AT(database), "DB", "The database (pmapdb)", NULL},
    {"cluster", 0, PM_OPT_NAME, AT(cluster), "NAME",
     "Spread the hosts over the shards of this cluster of the server's configuration", NULL},
    {"replicated", 0, PM_OPT_FLAG, AT(replicated), NULL,
     "Of a cluster: every shard has replicas; the macros shard and replica name them", NULL},
    {"codecs", 0, PM_OPT_FLAG, AT(codecs), NULL,
     "For version 20 and newer: smaller columns, and old days go by themselves", NULL},
    {0}};

static const pm_syntax syntax = {
    .options = options,
    .about = "Prints the statements that make the tables in ClickHouse: pipe them to "
             "\"clickhouse-client -n\". Of a cluster without --replicated every server needs them; "
             "with it, one, and ZooKeeper or Keeper.",
    .examples = "pmapdb fleet schema\npmapdb fleet schema --cluster fleet --replicated --codecs\n"};

/* Names go into the statements without quotes. */
static void check_name(const pm_cli *cli, const char *option, const char *name)
{
    for (const char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            pm_cli_usage(cli, "--%s wants a name of letters, digits and underscores, not '%s'",
                         option, name);
}

/* "ON CLUSTER" needs ZooKeeper, which only a cluster with replicas is sure to have. */
static void put_on_cluster(const schema_args *a, FILE *out)
{
    if (a->replicated)
        fprintf(out, " ON CLUSTER %s", a->cluster);
}

/* Prints "DATABASE.TABLE", of a cluster the name of the part on one server. */
static void put_table(const schema_args *a, pm_text table, FILE *out)
{
    fprintf(out, "%s.%.*s%s", a->database, (int)table.len, table.data, a->cluster ? "_local" : "");
    put_on_cluster(a, out);
}

/* Prints "(KEY)" of ENGINE = ReplacingMergeTree(KEY) as the table needs it. */
static void put_engine(const schema_args *a, pm_text table, pm_text version, FILE *out)
{
    if (!a->replicated)
        fprintf(out, "ReplacingMergeTree(%.*s)", (int)version.len, version.data);
    else
        fprintf(out,
                "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/%s.%.*s', "
                "'{replica}'%s%.*s)",
                a->database, (int)table.len, table.data, version.len ? ", " : "", (int)version.len,
                version.data);
}

static void put_distributed(const schema_args *a, pm_text table, FILE *out)
{
    fprintf(out, "CREATE TABLE IF NOT EXISTS %s.%.*s", a->database, (int)table.len, table.data);
    put_on_cluster(a, out);
    fprintf(out, " AS %s.%.*s_local\nENGINE = Distributed(%s, %s, %.*s_local, host_id);\n",
            a->database, (int)table.len, table.data, a->cluster, a->database, (int)table.len,
            table.data);
}

/* Returns the text after `words` if the line begins with them; else data is NULL. */
static pm_text after(pm_text line, pm_text words)
{
    return pm_text_starts(line, words) ? pm_text_from(line, words.len) : (pm_text){NULL, 0};
}

static pm_text name_at(pm_text text)
{
    size_t n = 0;

    while (n < text.len && (isalnum((unsigned char)text.data[n]) || text.data[n] == '_'))
        n++;
    return (pm_text){text.data, n};
}

/* Prints one line; *table is the table that the current statement makes. */
static void put_line(const schema_args *a, pm_text line, pm_text *table, FILE *out)
{
    static const pm_text create = {"CREATE TABLE IF NOT EXISTS ", 27}, alter = {"ALTER TABLE ", 12},
                         engine = {"ENGINE = ReplacingMergeTree(", 28};
    pm_text rest;

    if ((rest = after(line, create)).data || (rest = after(line, alter)).data) {
        pm_text name = name_at(rest);

        *table = pm_text_starts(line, create) ? name : (pm_text){NULL, 0};
        fprintf(out, "%.*s", (int)(line.len - rest.len), line.data);
        put_table(a, name, out);
        rest = pm_text_from(rest, name.len);
    } else if ((rest = after(line, engine)).data) {
        pm_text version = name_at(rest);

        fputs("ENGINE = ", out);
        put_engine(a, *table, version, out);
        rest = pm_text_from(rest, version.len + 1);
    } else {
        rest = line;
    }
    fprintf(out, "%.*s\n", (int)rest.len, rest.data);
    if (a->cluster && table->data && pm_text_ends(line, PM_TEXT(";"))) {
        put_distributed(a, *table, out);
        *table = (pm_text){NULL, 0};
    }
}

int pm_fleet_schema(pm_cli *cli, int argc, char **argv)
{
    schema_args a = {.database = "pmapdb"};
    pm_text text = {pm_embedded_tables[0].text, pm_embedded_tables[0].len}, table = {NULL, 0};
    pm_output out;

    pm_options_parse(cli, &syntax, &a, argc, argv);
    check_name(cli, "database", a.database);
    check_name(cli, "cluster", a.cluster);
    if (a.replicated && !a.cluster)
        pm_cli_usage(cli, "--replicated goes with --cluster");
    pm_output_open(&out, cli);
    fprintf(out.text, "CREATE DATABASE IF NOT EXISTS %s", a.database);
    put_on_cluster(&a, out.text);
    fputs(";\n\n", out.text);
    while (text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        pm_text line = {text.data, end ? (size_t)(end - text.data) : text.len};

        if (!a.codecs && pm_text_starts(line, PM_TEXT("-- From version 20 on")))
            break;
        put_line(&a, line, &table, out.text);
        text = pm_text_from(text, line.len + 1);
    }
    pm_output_end(&out);
    return PM_EXIT_OK;
}
