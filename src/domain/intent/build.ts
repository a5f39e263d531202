/** Builds intents: the fields all of them share, and the reasoning that names what in the prompt led to them. */
import type { Option } from './dialogue/choices.ts';
import type { Frame } from './frame.ts';
import type { Intent, IntentContext } from './types.ts';
import type { Slot } from './when.ts';
import { millis } from '../time/time.ts';
import { timeName, windowName } from '../time/say.ts';
import { cut } from './title.ts';
import { capitalise, squash, type Token } from './words.ts';

/** What every step of understanding one prompt needs. */
export type Work = { text: string; tokens: readonly Token[]; context: IntentContext };
/** What was made of one request. `notes` go into the reply; `as` is the request it was read as, where that was completed; `aside` asks for nothing; `options` are the readings that `ask` asks between. */
export type Outcome = {
  intents: Intent[];
  ask?: string;
  notes?: string[];
  unknown?: string;
  aside?: string;
  as?: Frame;
  options?: readonly Option[];
};

export const rawOf = ({ text, tokens }: Pick<Work, 'text' | 'tokens'>, from: number, to: number): string =>
  from < to ? squash(text.slice(tokens[from]!.start, tokens[to - 1]!.end)) : '';

export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? capitalise(text) : `${capitalise(text)}.`);

/** The words that say when, how long and what for: '“tomorrow”, “90 minutes” and “#thesis”'; empty where there are none. */
export const cluesOf = (work: Work, { items, tags, clause }: Pick<Frame, 'items' | 'tags' | 'clause'>): string => {
  const said = items
    .filter(({ facets }) => facets.length > 0 && facets[0]!.kind !== 'soon')
    .map(({ from, to }) => cut(rawOf(work, from, to), 60));
  const task = tags.task_id === undefined ? [] : [`#${tags.task_id}`];
  const deep = work.tokens.slice(clause.from, clause.to).some(({ word }) => word === 'deep');
  const tempo =
    tags.tempo_tag === undefined ? [] : [tags.tempo_tag === '@deep_work' && deep ? 'deep work' : tags.tempo_tag];
  const [last = '', ...others] = [...said, ...task, ...tempo].map((words) => `“${words}”`).toReversed();
  return others.length ? `${others.toReversed().join(', ')} and ${last}` : last;
};

/** 'on Friday 27 November at 15:30', 'in the window ...', 'in the best free slot'. */
export const slotName = ({ at, between, all_day, part, after, before }: Slot, { now, zone }: IntentContext): string => {
  if (at && all_day) return `all day on ${timeName(at, zone, now).replace(/ at .*/, '')}`;
  if (at) return `on ${timeName(at, zone, now)}`;
  if (!between) return 'in the best free time';
  const name = windowName(between, zone);
  const hours = [
    part && !/\d:\d/.test(name) && `in the ${part}`,
    after && `after ${after}`,
    before && `before ${before}`,
  ];
  return ['in free time on', name, ...hours].filter(Boolean).join(' ');
};

/** The window as the API has it: from now on at the earliest. */
export const timeFields = ({
  at,
  between,
  part,
  avoid,
}: Slot): Pick<Intent, 'scheduled_for' | 'between' | 'part_of_day' | 'avoid'> => ({
  ...(at && { scheduled_for: at }),
  ...(between && millis(between.start) < millis(between.end) && { between }),
  ...(part && !at && { part_of_day: part }),
  ...(avoid && !at && { avoid }),
});

export const slotArguments = ({ after, before, all_day }: Slot): Intent['arguments'] => ({
  ...(after && { after }),
  ...(before && { before }),
  ...(all_day && { all_day }),
});
