"""Occurrences of a calendar by python3-icalendar and python3-recurring-ical-events: recurring.py FILE FROM TO (UTC dates)."""
import json, sys, warnings
from datetime import date, datetime, timedelta, timezone

warnings.simplefilter("ignore", DeprecationWarning)
import icalendar, recurring_ical_events

path, first, last = sys.argv[1:]
with open(path, "rb") as file:
    calendar = icalendar.Calendar.from_ical(file.read())
complaints = [f"{c.name}: {error}" for c in calendar.walk() for error in c.errors]


def told(at):
    if isinstance(at, datetime):
        return at.isoformat() if at.tzinfo is None else at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return at.isoformat()


found = []
for event in recurring_ical_events.of(calendar).between(date.fromisoformat(first), date.fromisoformat(last)):
    start = event["DTSTART"].dt
    end = event["DTEND"].dt if "DTEND" in event else start
    found.append([str(event["UID"]), told(start), told(end), str(event["SUMMARY"])])
print(json.dumps({"occurrences": sorted(found), "complaints": complaints}))
