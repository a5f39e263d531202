/** The tempo profile and the limits as this screen changes them. */
import { signal } from '@preact/signals';
import type { TempoProfile, UserProfile } from '../../../client/almanac-client.ts';
import { profile } from '../state/data.ts';
import { save } from '../state/save.ts';
import { client } from '../state/service.ts';

export type Range = TempoProfile['time_ranges'][number];
export type Day = Range['days'][number];
export type Limits = UserProfile['settings']['limits'];
export type Rule = Limits['cadence'][number];

export const DAYS: readonly Day[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** What was changed and is not answered yet. */
const pending = signal<Range[] | undefined>(undefined);
export const ranges = (): Range[] => pending.value ?? profile.data.value?.tempo.time_ranges ?? [];

const putRanges = (next: Range[]) => client.tempo.adjust({ preferences: { time_ranges: next } });

/** Shows the change at once; where the service refuses it, it goes back. */
export const setRanges = async (next: Range[], done: string): Promise<boolean> => {
  const before = ranges();
  pending.value = next;
  const worked = await save(
    () => putRanges(next),
    done,
    () => putRanges(before),
  );
  // Until the next read, which has the change itself.
  setTimeout(() => (pending.value = undefined), worked ? 800 : 0);
  return worked;
};

export const changeRange = (index: number, change: Partial<Range>): Promise<boolean> =>
  setRanges(
    ranges().map((one, n) => (n === index ? { ...one, ...change } : one)),
    `Changed: ${ranges()[index]?.name ?? ''}`,
  );

export const addRange = (given: Omit<Range, 'name'>): Promise<boolean> => {
  const names = new Set(ranges().map(({ name }) => name));
  let n = names.size + 1;
  while (names.has(`hours ${n}`)) n += 1;
  return setRanges([...ranges(), { ...given, name: `hours ${n}` }], `Added: hours ${n}`);
};

export const removeRange = (index: number): Promise<boolean> =>
  setRanges(
    ranges().filter((_, n) => n !== index),
    `Removed: ${ranges()[index]?.name ?? ''}`,
  );

const putTempo = (preferences: Parameters<typeof client.tempo.adjust>[0]['preferences']) =>
  client.tempo.adjust({ preferences });

export const setTag = (tag: string, mapping: object | null): Promise<boolean> => {
  const before = profile.data.value?.tempo.tag_mappings[tag] ?? null;
  return save(
    () => putTempo({ tag_mappings: { [tag]: mapping } }),
    `${mapping === null ? 'Removed' : 'Saved'}: ${tag}`,
    () => putTempo({ tag_mappings: { [tag]: before } }),
  );
};

export const setUseLearned = (use_learned: boolean): Promise<boolean> =>
  save(
    () => putTempo({ use_learned }),
    use_learned ? 'Times are ranked by what was learned.' : 'Times are no longer ranked by what was learned.',
    () => putTempo({ use_learned: !use_learned }),
  );

type LimitChange = Partial<Omit<Limits, 'budget'>> & { budget?: Partial<Limits['budget']> };
export const setLimits = (limits: LimitChange): Promise<boolean> => {
  const before = profile.data.value?.settings.limits;
  return save(
    () => client.user.update({ updates: { limits } }),
    'Limits saved.',
    before && (() => client.user.update({ updates: { limits: before } })),
  );
};

export const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
export const textOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
