/** Takes back all that one agent caused since a moment: what goes, what stays and why, and the days as they would be. */
import { signal, useSignal } from '@preact/signals';
import type { Client, Trace } from '../../../client/almanac-client.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { inOwnTime } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { useKeysShown } from '../state/shown.ts';
import { useAnswer } from '../state/use-answer.ts';
import {
  addDays,
  instantOf,
  momentOf,
  shortDate,
  today,
  typedWall,
  wallOf,
  wallText,
  YEARS,
} from '../state/wall-time.ts';
import { eventSpan, Strip, useDay } from '../ui/day-strip.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Foreign } from '../ui/text.tsx';
import { counted } from '../ui/words.ts';

type Agent = { id: string; label: string };
type Answer = Awaited<ReturnType<Client['agent']['takeBack']>>;

/** The agent whose dialog is open. */
export const taking = signal<Agent | undefined>(undefined);

const EVERYTHING = '0';
const HOUR_MS = 3_600_000;
/** Days, a moment, or the first entry of the ledger. */
const choices = (): [since: string, name: string][] => [
  [new Date(Date.now() - HOUR_MS).toISOString(), 'Last hour'],
  [today(), 'Today'],
  [addDays(today(), -1), 'Yesterday'],
  [addDays(today(), -6), 'Last 7 days'],
  [EVERYTHING, 'Everything'],
];

const nameOf = ({ title, content }: Trace): string => title ?? content;
const whenOf = (plan: Trace): string => {
  const { scheduled_for: at } = plan;
  if (!at) return '';
  // Whole days are on their dates in every zone.
  const isWhole = plan.arguments?.['all_day'] === true;
  return isWhole ? shortDate(wallOf(at, plan.timezone ?? undefined).date) : momentOf(at);
};
const isPlan = ({ type }: Trace): boolean => type === 'agent_plan';

const List = ({ title, of, more }: { title: string; of: Trace[]; more: (one: Trace) => string }) =>
  of.length === 0 ? null : (
    <section>
      <h3>
        {title} ({of.length})
      </h3>
      <ul>
        {of.map((one) => (
          <li key={one.uid}>
            <Foreign lines={1}>{nameOf(one)}</Foreign>
            <small>{more(one)}</small>
          </li>
        ))}
      </ul>
    </section>
  );

/** Of a series that goes on, the answer does not say which occurrences change. */
const isDrawn = ({ removed, rrule }: Answer['events'][number]): boolean => removed === true || rrule === null;

/** A day as it would be above, and below what leaves it. */
const Day = ({ date, answer }: { date: string; answer: Answer }) => {
  const { events: now, error } = useDay(date);
  const drawn = answer.events.filter(isDrawn);
  const uids = new Set(drawn.map(({ uid }) => uid));
  const [changing, staying] = [now?.filter(({ uid }) => uids.has(uid)), now?.filter(({ uid }) => !uids.has(uid))];
  const again = drawn.filter(({ removed, all_day }) => !removed && !all_day);
  const spans = [
    ...[...(staying ?? []), ...again].flatMap((event) => eventSpan(date, 'event', event)),
    ...(changing ?? []).flatMap((event) => eventSpan(date, 'gone', event)),
  ];
  const label = `${shortDate(date)}: what would be there, and what goes`;
  return (
    <li>
      <small>{shortDate(date)}</small>
      <Strip {...{ label, spans, error }} ready={now !== undefined} />
    </li>
  );
};

const MOST_DAYS = 7;
const daysOf = ({ events, taken_back }: Answer): string[] => {
  const ids = new Set(events.map(({ uid }) => uid));
  const planned = taken_back.filter(
    ({ linked_event_uid, target_event_uid }) => ids.has(linked_event_uid ?? '') || ids.has(target_event_uid ?? ''),
  );
  const starts = [...events.filter(isDrawn), ...planned].flatMap(({ scheduled_for }) => scheduled_for ?? []);
  return [...new Set(starts.map((start) => wallOf(start).date))].toSorted();
};

