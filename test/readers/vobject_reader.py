"""Occurrences of a calendar by python3-vobject, which reads its VTIMEZONEs: vobject_reader.py FILE FROM TO (UTC dates)."""
import json, sys, warnings
from datetime import date, datetime, time, timedelta, timezone

warnings.simplefilter("ignore", DeprecationWarning)
warnings.simplefilter("ignore", SyntaxWarning)
import vobject

path, first, last = sys.argv[1:]
first, last = (datetime.fromisoformat(day) for day in (first, last))
with open(path, encoding="utf-8", newline="") as file:
    calendar = vobject.readOne(file.read())
calendar.validate(raiseException=True)


def told(at):
    if not isinstance(at, datetime):
        return at.isoformat()
    return at.isoformat() if at.tzinfo is None else at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def wall(at):
    """For the window only, which is cut again by the caller."""
    return at.replace(tzinfo=None) if isinstance(at, datetime) else datetime.combine(at, time())


changed = {}
for event in calendar.vevent_list:
    if hasattr(event, "recurrence_id"):
        changed.setdefault(event.uid.value, set()).add(told(event.recurrence_id.value))

found = []
for event in calendar.vevent_list:
    start = event.dtstart.value
    end = event.dtend.value if hasattr(event, "dtend") else start
    starts = [start]
    # a moved occurrence stands for itself
    if event.rruleset is not None and not hasattr(event, "recurrence_id"):
        aware = isinstance(start, datetime) and start.tzinfo is not None
        at = lambda day: day.replace(tzinfo=timezone.utc) if aware else day
        starts = list(event.rruleset.between(at(first - timedelta(days=9)), at(last + timedelta(days=2)), inc=True))
        if not isinstance(start, datetime):
            starts = [one.date() for one in starts]
        # RFC 5545 §3.8.5.3: DTSTART is the first occurrence; vobject leaves it out where there are dates only
        if not hasattr(event, "rrule"):
            starts = list(dict.fromkeys([start, *starts]))
        # vobject expands by the offset of the first start where it took a zone of pytz
        if aware and hasattr(start.tzinfo, "localize"):
            starts = [start.tzinfo.localize(one.replace(tzinfo=None)) for one in starts]
        starts = [one for one in starts if told(one) not in changed.get(event.uid.value, ())]
    for one in starts:
        if first - timedelta(days=9) <= wall(one) <= last + timedelta(days=2):
            # the length is one of exact time, but days are days
            aware = isinstance(one, datetime) and one.tzinfo is not None
            if aware:
                finish = one.astimezone(timezone.utc) + (end.astimezone(timezone.utc) - start.astimezone(timezone.utc))
            else:
                finish = one + (end - start)
            found.append([event.uid.value, told(one), told(finish), event.summary.value])
print(json.dumps({"occurrences": sorted(found), "complaints": []}))
