"""Makes a picture of a report:     python3 look.py FILE.html OUT.png [--width N] [--dark] [--fragment '#...']"""
import argparse

import browser

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("out")
parser.add_argument("--width", type=int, default=1440)
parser.add_argument("--height", type=int, default=900)
parser.add_argument("--dark", action="store_true")
parser.add_argument("--fragment", default="")
parser.add_argument("--run", default="")
parser.add_argument("--first", action="store_true", help="only the part that is visible without scrolling")
given = parser.parse_args()
with browser.Browser() as b:
    page = b.open(given.file, given.width, given.height, given.fragment, dark=given.dark)
    if given.run:
        page.value(given.run)
        page.frame()
    page.picture(given.out, not given.first)
    for line in page.said:
        print(line)