const Found = ({ answer }: { answer: Answer }) => {
  const { taken_back, left, more } = answer;
  const plans = taken_back.filter(isPlan);
  const days = daysOf(answer);
  const series = answer.events.filter((event) => !isDrawn(event));
  if (!taken_back.length && !left.length) return <p class="empty">It caused nothing that can be taken back.</p>;
  return (
    <>
      <p class="quiet">Nothing is done yet. All of it can be undone together afterwards.</p>
      <List title="Would be undone" of={plans.filter(({ status }) => status === 'executed')} more={whenOf} />
      <List title="Would wait no longer" of={plans.filter(({ status }) => status !== 'executed')} more={whenOf} />
      <List
        title="Notes that would change"
        of={taken_back.filter((one) => !isPlan(one))}
        more={({ removed }) => (removed ? 'removed' : 'as before')}
      />
      <List
        title="Would stay"
        of={left.map(({ trace }) => trace)}
        more={({ uid }) => inOwnTime(left.find(({ trace }) => trace.uid === uid)?.problem.detail ?? '')}
      />
      {(days.length > 0 || series.length > 0) && (
        <section>
          <h3>The calendar then</h3>
          {series.map(({ uid, title }) => (
            <p key={uid} class="quiet">
              The series <Foreign>{title}</Foreign> is as before; its days are not drawn here.
            </p>
          ))}
          <ul class="then">
            {days.slice(0, MOST_DAYS).map((date) => (
              <Day key={date} date={date} answer={answer} />
            ))}
          </ul>
          {days.length > MOST_DAYS && <small>and {counted(days.length - MOST_DAYS, 'more day')}</small>}
        </section>
      )}
      {more && <p class="quiet">This is the newest part. Do it again for the rest.</p>}
    </>
  );
};

const sumOf = (taken: Trace[]): string => {
  const plans = taken.filter(isPlan).length;
  const parts = [plans && counted(plans, 'plan'), taken.length - plans && counted(taken.length - plans, 'note')];
  return parts.filter(Boolean).join(' and ');
};

const close = (): void => {
  taking.value = undefined;
};

/** @param until the ledger seq of what was shown: what came later stays */
const run = ({ id, label }: Agent, since: string, until: number): Promise<boolean> =>
  attempt(async () => {
    const { taken_back, seq } = await client.agent.takeBack({ agent: id, since, until });
    close();
    touchAll();
    if (seq === null) return say(`Nothing of ${label} was left to take back.`);
    say(`Taken back of ${label}: ${sumOf(taken_back)}`, async () => {
      await client.agent.takeBack({ seq }).finally(touchAll);
      say(`As before: ${sumOf(taken_back)} of ${label}`);
    });
  });

const Open = ({ agent }: { agent: Agent }) => {
  const since = useSignal(today());
  // The last hour is that before the dialog was opened.
  const offered = useSignal(choices());
  const moment = useSignal('');
  const isRunning = useSignal(false);
  const { data, error } = useAnswer(`${agent.id} ${since.value}`, ['plans', 'events', 'traces'], () =>
    client.agent.takeBack({ agent: agent.id, since: since.value, simulate: true }),
  );
  const shown = data ? `take back ${since.value} ${data.taken_back.map(({ uid }) => uid).join(' ')}` : '';
  const isRead = useKeysShown([shown]);
  const count = data?.taken_back.length ?? 0;
  const send = (): void => {
    if (isRunning.value || !data) return;
    isRunning.value = true;
    void run(agent, since.value, data.as_of).finally(() => (isRunning.value = false));
  };
  return (
    <Dialog name={`Undo what ${agent.label} caused`} class="take-back" onClose={close}>
      <h2>
        Undo what <Foreign>{agent.label}</Foreign> caused
      </h2>
      <div class="buttons" role="group" aria-label="How far back">
        {offered.value.map(([value, name]) => (
          <button
            key={name}
            type="button"
            aria-pressed={since.value === value}
            onClick={() => {
              since.value = value;
              moment.value = '';
            }}
          >
            {name}
          </button>
        ))}
        <label>
          Since{' '}
          <input
            type="datetime-local"
            min={YEARS.min}
            max={wallText(wallOf(Date.now()))}
            value={moment.value}
            onInput={({ currentTarget: { value } }) => {
              moment.value = value;
              const typed = typedWall(value);
              if (typed) since.value = new Date(instantOf(typed)).toISOString();
            }}
          />
        </label>
      </div>
      <div
        class="found"
        role="region"
        aria-label="What would be undone"
        tabIndex={0}
        aria-busy={!data && error === undefined}
      >
        {error !== undefined ? (
          <Failure error={error} />
        ) : data ? (
          <Found answer={data} />
        ) : (
          <p class="empty">Loading…</p>
        )}
      </div>
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={!count || !isRead || isRunning.value} onClick={send}>
          {isRunning.value ? 'Undoing…' : `Undo ${data && count ? sumOf(data.taken_back) : ''}`}
        </button>
      </div>
    </Dialog>
  );
};

export const TakeBack = () => (taking.value ? <Open agent={taking.value} /> : null);
