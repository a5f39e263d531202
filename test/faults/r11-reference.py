"""R11's independent reference. Reads one JSON command per line, answers one JSON line each.

{"do": "about"}        -> versions
{"do": "expand", ...}  -> a case (r11-cases.ts): its starts by python-dateutil on the wall clock and zoneinfo, and by
                          recurring_ical_events from iCalendar text
{"do": "file", ...}    -> starts by UID of an iCalendar file
{"do": "changes", "zone": ..}          -> every change of the clocks 2000 to 2040 as [UTC second, offset after]
{"do": "walls", "zone": .., "walls"..} -> the UTC second of each wall time

Gaps and folds: PEP 495's fold=0 reads a wall time in a gap by the offset before it and one in a fold as the first of
the two, which is what RFC 5545 section 3.3.5 says.
"""
import json
import signal
import sys
import time
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import dateutil
import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

UTC = timezone.utc
DAY = timedelta(days=1)
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
PATIENCE_SECONDS = 1.0  # of the processor
STARTS_MOST = 20_000


class GaveUp(Exception):
    pass


def give_up(*_):
    raise GaveUp()


signal.signal(signal.SIGPROF, give_up)


def patiently(work):
    """None where it takes too long: python-dateutil looks for the first start of a rule until the year 9999."""
    try:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE_SECONDS)
        try:
            return work()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except GaveUp:
        return None


