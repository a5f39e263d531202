/** Choices: where two readings differ in effect, each is offered with what it would propose, and one word chooses. */
import type { Clock, Facet, Item } from '../facet.ts';
import type { Frame } from '../frame.ts';
import { timeName } from '../../time/say.ts';
import type { Target } from '../targets.ts';
import type { Choice, Intent, IntentContext } from '../types.ts';
import { ORDINALS, setOf } from '../words.ts';

/** Another reading of a clause: with another frame, or among other events and proposals. */
export type Option = { label: string; frame: Frame; context: IntentContext };

const MOST = 5;

/** The clause about each of the targets that match. */
export const amongTargets = (frame: Frame, context: IntentContext, targets: readonly Target[]): Option[] => {
  const isSame = (a: { uid: string; recurrence_id?: string | null }, b: Target): boolean =>
    a.uid === b.uid && (b.kind === 'plan' || (a.recurrence_id ?? null) === (b.recurrence_id ?? null));
  return targets.slice(0, MOST).map((target) => {
    const others = targets.filter((one) => one !== target);
    const left = <T extends { uid: string; recurrence_id?: string | null }>(
      all: readonly T[],
      kind: Target['kind'],
    ): T[] => all.filter((one) => !others.some((other) => other.kind === kind && isSame(one, other)));
    const when = target.scheduled_for ? `, ${timeName(target.scheduled_for, context.zone, context.now)}` : '';
    const waits = target.kind === 'plan' ? ' (proposal)' : '';
    return {
      label: `${target.title}${when}${waits}`,
      frame,
      context: { ...context, events: left(context.events, 'event'), pending: left(context.pending, 'plan') },
    };
  });
};

const hourName = ({ hour, minute }: Clock): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/** The clause with its bare hours before noon, and after it. */
export const amongHalves = (frame: Frame, context: IntentContext): Option[] => {
  const halves = ['morning', 'evening'].map((name): Option | null => {
    let said: Clock | undefined;
    const fix = <T extends Clock | undefined>(clock: T): T => {
      if (!clock || clock.fixed) return clock;
      const fixed = { ...clock, hour: (clock.hour % 12) + (name === 'evening' ? 12 : 0), fixed: true };
      said ??= fixed;
      return fixed;
    };
    const fixed = (facet: Facet): Facet => {
      if (facet.kind === 'clock') return { ...facet, times: facet.times.map((one) => fix(one)) };
      if (facet.kind !== 'hours') return facet;
      return { ...facet, ...(facet.from && { from: fix(facet.from) }), ...(facet.to && { to: fix(facet.to) }) };
    };
    const items = frame.items.map((item): Item => ({ ...item, facets: item.facets.map(fixed) }));
    return said ? { label: `${hourName(said)} in the ${name}`, frame: { ...frame, items }, context } : null;
  });
  return halves.filter((one) => one !== null);
};

/** What each reading would propose, where at least two propose something. */
export const choicesOf = (
  options: readonly Option[],
  read: (option: Option) => { intents: Intent[]; ask?: string },
): Choice[] => {
  const choices = options.flatMap((option): Choice[] => {
    const { intents, ask } = read(option);
    return intents.length > 0 && ask === undefined ? [{ label: option.label, intents }] : [];
  });
  return choices.length > 1 ? choices : [];
};

const SMALL = setOf(
  "the a an one ones please ok okay yes yeah take make it that this is i i'd i'll want mean meant prefer like rather choose pick go with let's do s at on in of for to then thanks thank you option choice number no not sorry better would be , . ! ? “ ” proposal proposals event",
);
const BOTH = setOf('both all them every everything');
const LAST = setOf('last latter second-one');
const EVENING = setOf('pm evening afternoon tonight night');
const MORNING = setOf('am morning');

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/(\d)(am|pm)\b/g, '$1 $2')
    .match(/[\p{L}\p{N}'’]+/gu) ?? [];

/** The words by which a choice may be meant. */
const keysOf = ({ label }: Choice): Set<string> => {
  const words = wordsOf(label);
  const hour = Number(/(\d\d):\d\d/.exec(label)?.[1] ?? Number.NaN);
  const half = Number.isNaN(hour) ? [] : [String(hour), String(hour % 12 || 12), ...(hour < 12 ? MORNING : EVENING)];
  return new Set([...words, ...words.map((word) => word.slice(0, 3)), ...half]);
};

/** A number alone is the one in front of a choice: '2', 'option 2'. 'at 2' is an hour. */
const NUMBER = /^\W*(?:(?:option|number|choice) )?(\d{1,2})\W*$/i;

/** What the prompt chooses of what was offered before it; null where it says something else. */
export const chosenFrom = (prompt: string, choices: readonly Choice[]): Intent[] | null => {
  const said = wordsOf(prompt).filter((word) => !SMALL.has(word));
  if (choices.length === 0 || said.length === 0 || said.length > 12) return null;
  const numbered = choices[Number(NUMBER.exec(prompt)?.[1] ?? 0) - 1];
  if (numbered) return numbered.intents;
  if (said.every((word) => BOTH.has(word))) return choices.flatMap(({ intents }) => intents);
  const [only, ...more] = said;
  if (more.length === 0) {
    const nth = LAST.has(only!)
      ? choices.length
      : only === 'other'
        ? 2
        : only === 'former'
          ? 1
          : (ORDINALS.get(only!) ?? 0);
    if (nth > 0) return choices[nth - 1]?.intents ?? null;
  }
  const found = choices.filter((choice) => {
    const keys = keysOf(choice);
    return said.every((word) => keys.has(word));
  });
  return found.length === 1 ? found[0]!.intents : null;
};
