// maps leak|cache|sessions|lru: adds 1 MiB of map entries for each byte of input.
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <unistd.h>
#include <unordered_map>

int main(int, char **argv)
{
    std::string mode = argv[1];
    std::unordered_map<long, std::string> map;
    std::list<long> order;
    unsigned long sum = 0;
    long n = 0, most = 1 << 30;
    char c;

    if (mode == "lru")
        most = 40 * 1024;
    while (read(0, &c, 1) == 1) {
        for (int i = 0; i < 1024; i++) {
            map.emplace(n, std::string(1000, 'x'));
            order.push_back(n++);
            if ((long)map.size() > most) {
                map.erase(order.front());
                order.pop_front();
            }
        }
        if (mode == "cache" || mode == "lru")
            for (auto &entry : map)
                sum += (unsigned char)entry.second[500];
        if (mode == "sessions") // a session is looked at for ten seconds after its last request
            for (long i = n > 10240 ? n - 10240 : 0; i < n; i++)
                sum += (unsigned char)map[i][500];
        if (write(1, &c, 1) != 1)
            return sum == 1;
    }
}
