/* class: what would help after a request that failed. */
#include "http/http.h"

#include <arpa/inet.h>
#include <stdlib.h>

bool pm_http_is_loopback(pm_text host)
{
    char *name = pm_text_copy(host);
    struct in6_addr six;
    struct in_addr four;
    bool is = false;

    if (!name)
        return false;
    if (inet_pton(AF_INET, name, &four) == 1)
        is = ntohl(four.s_addr) >> 24 == 127;
    else if (inet_pton(AF_INET6, name, &six) == 1)
        is = IN6_IS_ADDR_LOOPBACK(&six);
    else
        is = strcmp(name, "localhost") == 0;
    free(name);
    return is;
}

static bool has(const short *list, size_t n, int code)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == code)
            return true;
    return false;
}

/* The number decides: version 18 says 500, 404 or 401 for one and the same mistake. */
pm_http_class pm_http_class_of(long status, int code)
{
    /* socket timeout, network error, a replica or ZooKeeper that is down, too many parts or
     * queries, a quorum that is not reached */
    static const short later[] = {33, 159, 201, 202, 209, 210, 242, 252, 285, 319, 425, 999};
    /* a wrong column, type, text or setting; a missing table, database, right or password */
    static const short person[] = {6,   16,  26,  27,  36,  46,  47,  53,  60,  62, 81,
                                   115, 117, 164, 192, 193, 194, 195, 291, 497, 516};

    if (code == 241 || status == 413)
        return PM_HTTP_LESS;
    if (has(later, sizeof later / sizeof *later, code))
        return PM_HTTP_LATER;
    if (has(person, sizeof person / sizeof *person, code))
        return PM_HTTP_PERSON;
    if (status == 200 && !code)
        return PM_HTTP_DONE;
    return status < 300 || status >= 500 || status == 408 || status == 429 ? PM_HTTP_LATER
                                                                           : PM_HTTP_PERSON;
}
