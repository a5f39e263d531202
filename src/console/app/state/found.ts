/** What the palette finds: events near today, waiting proposals, agents, and traces. */
import type { Occurrence, Plan } from '../../../client/almanac-client.ts';
import { go, past } from './address.ts';
import { dialog } from './commands.ts';
import { proposerOf, waiting } from './data.ts';
import { deciding } from './decide.ts';
import { takesTime } from './overlap.ts';
import { matches, settled, words, type Option } from './palette.ts';
import { showBlock } from './propose.ts';
import { resource } from './resource.ts';
import { configures } from './settings.ts';
import { client, pastClient } from './service.ts';
import { startText } from './series.ts';
import { addDays, momentOf, shortDate, today, wallOf } from './wall-time.ts';

const MOST = 5;

/** Notes: plans and what happened on the calendar are found as proposals and events. */
export const hits = resource(
  () => {
    const query = dialog.value === 'palette' ? settled.value : '';
    return query.length < 2 ? null : { query, ...past.value };
  },
  [],
  ({ query, ...when }) =>
    pastClient.memory
      .search({ query, ...when, kind: 'note', limit: MOST })
      .page()
      .then(
        ({ items }) => ({ of: query, items }),
        (error: unknown) => ({ of: query, items: [], error }),
      ),
);

/** Earlier and later events are found in the calendar. One request serves all that is typed; a page has the first 1,000. */
const [DAYS_BEFORE, DAYS_AFTER] = [7, 180];
export const events = resource(
  () => {
    if (dialog.value !== 'palette' || settled.value.length < 2) return null;
    return { start: addDays(today(), -DAYS_BEFORE), end: addDays(today(), DAYS_AFTER), ...past.value };
  },
  ['events'],
  (window) =>
    pastClient.calendar
      .events({ ...window, limit: 1000 })
      .page()
      .then(
        ({ items }) => ({ items }),
        (error: unknown) => ({ items: [], error }),
      ),
);

/** Agents that have proposed nothing yet have a key too. */
const keys = resource(
  () => (dialog.value === 'palette' ? {} : null),
  ['profile'],
  (given) => client.user.keys(given).page(),
);

/** The events that take the time of a plan, as far as they are loaded. */
export const eventsAt = ({ scheduled_for, duration_minutes, target_event_uid }: Plan): Occurrence[] => {
  if (scheduled_for === null) return [];
  const from = Date.parse(scheduled_for);
  const to = from + (duration_minutes ?? 0) * 60_000;
  return (events.data.value?.items ?? []).filter(
    (event) => event.uid !== target_event_uid && takesTime(event, from, to),
  );
};

const dateOf = ({ all_day, local_start, scheduled_for }: Occurrence): string =>
  all_day ? local_start.slice(0, 10) : wallOf(scheduled_for).date;

/** The next time of each event, and the last one of those that are over. */
const nearest = (all: readonly Occurrence[]): Occurrence[] => {
  const now = Date.now();
  const [over, ahead] = [true, false].map((isOver) => all.filter(({ end }) => Date.parse(end) <= now === isOver));
  const seen = new Set<string>();
  return [...(ahead ?? []), ...(over ?? []).toReversed()].filter(({ uid }) => !seen.has(uid) && seen.add(uid));
};

const eventOptions = (): Option[] => {
  const fitting = (events.data.value?.items ?? []).filter(
    ({ status, title, location }) => status !== 'cancelled' && matches(words.value, title, location ?? ''),
  );
  return nearest(fitting)
    .slice(0, MOST)
    .map((event) => ({
      ...{ key: `event ${event.uid}`, title: 'Event', name: event.title },
      hint: event.all_day ? `${shortDate(dateOf(event))}, all day` : momentOf(event.scheduled_for),
      run: () => showBlock(dateOf(event), `${event.uid} ${event.recurrence_id ?? ''}`),
    }));
};

const traceOptions = (text: string): Option[] =>
  (hits.data.value?.of === text ? hits.data.value.items : []).map(({ uid, snippet, timestamp }) => ({
    ...{ key: uid, title: 'Memory', name: snippet.replaceAll('**', ''), hint: momentOf(timestamp) },
    run: () => go('memory', { find: text, trace: uid }),
  }));

/** Both come together, so that neither moves the other. */
export const far = (text: string): Option[] =>
  hits.data.value?.of === text && events.data.value ? [...eventOptions(), ...traceOptions(text)] : [];

export const near = (asked: readonly string[]): Option[] => [
  ...(waiting.data.value ?? [])
    .filter((plan) => !deciding.value.has(plan.uid) && matches(asked, 'proposal', plan.title, proposerOf(plan)))
    .slice(0, MOST)
    .map((plan) => ({
      ...{
        key: `plan ${plan.uid}`,
        title: 'Proposal',
        name: plan.title,
        hint: startText(plan) || (configures(plan) ? 'at once' : 'at any time'),
      },
      run: () => go('queue', { plan: plan.uid }),
    })),
  ...(keys.data.value?.items ?? [])
    .filter(({ kind, revoked_at, label }) => kind === 'agent' && revoked_at === null && matches(asked, 'agent', label))
    .slice(0, MOST)
    .map(({ id, label }) => ({
      ...{ key: `agent ${id}`, title: 'Agent', name: label },
      run: () => go('agents'),
    })),
];
