"""A strict reader of OpenMetrics 1.0, written from its specification (the ABNF and its rules). It
also refuses what node_exporter's textfile collector refuses (the older text format 0.0.4): the
collector drops a whole file for one wrong line, so one wrong line is an error here.

read(bytes) returns {family name: Family}; Wrong names the line and the reason. Gauges only.
"""
import re

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*\Z")  # colons and leading underscores are reserved
LABEL = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*\Z")
INTEGER = re.compile(r"[+-]?[0-9]+\Z")
REAL = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?\Z")
TYPES = ("counter", "gauge", "histogram", "gaugehistogram", "stateset", "info", "summary", "unknown")
# Endings of the sample names of other types: "SHOULD avoid".
SUFFIXES = ("_total", "_created", "_count", "_sum", "_bucket", "_gcount", "_gsum", "_info")


class Wrong(Exception):
    pass


class Family:
    def __init__(self, name):
        self.name = name
        self.type = self.unit = self.help = None
        self.samples = {}  # frozenset of (label, value) -> number


def unescaped(text, no, escapes):
    """escaped-string: no raw double quote, and a backslash only before a character in `escapes`."""
    out, i = [], 0
    while i < len(text):
        c = text[i]
        if c == '"':
            raise Wrong("line %d: a double quote that is not escaped" % no)
        if c == "\\":
            i += 1
            if i == len(text) or text[i] not in escapes:
                raise Wrong("line %d: an escape that does not exist" % no)
            c = "\n" if text[i] == "n" else text[i]
        out.append(c)
        i += 1
    return "".join(out)


def labels_of(text, no):
    """The labels between the braces: label *(COMMA label)."""
    labels, i = {}, 0
    while True:
        equals = text.find('="', i)
        if equals < 0:
            raise Wrong("line %d: no label at %r" % (no, text[i:i + 20]))
        name, i = text[i:equals], equals + 2
        begin = i
        while i < len(text) and text[i] != '"':
            i += 2 if text[i] == "\\" else 1
        if i >= len(text):
            raise Wrong("line %d: a label's value does not end" % no)
        value = unescaped(text[begin:i], no, 'n"\\')
        i += 1
        if not LABEL.match(name):
            raise Wrong("line %d: %r is not a label name" % (no, name))
        if name in labels:
            raise Wrong("line %d: label %s twice" % (no, name))
        if value == "":
            raise Wrong("line %d: label %s is empty, which means that it is missing" % (no, name))
        labels[name] = value
        if i == len(text):
            return frozenset(labels.items())
        if text[i] != ",":
            raise Wrong("line %d: no comma after label %s" % (no, name))
        i += 1


def number_of(text, no):
    if INTEGER.match(text):
        return int(text)
    if text in ("+Inf", "-Inf") or REAL.match(text):
        return float(text)
    raise Wrong("line %d: %r is not a number that a gauge of pmapdb may have" % (no, text))


class Reader:
    def __init__(self):
        self.families = {}
        self.now = None  # the current family

    def family(self, name, no):
        if self.now and self.now.name == name:
            return self.now
        if name in self.families:
            raise Wrong("line %d: family %s begins a second time" % (no, name))
        if not NAME.match(name):
            raise Wrong("line %d: %r is not a metric name" % (no, name))
        if name.endswith(SUFFIXES):
            raise Wrong("line %d: %s ends like a counter's or a summary's sample" % (no, name))
        self.now = self.families[name] = Family(name)
        return self.now

    def descriptor(self, line, no):
        match = re.match(r"# (TYPE|UNIT|HELP) ([^ ]+) (.*)\Z", line, re.S)
        if not match:
            raise Wrong("line %d: neither TYPE, UNIT, HELP nor EOF" % no)
        what, name, text = match.groups()
        f = self.family(name, no)
        if f.samples:
            raise Wrong("line %d: %s of %s after its samples" % (no, what, name))
        order = ("TYPE", "UNIT", "HELP").index(what)
        if [f.type, f.unit, f.help][order:] != [None] * (3 - order):
            raise Wrong("line %d: %s of %s twice or out of order" % (no, what, name))
        if what == "TYPE":
            if text not in TYPES:
                raise Wrong("line %d: %r is not a type" % (no, text))
            f.type = text
        elif what == "UNIT":
            if not text or not name.endswith("_" + text):
                raise Wrong("line %d: %s does not end in its unit %r" % (no, name, text))
            f.unit = text
        else:
            f.help = unescaped(text, no, "n\\")  # the older format has no \" in HELP
            if not f.help.strip():
                raise Wrong("line %d: HELP without help" % no)

    def sample(self, line, no):
        match = re.match(r'([^ {]+)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? ([^ ]+)\Z', line, re.S)
        if not match:
            raise Wrong("line %d: not a sample: %r" % (no, line[:80]))
        name, labels, value = match.groups()
        f = self.family(name, no)
        if f.type != "gauge" or f.help is None:
            raise Wrong("line %d: %s has no TYPE gauge or no HELP before its samples" % (no, name))
        key = labels_of(labels, no) if labels is not None else frozenset()
        if key in f.samples:
            raise Wrong("line %d: the same labels twice in %s" % (no, name))
        f.samples[key] = number_of(value, no)


def read(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Wrong("byte %d is not UTF-8" % e.start) from e
    if text.startswith("\ufeff"):
        raise Wrong("a byte order mark")
    if not text.endswith("# EOF\n"):
        raise Wrong("does not end in # EOF")
    reader = Reader()
    lines = text.split("\n")[:-2]
    for no, line in enumerate(lines, 1):
        if line.endswith("\r"):
            raise Wrong("line %d: a carriage return before the line's end" % no)
        if line.startswith("#"):
            reader.descriptor(line, no)
        else:
            reader.sample(line, no)
    for f in reader.families.values():
        if not f.samples:
            raise Wrong("family %s has no sample" % f.name)
    return reader.families
