"""heap leak|cache: adds 1 MiB of small objects for each byte of input, beside objects that are never read."""
import sys

idle = [{"name": "text %d" % i, "value": i} for i in range(64000)]
held, total = [], 0
while order := sys.stdin.buffer.read(1):
    held.extend({"name": "text %d" % i, "value": i} for i in range(4000))
    if sys.argv[1] == "cache":
        for one in held:
            total += one["value"]
    sys.stdout.buffer.write(order)
    sys.stdout.flush()
