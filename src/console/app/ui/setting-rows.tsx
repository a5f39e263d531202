/** What a proposal changes of the settings: how they are, and how they would be. Its file is loaded with the first such proposal. */
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { Plan, UserProfile } from '../../../client/almanac-client.ts';
import type { PlanSettings } from '../../../domain/plan/plan-settings.ts';
import { settingChanges, settingsAfter, settingsSet } from '../../../domain/plan/setting-changes.ts';
import { asOf, past } from '../state/address.ts';
import { pastClient, person } from '../state/service.ts';
import { rowsKey, useKeysShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import { lengthText } from '../state/wall-time.ts';
import { Unread } from './failure.tsx';
import { clockOf, dayName, type Day } from './hours-text.ts';
import { Foreign, Hidden } from './text.tsx';

const WORDS = { day: (day: Day) => dayName(day), clock: clockOf, length: lengthText };

type Row = { key: string; name: string; before?: string; after: string };
type Rows = { rows: Row[]; more?: number };
/** More than so many are in a list that scrolls. */
const MOST_IN_CARD = 12;

/** @returns null where the settings cannot be changed like this */
const rowsOf = ({ arguments: given }: Plan, before: PlanSettings | undefined): Rows | null => {
  if (!before) return settingsSet(given, WORDS);
  const after = settingsAfter(before, given);
  return after && settingChanges(before, after, WORDS);
};

type Known = Pick<UserProfile, 'settings' | 'tempo'>;

/** The settings at the moment of the time machine. */
const useThen = () =>
  useAnswer(asOf.value === undefined ? undefined : person.value, [], async () => {
    const asked = { subject: 'profile' as const, uid: person.value as string, limit: 1 };
    const { items } = await pastClient.memport.ledger({ ...asked, ...past.value }).page();
    return items[0]?.payload as Known | undefined;
  });

export type Props = {
  plan: Plan;
  /** Whether it does not wait. How the settings were before is then not known, so it says only what the plan sets. */
  isOver: boolean;
  /** The settings of now, or why they could not be read. */
  now: { data?: Known | undefined; error?: unknown };
  isDeciding: boolean;
};

const List = ({ rows, more = 0 }: Rows) => (
  <>
    {rows.map(({ key, name, before, after }) => (
      <Fragment key={key}>
        <dt>
          <Foreign>{name}</Foreign>
        </dt>
        <dd>
          {before !== undefined && (
            <>
              <del>
                <Foreign>{before}</Foreign>
              </del>{' '}
              <span aria-hidden="true">→</span> <Hidden>to </Hidden>
            </>
          )}
          <Foreign>{after}</Foreign>
        </dd>
      </Fragment>
    ))}
    {more > 0 && (
      <>
        <dt>More</dt>
        <dd>and {more} more</dd>
      </>
    )}
  </>
);

export const SettingRows = ({ plan, isOver, now, isDeciding }: Props) => {
  const then = useThen();
  const { data, error } = asOf.value === undefined ? now : then;
  const last = useRef<Rows | null>(undefined);
  // While it is decided on, the settings may be changed by it, and what was read stays.
  if ((data || isOver) && !(last.current && isDeciding))
    last.current = rowsOf(plan, isOver || !data ? undefined : { limits: data.settings.limits, tempo: data.tempo });
  const { current: found } = last;
  // Other rows have to be read again.
  useKeysShown(found === undefined || isOver ? [] : [rowsKey(plan), JSON.stringify(found)]);
  if (!found?.rows.length)
    return (
      <>
        <dt>Settings</dt>
        <dd>
          {found === undefined ? (
            <Unread error={error} />
          ) : found ? (
            'Your settings already say this.'
          ) : (
            'They can no longer be changed like this.'
          )}
        </dd>
      </>
    );
  const rows = <List {...found} />;
  if (found.rows.length <= MOST_IN_CARD) return rows;
  return (
    <>
      <dt>Settings</dt>
      <dd class="scrolls" tabIndex={0}>
        <dl>{rows}</dl>
      </dd>
    </>
  );
};
