/** What the words of a sentence were read as. What is read wrongly is given back to the name by one press. */
import type { PromptReading } from '../../../client/almanac-client.ts';
import { leaveUnread, literalIn, readAgain, type Stretch } from '../state/literal.ts';
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

/** @param readings those of the proposals of one sentence, which may share stretches */
export const ReadAs = ({ of, readings }: { of: string; readings: readonly PromptReading[] }) => {
  const literal = literalIn(of);
  const isGiven = (from: number, to: number): Stretch | undefined =>
    literal.find(([start, end]) => start < to && end > from);
  const all = new Map(readings.flatMap(({ stretches }) => stretches.map((one) => [one.from, one] as const)));
  const shown = [...all.values()].filter(({ role }) => NAMES[role]).toSorted((a, b) => a.from - b.from);
  if (!shown.length) return null;
  return (
    <ul class="read-as" aria-label="How the words were read">
      {shown.slice(0, MOST_SHOWN).map(({ role, from, to, means, doubtful }) => {
        const words = of.slice(from, to);
        const given = isGiven(from, to);
        return (
          <li key={from} data-doubtful={doubtful ? '' : undefined}>
            <small>{NAMES[role]}</small> “<Foreign>{words}</Foreign>”{means !== undefined && ` = ${means}`}
            {doubtful && <small> Check this.</small>}
            {given ? (
              <button type="button" class="plain" onClick={() => readAgain(of, given[0])}>
                Read it again
              </button>
            ) : (
              !OF_NAME.has(role) && (
                <button
                  type="button"
                  class="plain"
                  aria-label={`“${words}” belongs to the name`}
                  title="It belongs to the name"
                  onClick={() => leaveUnread(of, [from, to])}
                >
                  ×
                </button>
              )
            )}
          </li>
        );
      })}
    </ul>
  );
};
