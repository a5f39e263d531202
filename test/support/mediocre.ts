/** Makes of a good model's tape the tape of a mediocre one: one fault in each entry that proposes something, by a seed. */
import { type Random, randomFrom } from '../training/random.ts';
import type { Line, ModelJson } from './tape.ts';

type Action = NonNullable<ModelJson['actions']>[number];
export type Fault = keyof typeof FAULTS;
export type Faulty = { lines: Line[]; fault: Fault };

const isNew = (action: Action): boolean => !action['target_event_uid'] && !action['target_plan_uid'];
const isTimed = (action: Action): boolean => /T\d/.test(action.scheduled_for ?? '');

const later = (text: string, by: Temporal.DurationLike): string =>
  text.includes('T')
    ? Temporal.PlainDateTime.from(text.slice(0, 16)).add(by).toString({ smallestUnit: 'minute' })
    : Temporal.PlainDate.from(text).add(by).toString();

const windowOf = (action: Action): { start: string; end: string } | null =>
  (action['between'] as { start: string; end: string } | undefined) ?? null;

/** Each fault gives the action with it, or null where the action can't have it. `other` is an action of another entry. */
const FAULTS = {
  'another weekday': (action: Action): Action | null => {
    const between = windowOf(action);
    if (!action.scheduled_for && !between) return null;
    return {
      ...action,
      ...(action.scheduled_for && { scheduled_for: later(action.scheduled_for, { days: 1 }) }),
      ...(between && { between: { start: later(between.start, { days: 1 }), end: later(between.end, { days: 1 }) } }),
      ...(action['rrule'] !== undefined && { rrule: shifted(action['rrule'] as string) }),
      ...(action['exdates'] !== undefined && {
        exdates: (action['exdates'] as string[]).map((at) => later(at, { days: 1 })),
      }),
    };
  },
  'another hour': (action: Action, _other: Action, random: Random): Action | null =>
    isTimed(action) && action['rrule'] === undefined
      ? { ...action, scheduled_for: later(action.scheduled_for!, { hours: random.pick([1, 2, 3]) }) }
      : null,
  'the time of another': (action: Action, other: Action): Action | null =>
    isTimed(action) && isTimed(other) && action['rrule'] === undefined
      ? { ...action, scheduled_for: other.scheduled_for!.slice(0, 16) }
      : null,
  'a missing time': (action: Action): Action | null => {
    if (!action.scheduled_for || action['rrule'] !== undefined || action['whole_days'] !== undefined) return null;
    const { scheduled_for: _, ...rest } = action;
    return rest;
  },
  'a missing field': (action: Action, _other: Action, random: Random): Action | null => {
    const names = [
      'duration_minutes',
      'location',
      'rrule',
      'exdates',
      'whole_days',
      'action_type',
      'target_recurrence_id',
    ];
    const given = names.filter((name) => action[name] !== undefined);
    return Object.fromEntries(Object.entries(action).filter(([name]) => name !== random.pick(given)));
  },
  'an invented uid': (action: Action): Action | null => ({
    ...action,
    ...(isNew(action) ? { action_type: 'reschedule' } : { target_plan_uid: undefined }),
    target_event_uid: 'event-4711',
  }),
  'another event': (action: Action, _other: Action, random: Random): Action | null => {
    const names = [
      'Dentist 2026-12-01T09:00',
      'Physio 2026-11-30T08:30',
      'Board prep 2026-12-02T14:00',
      'Plumber 2026-11-27T08:00',
    ];
    const left = names.filter((name) => name !== action['target_event_uid']);
    return action['target_event_uid'] === undefined ? null : { ...action, target_event_uid: random.pick(left) };
  },
  'another title': (action: Action, other: Action): Action | null =>
    isNew(action) && isNew(other) && other.title !== action.title ? { ...action, title: other.title! } : null,
  'another length': (action: Action, _other: Action, random: Random): Action | null => {
    if (action['whole_days'] !== undefined || action['cancel'] === true) return null;
    return { ...action, duration_minutes: Number(action['duration_minutes'] ?? 30) + random.pick([15, 30, 60]) };
  },
};

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const shifted = (rule: string): string =>
  rule.replace(
    /BYDAY=([^;]*)/,
    (_, days: string) =>
      `BYDAY=${days.replace(/MO|TU|WE|TH|FR|SA|SU/g, (day) => WEEKDAYS[(WEEKDAYS.indexOf(day) + 1) % 7]!)}`,
  );

/** The entries that propose something, each with one fault in its last turn that does. */
export const mediocre = (tape: readonly Line[][], seed: number): Faulty[] => {
  const random = randomFrom(seed);
  const actions = tape.flat().flatMap(({ answer }) => answer.actions ?? []);
  const kinds = Object.keys(FAULTS) as Fault[];
  return tape.flatMap((lines, i) => {
    const turn = lines.findLastIndex(({ answer }) =>
      (answer.actions ?? []).some((one) => one.action_type !== 'configure'),
    );
    if (turn < 0) return [];
    const own = lines[turn]!.answer.actions!;
    const at = Math.floor(random.next() * own.length);
    // Each kind is the first choice of as many entries.
    for (let k = 0; k < kinds.length; k += 1) {
      const fault = kinds[(i + k) % kinds.length]!;
      const wrong = FAULTS[fault](own[at]!, random.pick(actions), random);
      if (!wrong) continue;
      const answer = { ...lines[turn]!.answer, actions: own.with(at, wrong) };
      return [{ fault, lines: lines.with(turn, { ...lines[turn]!, answer }) }];
    }
    return [];
  });
};
