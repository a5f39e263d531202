/**
 * The properties of a file that repeat what a field of the event says, such as the map position of a place. After an edit of the
 * field they would contradict it, and many programs show them instead of it.
 */
import type { EventContent, IcsExtras, JcalProperty } from '../event-doc.ts';
import { readable, verbatim } from './jcal-text.ts';

export type Fields = Pick<
  EventContent,
  'location' | 'description' | 'busy' | 'status' | 'all_day' | 'scheduled_for' | 'local_start' | 'reminders' | 'ics'
>;

type Rule = {
  /** The value whose change concerns the companions. */
  field: (event: Fields) => unknown;
  names: RegExp;
  /** Components that are companions too. */
  components?: RegExp;
  /** The value that is right after the change, given the present one. Without it the property is dropped. */
  right?: (event: Fields, value: string) => string;
};

/** Outlook knows more kinds of busy and free than an event does; a kind that still fits stays. */
const busyStatus = ({ busy, status }: Fields, value: string): string => {
  if (!busy || status === 'cancelled') return value === 'WORKINGELSEWHERE' ? value : 'FREE';
  if (status === 'tentative') return 'TENTATIVE';
  return value === 'OOF' ? value : 'BUSY';
};

/**
 * The companions of each field, by the programs that write them: Apple (x-apple-), Outlook and Exchange (x-microsoft-, x-ms-olk-,
 * x-alt-desc), Funambol, Thunderbird (x-moz-), and RFC 9073 (structured-location, styled-description, VLOCATION). The writer judges
 * SUMMARY, DESCRIPTION, LOCATION and URL with parameters by their text. X-MOZ-LASTACK stays, since an alarm that is later rings.
 */
const RULES: Rule[] = [
  {
    field: ({ location }) => location,
    names:
      /^(geo|structured-location|x-apple-structured-location|x-apple-travel-[a-z-]+|x-microsoft-(location[a-z]*|latitude|longitude))$/,
    components: /^vlocation$/,
  },
  { field: ({ description }) => description, names: /^(x-alt-desc|styled-description)$/ },
  {
    field: ({ busy, status }) => `${busy} ${status}`,
    names: /^x-microsoft-(cdo|msncalendar)-(busystatus|intendedstatus)$/,
    right: busyStatus,
  },
  {
    field: ({ all_day }) => all_day,
    names: /^x-microsoft-(cdo|msncalendar)-alldayevent$/,
    right: ({ all_day }) => (all_day ? 'TRUE' : 'FALSE'),
  },
  { field: ({ all_day }) => all_day, names: /^x-funambol-allday$/ },
  {
    field: ({ all_day, local_start, scheduled_for }) => (all_day ? local_start : scheduled_for),
    names: /^(x-ms-olk-original(start|end)|x-moz-snooze-time.*)$/,
  },
  { field: ({ reminders }) => reminders.join(), names: /^x-moz-snooze-time.*$/ },
];

const withValue = (property: JcalProperty, rule: Rule, event: Fields): JcalProperty[] => {
  const [name] = property;
  if (!rule.right) return [];
  const written = readable(property)?.[3];
  const value = typeof written === 'string' ? written.toUpperCase() : '';
  const right = rule.right(event, value);
  return right === value ? [property] : [verbatim(name, `${name.toUpperCase()}:${right}`)];
};

/** Compares the lists of two versions of an edited event, which share what did not change. */
const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at] || JSON.stringify(one) === JSON.stringify(b[at]));

export const isSameIcs = (a: IcsExtras, b: IcsExtras): boolean =>
  a === b || (isSameList(a.properties, b.properties) && isSameList(a.components, b.components));

/** What an event keeps of its file after an edit. It is the same object where nothing contradicts the edit. */
export const icsAfter = (before: Fields, after: Fields): IcsExtras | undefined => {
  const { ics } = after;
  if (!ics) return ics;
  const rules = RULES.filter(({ field }) => field(before) !== field(after));
  const properties = ics.properties.flatMap((property) => {
    const rule = rules.find(({ names }) => names.test(property[0]));
    return rule ? withValue(property, rule, after) : [property];
  });
  const kept = ics.components.filter(([name]) => !rules.some(({ components }) => components?.test(name)));
  const made = { ...ics, properties, components: kept };
  return isSameIcs(made, ics) ? ics : made;
};
