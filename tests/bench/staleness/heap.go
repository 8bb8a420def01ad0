// heap [pointers] leak|cache: adds 1 MiB of slices, or of a list, for each byte of input, beside 4 MiB of garbage and
// 16 MiB that are never read.
package main

import "os"

type entry struct {
	next *entry
	data [1016]byte
}

var held [][]byte
var list *entry
var garbage, idle []byte
var sum int

func more(pointers bool) {
	for i := 0; pointers && i < 1024; i++ {
		list = &entry{next: list}
		list.data[0] = 1
	}
	for i := 0; !pointers && i < 16; i++ {
		held = append(held, make([]byte, 64<<10))
		for k := 0; k < 64<<10; k += 4096 {
			held[len(held)-1][k] = 1
		}
	}
	for i := 0; i < 64; i++ {
		garbage = make([]byte, 64<<10)
	}
}

func main() {
	idle = make([]byte, 16<<20)
	for k := 0; k < len(idle); k += 4096 {
		idle[k] = 1
	}
	order := make([]byte, 1)
	for {
		if n, _ := os.Stdin.Read(order); n != 1 {
			return
		}
		more(os.Args[1] == "pointers")
		if os.Args[len(os.Args)-1] == "cache" {
			for _, piece := range held {
				for k := 0; k < len(piece); k += 4096 {
					sum += int(piece[k])
				}
			}
			for e := list; e != nil; e = e.next {
				sum += int(e.data[0])
			}
		}
		os.Stdout.Write(order)
	}
}
