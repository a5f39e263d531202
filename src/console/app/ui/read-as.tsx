/** What the words of a sentence were read as. What is read wrongly is given back to the name by one press. */
import type { PromptReading } from '../../../client/almanac-client.ts';
import { withoutWords, withWords, type Stretch } from '../state/literal.ts';
import { Foreign } from './text.tsx';

type Role = PromptReading['stretches'][number]['role'];

/** What a person calls a role. Words of the others are of no name, and say nothing by themselves. */
const NAMES: Readonly<Partial<Record<Role, string>>> = {
  ...{ title: 'Name', target: 'Event', place: 'Where', extra: 'Details', dur: 'How long', count: 'How often' },
  ...{
    when: 'When',
    rel: 'When',
    limit: 'When',
    repeat: 'Repeats',
    except: 'Left out',
    shift: 'By how much',
    old: 'From',
  },
  ...{ create: 'Plan it', remind: 'Remind', move: 'Move it', cancel: 'Cancel it', resize: 'Change the length' },
  ...{ change: 'Change it', note: 'Note', reflect: 'Reflect', find: 'Find time', aside: 'Left out', refuse: 'Not' },
};
const OF_NAME: ReadonlySet<Role> = new Set<Role>(['title', 'target']);

const MOST_SHOWN = 12;

type Props = {
  of: string;
  /** Those of the proposals of one sentence, which may share stretches. */
  readings: readonly PromptReading[];
  /** The words that were not read. */
  literal: readonly Stretch[];
  /** Has the sentence read with other words left out; missing where that is not possible any more. */
  onRead?: ((literal: Stretch[]) => void) | undefined;
};

const asChips = (readings: readonly PromptReading[], literal: readonly Stretch[]) => {
  const all = new Map(readings.flatMap(({ stretches }) => stretches.map((one) => [one.from, one] as const)));
  const isLeft = (from: number, to: number): boolean => literal.some(([start, end]) => start < to && end > from);
  return [...all.values()]
    .filter(({ role, from, to }) => NAMES[role] && (OF_NAME.has(role) || !isLeft(from, to)))
    .toSorted((a, b) => a.from - b.from);
};

export const ReadAs = ({ of, readings, literal, onRead }: Props) => {
  const chips = asChips(readings, literal);
  if (!chips.length && !literal.length) return null;
  return (
    <ul class="chips" aria-label="How the words were read">
      {chips.slice(0, MOST_SHOWN).map(({ role, from, to, means, doubtful }) => (
        <li key={from} data-doubtful={doubtful ? '' : undefined}>
          <small>{NAMES[role]}</small>
          <span>
            “<Foreign>{of.slice(from, to)}</Foreign>”
            {means !== undefined && means !== of.slice(from, to) && ` = ${means}`}
          </span>
          {doubtful && <small>Check this</small>}
          {onRead && !OF_NAME.has(role) && (
            <button
              type="button"
              class="plain"
              aria-label={`“${of.slice(from, to)}” is a part of the name`}
              title="It is a part of the name"
              onClick={() => onRead(withWords(literal, [from, to]))}
            >
              ×
            </button>
          )}
        </li>
      ))}
      {chips.length > MOST_SHOWN && <li>{chips.length - MOST_SHOWN} more</li>}
      {literal.map(([from, to]) => (
        <li key={`left ${from}`}>
          <small>Part of the name</small>
          <span>
            “<Foreign>{of.slice(from, to)}</Foreign>”
          </span>
          {onRead && (
            <button type="button" class="plain" onClick={() => onRead(withoutWords(literal, from))}>
              Read it
            </button>
          )}
        </li>
      ))}
    </ul>
  );
};
