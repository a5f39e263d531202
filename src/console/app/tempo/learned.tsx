/** What was learned from decisions, with the counts that support it, and the switch. */
import type { LearnedKind } from '../../../client/almanac-client.ts';
import { KINDS } from '../../../domain/plan/kinds.ts';
import { profile } from '../state/data.ts';
import { Sheet } from '../ui/sheet.tsx';
import { Foreign } from '../ui/text.tsx';
import { capital, counted } from '../ui/words.ts';
import { clockOf, dayName, type Day } from '../ui/hours-text.ts';
import { setUseLearned } from './preferences.ts';

const MOST_HOURS = 3;

/** `Tue 09:00` of `TU-09`. */
const hourText = (hour: string): string =>
  `${dayName(hour.slice(0, 2) as Day, 'short')} ${clockOf(`${hour.slice(3)}:00`)}`;

/** Kinds of plans have words of their own; a tag is as the person wrote it. */
const kindText = (kind: string): string => (kind in KINDS ? capital(KINDS[kind as keyof typeof KINDS]) : kind);

/** The hours at which most was approved. */
const bestHours = ({ hours }: LearnedKind): string =>
  Object.entries(hours)
    .filter(([, { approved }]) => approved > 0)
    .toSorted(([, a], [, b]) => b.approved - b.rejected - (a.approved - a.rejected))
    .slice(0, MOST_HOURS)
    .map(([hour, { approved, rejected }]) => `${hourText(hour)}, ${approved} of ${approved + rejected} approved`)
    .join('; ');

const Row = ({ name, kind }: { name: string; kind: LearnedKind }) => {
  const { approved, rejected, moved, duration, rating } = kind;
  return (
    <tr>
      <th scope="row">
        <Foreign lines={1}>{name}</Foreign>
      </th>
      <td>{approved}</td>
      <td>{rejected}</td>
      <td>{moved}</td>
      <td>{bestHours(kind) || '–'}</td>
      <td>
        {duration === null
          ? '–'
          : `${Math.round(duration.proposed_minutes)} → ${Math.round(duration.decided_minutes)} min`}
      </td>
      <td>{rating === null ? '–' : rating.toFixed(1)}</td>
    </tr>
  );
};

export const Learned = () => {
  const tempo = profile.data.value?.tempo;
  if (!tempo) return null;
  const { samples, tags, action_types } = tempo.learned;
  const rows = [
    ...Object.entries(tags),
    ...Object.entries(action_types).map(([kind, counts]) => [kindText(kind), counts] as const),
  ];
  return (
    <Sheet
      title="What was learned"
      about={`From ${counted(samples, 'decision')} of yours. It ranks free times only where you switch it on.`}
    >
      <label class="check">
        <input type="checkbox" checked={tempo.use_learned} onChange={() => void setUseLearned(!tempo.use_learned)} />
        <span>Rank times by what was learned</span>
      </label>
      {rows.length === 0 ? (
        <p class="quiet">Nothing yet. Each approval, rejection and move teaches something.</p>
      ) : (
        <div class="table-of" tabIndex={0} role="region" aria-label="Counts">
          <table>
            <thead>
              <tr>
                {['', 'Approved', 'Rejected', 'Moved', 'Best hours', 'Length', 'Rating'].map((name) => (
                  <th key={name} scope="col">
                    {name || 'Tag or kind'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, kind]) => (
                <Row key={name} name={name} kind={kind} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Sheet>
  );
};