def wall(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")


def utc(local, zone):
    return local.replace(tzinfo=ZoneInfo(zone), fold=0).astimezone(UTC)


def told(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def instant(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def parts_of(rrule):
    return dict(part.split("=", 1) for part in rrule.split(";"))


def text_of(parts):
    return ";".join("%s=%s" % item for item in parts.items())


def as_rfc(parts, start):
    """A rule so that python-dateutil reads it as RFC 5545 section 3.3.10 does, where the two part; with the names of what was
    changed, which are counted. Returns the rule, the start to walk from, and the names.

    byweekno_alone: dateutil takes all seven days of the week. "Information, not contained in the rule, necessary to
        determine the various recurrence instance start time and dates are derived from the Start Time": the weekday is DTSTART's.
    byday_mixed: of weekdays with and without ordinals dateutil takes what is both. BYDAY is "a COMMA-separated list of days of
        the week", any of them; a plain one is told as all its ordinals, which is the same.
    setpos_in_begun_week: dateutil's first week begins with DTSTART. BYSETPOS picks "within the set of recurrence instances
        specified by the rule" in one interval, as the RFC's own example counts from 2 September though DTSTART is the 4th; so
        the walk begins with that week, and what comes before DTSTART is left out.
    """
    parts, known = dict(parts), []
    if "BYWEEKNO" in parts and not {"BYDAY", "BYMONTHDAY", "BYYEARDAY"} & set(parts):
        parts["BYDAY"] = WEEKDAYS[start.weekday()]
        known.append("byweekno_alone")
    days = parts.get("BYDAY", "").split(",")
    plain = [day for day in days if day in WEEKDAYS]
    if plain and len(plain) < len(days):
        most = 53 if parts["FREQ"] == "YEARLY" and "BYMONTH" not in parts else 5
        parts["BYDAY"] = ",".join(
            nth for day in days for nth in ["%d%s" % (n + 1, day) for n in range(most)] if day in plain
        ) + "," + ",".join(day for day in days if day not in plain)
        known.append("byday_mixed")
    if parts["FREQ"] == "WEEKLY" and "BYSETPOS" in parts:
        first = WEEKDAYS.index(parts.get("WKST", "MO"))
        parts.setdefault("BYDAY", WEEKDAYS[start.weekday()])
        walk_from = start - timedelta(days=(start.weekday() - first) % 7)
        times = (("BYHOUR", start.hour), ("BYMINUTE", start.minute), ("BYSECOND", start.second))
        for name, value in times:
            parts.setdefault(name, str(value))
        known.append("setpos_in_begun_week")
        return parts, walk_from.replace(hour=0, minute=0, second=0), known
    return parts, start, known


def last_of(until, case):
    """The last instant UNTIL lets in."""
    if case["all_day"]:
        return utc(wall(until[:4] + "-" + until[4:6] + "-" + until[6:8] + "T00:00:00") + DAY, case["zone"]) - timedelta(seconds=1)
    return datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def walls_of(parts, start):
    try:
        yield from rrulestr(text_of(parts), dtstart=start)
    except ValueError as error:
        # hours or minutes that the interval never meets: the rule makes nothing
        if "empty set" not in str(error) and "empty rule" not in str(error):
            raise


def is_odd(local, zone):
    """In a gap or a fold: PEP 495's two readings differ."""
    info = ZoneInfo(zone)
    return local.replace(tzinfo=info, fold=0).utcoffset() != local.replace(tzinfo=info, fold=1).utcoffset()


def both_readings(local, zone):
    info = ZoneInfo(zone)
    both = {local.replace(tzinfo=info, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return both if len(both) > 1 else set()


def by_dateutil(case):
    zone, start = case["zone"], wall(case["start"])
    lower, upper = instant(case["from"]), instant(case["to"])
    parts, walk_from, classes = as_rfc(parts_of(case["rrule"]), start)
    until, count = parts.pop("UNTIL", None), int(parts.pop("COUNT", "0"))
    last = last_of(until, case) if until else None
    exdates = {utc(wall(text), zone) for text in case["exdates"]}
    first = utc(start, zone)
    found = {first}
    matches = False
    odd = {at for text in [case["start"]] + case["rdates"] + case["exdates"] for at in both_readings(wall(text), zone)}
    counted = 0
    for at in walls_of(parts, walk_from):
        if at < start:
            continue
        counted += 1
        if count and counted > count:
            break
        matches = matches or at == start
        there = utc(at, zone)
        if at > upper.replace(tzinfo=None) + 2 * DAY or (last is not None and at > last.replace(tzinfo=None) + 2 * DAY):
            break
        # a series begun in the second pass of a fold has nothing in the first
        if is_odd(at, zone):
            odd |= both_readings(at, zone)
        if there >= first and (last is None or there <= last):
            found.add(there)
            if len(found) > STARTS_MOST:
                raise GaveUp()
    found |= {utc(wall(text), zone) for text in case["rdates"]}
    if not matches:
        classes.append("dtstart_apart")
    starts = {told(at) for at in found - exdates if lower <= at < upper}
    return starts, classes, {told(at) for at in odd}, last


def property_of(name, texts, case):
    if case["all_day"]:
        return "%s;VALUE=DATE:%s" % (name, ",".join(text[:10].replace("-", "") for text in texts))
    times = ",".join(text.replace("-", "").replace(":", "") for text in texts)
    return "%s:%sZ" % (name, times) if case["zone"] == "UTC" else "%s;TZID=%s:%s" % (name, case["zone"], times)


def by_icalendar(case):
    """The same case as a file, read by python3-icalendar and python3-recurring-ical-events."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//R11//EN", "BEGIN:VEVENT", "UID:case", "DTSTAMP:20260101T000000Z"]
    lines.append(property_of("DTSTART", [case["start"]], case))
    lines.append("DURATION:P%dD" % (case["duration_minutes"] // 1440) if case["all_day"] else "DURATION:PT%dM" % case["duration_minutes"])
    lines.append("RRULE:" + case["rrule"])
    for name in ("RDATE", "EXDATE"):
        if case[name.lower() + "s"]:
            lines.append(property_of(name, case[name.lower() + "s"], case))
    lines += ["END:VEVENT", "END:VCALENDAR", ""]
    text = "\r\n".join(lines)
    return starts_in_file(text, case["zone"], instant(case["from"]), instant(case["to"])).get("case", [])


def starts_in_file(text, zone, lower, upper):
    """Starts by UID. Days are looked for on a wide window, as the library's own ends are off by the offset of DTSTART; and
    without SEQUENCE, with which it keeps only one occurrence a day."""
    calendar = icalendar.Calendar.from_ical(text)
    for event in calendar.walk("VEVENT"):
        event.pop("SEQUENCE", None)
    found = {}
    for event in recurring_ical_events.of(calendar).between(lower - 3 * DAY, upper + 3 * DAY):
        start = event["DTSTART"].dt
        if not isinstance(start, datetime):
            start = utc(datetime(start.year, start.month, start.day), zone)
        at = start.astimezone(UTC)
        if lower <= at < upper:
            found.setdefault(str(event["UID"]), set()).add(told(at))
    return {uid: sorted(starts) for uid, starts in found.items()}


def unasked(case, classes):
    """Why the second reference is not asked: it is known to read this otherwise than RFC 5545."""
    for name in ("byweekno_alone", "byday_mixed", "setpos_in_begun_week"):
        if name in classes:  # it is python-dateutil, as the file stands
            return name
    for day in parts_of(case["rrule"]).get("BYDAY", "").split(","):
        if len(day.lstrip("+-")) > 3:
            return "ordinal_of_two_digits"  # icalendar 4 keeps one digit
    if case["to"] >= "2037":
        return "after_2037"  # pytz knows no rules beyond
    if case["exdates"] and parts_of(case["rrule"])["FREQ"] in ("HOURLY", "MINUTELY"):
        return "exdate_by_the_hour"  # it compares wall times with the offset of DTSTART, and takes away a neighbour
    return None


def second_opinion(case, starts, classes, odd, last):
    """What the second reference says otherwise, but for what is known of it. pytz reads a fold as standard time, and a gap by
    whichever offset is standard; UNTIL, RDATE and EXDATE are compared by the offset of DTSTART, an hour or two off on the other
    side of a change, where they meet a neighbour."""
    why = unasked(case, classes)
    if why:
        return {"unasked": why}
    try:
        second = patiently(lambda: set(by_icalendar(case)))
    except Exception as error:  # what it says of a file it cannot read is told
        return {"unasked": "%s: %s" % (type(error).__name__, error)}
    if second is None:
        return {"unasked": "gave_up"}
    difference = starts ^ second
    at_until = set()
    if last is not None:
        at_until = {at for at in difference - odd if abs(instant(at) - last) <= timedelta(hours=3)}
    dates = [utc(wall(text), case["zone"]) for text in case["rdates"] + case["exdates"]]
    at_dates = {at for at in difference - odd - at_until if any(abs(instant(at) - date) <= timedelta(hours=2) for date in dates)}
    kinds = (("fold_or_gap_by_pytz", difference & odd), ("until_by_pytz", at_until), ("date_by_pytz", at_dates))
    return {"known": [name for name, found in kinds if found], "differs": sorted(difference - odd - at_until - at_dates)}


def expand(case):
    began = time.process_time()
    strict = patiently(lambda: by_dateutil(case))
    if strict is None:
        return {"id": case["id"], "starts": None, "classes": [], "second": {"unasked": "gave_up"}}
    starts, classes = strict[:2]
    slow = time.process_time() - began > PATIENCE_SECONDS / 4  # it would look through 8,000 years once more
    second = {"unasked": "slow"} if slow else second_opinion(case, *strict)
    return {"id": case["id"], "starts": sorted(starts), "classes": classes, "second": second}


def changes(zone):
    info = ZoneInfo(zone)

    def offset(at):
        return int(datetime.fromtimestamp(at, UTC).astimezone(info).utcoffset().total_seconds())

    at, end = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2041, 1, 1, tzinfo=UTC).timestamp())
    before, found = offset(at), []
    while at < end:
        later = min(at + 86_400, end)
        after = offset(later)
        if after != before:
            low, high = at, later
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == before else (low, middle)
            found.append([high, after])
            before = after
        at = later
    return found


def version_of_zones():
    try:
        with open("/usr/share/zoneinfo/tzdata.zi") as data:
            return data.readline().split()[-1]
    except OSError:
        return "unknown"


def answer(command):
    if command["do"] == "about":
        return {
            "python": sys.version.split()[0],
            "dateutil": dateutil.__version__,
            "icalendar": icalendar.__version__,
            "tzdata": version_of_zones(),
        }
    if command["do"] == "expand":
        return expand(command["case"])
    if command["do"] == "changes":
        return changes(command["zone"])
    if command["do"] == "walls":
        return [int(utc(wall(text), command["zone"]).timestamp()) for text in command["walls"]]
    if command["do"] == "file":
        try:
            return starts_in_file(command["text"], command["zone"], instant(command["from"]), instant(command["to"]))
        except AssertionError as error:  # a file it can make no sense of is wrong, not the end of the trial
            return {str(error): []}
    raise ValueError(command["do"])


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
