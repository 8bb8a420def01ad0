// A server with a cache of bounded size.
package main

import (
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
)

var (
	mutex sync.Mutex
	cache = map[int]string{}
)

func work() string {
	words := []string{}
	for i := 0; i < 3000; i++ {
		words = append(words, fmt.Sprint("item ", i*31))
	}
	mutex.Lock()
	defer mutex.Unlock()
	cache[rand.Intn(20000)] = strings.Join(words, ",")[:8000]
	for key := range cache {
		if len(cache) <= 5000 {
			break
		}
		delete(cache, key)
	}
	return "done"
}

func stats() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf(`{"used": %d, "held": %d, "released": %d}`, m.HeapAlloc, m.Sys, m.HeapReleased)
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stats" {
			fmt.Fprint(w, stats())
		} else {
			fmt.Fprint(w, work())
		}
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
