/** The events of two moments of the ledger: what is the same in both is drawn once. */
import type { Occurrence } from '../../../client/almanac-client.ts';
import type { Block, EventBlock, Later } from './block.ts';
import { fateText } from './targets.ts';

/** The keys of what is there only at the later moment begin with it. */
const LATER = 'later ';

const TEXTS: Record<Later, string> = {
  new: 'there only later',
  gone: 'not there later',
  moved: 'at another time later',
  changed: 'changed later',
};

/** What happens to an event: until the later moment, or if a proposal is approved. */
export const changeOf = ({ event, later }: EventBlock): string | undefined => (later ? TEXTS[later] : fateText(event));

const isThere = (one: Block, other: Block): boolean =>
  one.start.date === other.start.date &&
  one.start.minutes === other.start.minutes &&
  one.minutes === other.minutes &&
  one.allDay === other.allDay;

/** The version of an occurrence grows with each change of its series, so that the fields are compared. */
const FIELDS = [
  ...(['title', 'description', 'location', 'url', 'status', 'busy'] as const),
  ...(['task_id', 'tempo_tag', 'tags', 'reminders'] as const),
] satisfies (keyof Occurrence)[];
const saysTheSame = (one: Occurrence, other: Occurrence): boolean =>
  FIELDS.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]));

export const compared = (before: readonly EventBlock[], after: readonly EventBlock[]): EventBlock[] => {
  const byKey = new Map(after.map((block) => [block.key, block]));
  const fresh = new Map(byKey);
  const marked = before.map((block): EventBlock => {
    const other = byKey.get(block.key);
    if (!other) return { ...block, later: 'gone' };
    if (!isThere(block, other)) return { ...block, later: 'moved' };
    fresh.delete(block.key);
    return saysTheSame(block.event, other.event) ? block : { ...block, later: 'changed' };
  });
  const known = new Set(before.map(({ key }) => key));
  return [
    ...marked,
    ...[...fresh.values()].map((block): EventBlock => ({
      ...block,
      ...{ key: `${LATER}${block.key}`, later: 'new' },
      ...(known.has(block.key) ? { from: block.key } : {}),
    })),
  ];
};
