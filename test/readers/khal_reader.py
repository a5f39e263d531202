"""Occurrences of a calendar as khal lists them: khal_reader.py FILE FROM TO (UTC dates). What khal says on stderr is a complaint."""
import json, os, subprocess, sys, tempfile

path, first, last = sys.argv[1:]
CONFIG = """[calendars]
[[import]]
path = {home}/import
[locale]
local_timezone = UTC
default_timezone = UTC
timeformat = %H:%M:%S
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M:%S
longdatetimeformat = %Y-%m-%dT%H:%M:%S
[sqlite]
path = {home}/khal.db
"""
FIELDS = "{uid}\t{start-long-full}\t{end-long-full}\t{title}"

with tempfile.TemporaryDirectory() as home:
    os.mkdir(f"{home}/import")
    with open(f"{home}/config", "w") as file:
        file.write(CONFIG.format(home=home))
    env = {**os.environ, "HOME": home, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "ignore::DeprecationWarning"}

    def khal(*arguments):
        return subprocess.run(["khal", "-c", f"{home}/config", *arguments], capture_output=True, text=True, env=env)

    taken = khal("import", "--batch", path)
    listed = khal("list", "--day-format", "", "--format", FIELDS, first, last)

lines = [line for line in listed.stdout.split("\n") if "\t" in line]
complaints = [line for one in (taken, listed) for line in one.stderr.split("\n") if line.strip()]
if taken.returncode or listed.returncode:
    complaints.append(f"khal ended with {taken.returncode}, {listed.returncode}")
print(json.dumps({"occurrences": sorted(line.split("\t") for line in set(lines)), "complaints": complaints}))
