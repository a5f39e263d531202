/** The tempo profile and the limits as this screen changes them. */
import { signal } from '@preact/signals';
import type { UserProfile } from '../../../client/almanac-client.ts';
import { profile } from '../state/data.ts';
import { readAgain } from '../state/live.ts';
import { complain } from '../state/messages.ts';
import { save } from '../state/save.ts';
import { Refusal } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { dayName, DAYS, hoursText, type Day, type Range } from '../ui/hours-text.ts';
import {
  addSet,
  changeDay,
  changeSet,
  lost,
  patchOf,
  removeDay,
  removeSet,
  restored,
  uniqueName,
  type Hours,
  type Times,
} from './hours.ts';

export type Limits = UserProfile['settings']['limits'];
export type Rule = Limits['cadence'][number];

const NONE: Hours = { time_ranges: [], tag_mappings: {}, task_overrides: {} };

/** What was changed and was not read again yet. */
const pending = signal<Hours | undefined>(undefined);
const known = (): Hours => profile.data.value?.tempo ?? NONE;
const hours = (): Hours => pending.value ?? known();
export const ranges = (): Range[] => hours().time_ranges;

/** The service answers the fields of a set in an order of its own. */
const textOfAll = ({ time_ranges }: Hours): string =>
  JSON.stringify(time_ranges.map(({ name, days, start, end }) => [name, days, start, end]));
const isSame = (one: Hours, other: Hours): boolean => textOfAll(one) === textOfAll(other);

let last: Promise<unknown> = Promise.resolve();
/** Each change has the hours as a whole, so they arrive in the order in which they were made. */
const put = async (before: Hours, after: Hours): Promise<void> => {
  const sent = last.then(() => client.tempo.adjust({ preferences: patchOf(before, after) }));
  last = sent.catch(() => undefined);
  pending.value = after;
  const forget = (): void => {
    if (pending.value === after) pending.value = undefined;
  };
  try {
    await sent;
    void readAgain(profile).then(forget);
  } catch (error) {
    forget();
    throw error;
  }
};

/** Undoes or redoes a change of the hours. @throws Refusal where the hours are no longer those of `present`: a later change would be lost */
const turn = async (present: Hours, wanted: Hours): Promise<void> => {
  const now = hours();
  const then = restored(now, wanted, present);
  const user = lost(then);
  if (!isSame(now, present)) throw new Refusal('The hours were changed since then. Undo the later change first.');
  if (user !== undefined) throw new Refusal(`“${user}” uses these hours now. Choose others for it first.`);
  await put(now, then);
};

type Said = { done: string; undone: string };

/** Shows the change at once; where the service refuses it, it goes back. */
const change = async (next: Hours | string, { done, undone }: Said): Promise<boolean> => {
  if (typeof next === 'string') {
    complain(next);
    return false;
  }
  const before = hours();
  const [undo, redo] = [() => turn(next, before), () => turn(before, next)];
  return save(() => put(before, next), done, { undo, undone, redo });
};

/** The block that gets the focus: that of the day, in the set where it is now, or one that is left where it was removed. */
export const followed = signal<{ day: Day; name: string } | undefined>(undefined);

export const changeOneDay = (index: number, day: Day, times: Times): void => {
  const old = ranges()[index];
  if (!old || (old.start === times.start && old.end === times.end)) return;
  const { next, name } = changeDay(hours(), old, day, times);
  const one = { ...old, days: [day] };
  if (typeof next !== 'string') followed.value = { day, name };
  void change(next, {
    done: `Changed: ${hoursText({ ...one, name, ...times })}. Every ${dayName(day)} now has these hours.`,
    undone: `As before: ${hoursText(one)}`,
  });
};

/** The next day of the set, or the first hours that are left. */
const neighbourOf = ({ name, days }: Range, gone: Day, { time_ranges: [first] }: Hours) => {
  const day =
    DAYS.find((one, n) => n > DAYS.indexOf(gone) && days.includes(one)) ?? days.findLast((one) => one !== gone);
  if (day) return { day, name };
  return first?.days[0] && { day: first.days[0], name: first.name };
};

export const removeOneDay = (index: number, day: Day): void => {
  const old = ranges()[index];
  if (!old) return;
  const text = hoursText({ ...old, days: [day] });
  const next = removeDay(hours(), old, day);
  if (typeof next !== 'string') followed.value = neighbourOf(old, day, next);
  void change(next, { done: `Removed: ${text}`, undone: `Back again: ${text}` });
};

export const changeRange = async (index: number, given: Range): Promise<boolean> => {
  const old = ranges()[index];
  if (!old) return false;
  return change(changeSet(hours(), old, given), {
    done: `Changed: ${hoursText(given)}`,
    undone: `As before: ${hoursText(old)}`,
  });
};

export const addRange = (given: Omit<Range, 'name'>): Promise<boolean> => {
  const added = { ...given, name: uniqueName('hours', hours(), ranges().length + 1) };
  const text = hoursText(added);
  return change(addSet(hours(), added), { done: `Added: ${text}`, undone: `Removed again: ${text}` });
};

export const removeRange = (index: number): void => {
  const old = ranges()[index];
  if (!old) return;
  const text = hoursText(old);
  void change(removeSet(hours(), old), { done: `Removed: ${text}`, undone: `Back again: ${text}` });
};

const putTempo = (preferences: Parameters<typeof client.tempo.adjust>[0]['preferences']) =>
  client.tempo.adjust({ preferences });

export const setTag = (tag: string, mapping: object | null): Promise<boolean> => {
  const before = profile.data.value?.tempo.tag_mappings[tag] ?? null;
  return save(
    () => putTempo({ tag_mappings: { [tag]: mapping } }),
    `${mapping === null ? 'Removed' : 'Saved'}: ${tag}`,
    {
      // A patch keeps what it does not name.
      undo: () => putTempo({ tag_mappings: { [tag]: before && { ranges: null, duration_minutes: null, ...before } } }),
      undone: before === null ? `Removed again: ${tag}` : `As before: ${tag}`,
    },
  );
};

export const setUseLearned = (use_learned: boolean): Promise<boolean> =>
  save(
    () => putTempo({ use_learned }),
    use_learned ? 'Times are ranked by what was learned.' : 'Times are no longer ranked by what was learned.',
    {
      undo: () => putTempo({ use_learned: !use_learned }),
      undone: use_learned
        ? 'Times are not ranked by what was learned again.'
        : 'Times are ranked by what was learned again.',
    },
  );

type LimitChange = Partial<Omit<Limits, 'budget'>> & { budget?: Partial<Limits['budget']> };
export const setLimits = (limits: LimitChange): Promise<boolean> => {
  const before = profile.data.value?.settings.limits;
  return save(
    () => client.user.update({ updates: { limits } }),
    'Limits saved.',
    before && { undo: () => client.user.update({ updates: { limits: before } }), undone: 'The limits are as before.' },
  );
};

export const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
export const textOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
