// heap leak|cache: 1 MiB of slices more for each byte of input, beside 4 MiB of garbage.
package main

import "os"

var held [][]byte
var garbage []byte
var sum int

func main() {
	order := make([]byte, 1)
	for {
		if n, _ := os.Stdin.Read(order); n != 1 {
			return
		}
		for i := 0; i < 16; i++ {
			held = append(held, make([]byte, 64<<10))
			held[len(held)-1][0] = 1
			for k := 0; k < 64<<10; k += 4096 {
				held[len(held)-1][k] = 1
			}
		}
		for i := 0; i < 64; i++ {
			garbage = make([]byte, 64<<10)
		}
		if os.Args[1] == "cache" {
			for _, piece := range held {
				for k := 0; k < len(piece); k += 4096 {
					sum += int(piece[k])
				}
			}
		}
		os.Stdout.Write(order)
	}
}
