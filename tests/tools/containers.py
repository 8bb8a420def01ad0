"""samples/containers: pmapdb takes the arguments of each file, each file adds only the capability
SYS_PTRACE, and yamllint, if installed, accepts all files."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

SAMPLES = kit.ROOT / "samples" / "containers"
RULES = "{extends: default, rules: {line-length: {max: 110}, document-start: disable}}"


def main():
    check = kit.Check()
    files = sorted(SAMPLES.glob("*.yaml"))
    check.equal("files", [file.name for file in files], ["compose.yaml", "daemonset.yaml", "sidecar.yaml"])
    for file in files:
        text = file.read_text()
        words = re.findall(r"^ +(?:args|command): (\[.*\])$", text, re.M)
        check.equal("%s: arguments" % file.name, len(words), 1)
        for arguments in words:
            kit.run(*json.loads(arguments), "--usage")
        check.true("%s: capability" % file.name, re.search(r"add: \[\"?SYS_PTRACE", text, re.I)
                   or "cap_add: [SYS_PTRACE]" in text, text)
        check.true("%s: no other capability" % file.name, re.search(r"(cap_)?drop: \[\"?ALL", text), text)
    if shutil.which("yamllint"):
        done = subprocess.run(["yamllint", "-d", RULES, *files], capture_output=True, text=True, check=False)
        check.equal("yamllint", (done.returncode, done.stdout), (0, ""))
    else:
        print("skipped: yamllint is not installed")
    check.finish()


main()
