/** An answer in the conversation: its proposals, how they were read, its choices and what was found. */
import { useRef } from 'preact/hooks';
import type { ChatResponse, Command, Plan, PromptReading } from '../../../client/almanac-client.ts';
import { go } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import type { Stretch } from '../state/literal.ts';
import { isWithdrawn } from '../state/preview.ts';
import { momentOf, wallOf } from '../state/wall-time.ts';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { ReadAs } from '../ui/read-as.tsx';
import { Foreign } from '../ui/text.tsx';
import { isWide, show } from './beside.tsx';
import {
  ask,
  busy,
  dateOf,
  exchanges,
  isAsMade,
  isUnread,
  readAgain,
  readOtherwise,
  replyOf,
  type Exchange,
} from './exchanges.ts';
import { Asked, Understood } from './understood.tsx';

const showDay = (date: string): void => (isWide.value ? show(date) : go('./', { date }));

const ShowOnCalendar = ({ plan }: { plan: Plan }) => {
  const date = dateOf(plan);
  if (date === undefined) return null;
  return (
    <button type="button" onClick={() => showDay(date)}>
      Show on the calendar
    </button>
  );
};

/** A proposal as it is now: waiting, or decided meanwhile. */
const Proposal = ({ uid, within }: { uid: string; within: ChatResponse }) => {
  const shown = useRef<Waiting | undefined>(undefined);
  // One proposal has one card, in the reply that changed it last.
  const last = exchanges.value.findLast(({ answer }) => answer?.plans.some((plan) => plan.uid === uid));
  if (last?.answer !== within) return <p class="quiet">It was changed again below.</p>;
  const plan = deciding.value.has(uid) ? undefined : (waiting.data.value ?? []).find((one) => one.uid === uid);
  shown.current = plan ?? shown.current;
  const gone = plan ? undefined : (
    <p class="quiet">{waiting.data.value ? 'This proposal no longer waits.' : 'Loading…'}</p>
  );
  if (!shown.current) return gone;
  return <ProposalCard plan={shown.current} answers gone={gone} more={<ShowOnCalendar plan={shown.current} />} />;
};

/** Of proposals that the same words made, only the first shows how these were read. */
const readingsOf = (commands: readonly Command[], n: number): PromptReading[] => {
  const [before, own] = [commands[n - 1]?.reading, commands[n]?.reading];
  return own && JSON.stringify(own) !== JSON.stringify(before) ? [own] : [];
};

const hasCard = ({ status }: Plan): boolean => status !== 'rejected';
/**
 * The reply without the line of each plan that has a card, or of which its first sentence says the same, and without the choices, which
 * are buttons. The planner writes them (agent/prompt/reply.ts).
 */
export const beside = ({ reply, plans, choices }: ChatResponse): string => {
  const offered = new Set(choices.map(({ label }, n) => `${n + 1}. ${label}`));
  const lines = reply.split('\n').filter((line) => !offered.has(line));
  for (const { title } of plans.filter((plan) => hasCard(plan) || isWithdrawn(plan))) {
    const at = lines.findIndex((line) => line.startsWith(`• ${title}`) || line === `• cancel ${title}`);
    if (at >= 0) lines.splice(at, 1);
  }
  return lines.join('\n');
};

export const Answer = ({ exchange, answer }: { exchange: Exchange; answer: ChatResponse }) => {
  const { prompt } = exchange;
  const { literal = [] } = exchange.how;
  const isLast = !busy.value && exchange.id === exchanges.value.at(-1)?.id;
  const canRead = isLast && isAsMade(answer);
  const onRead = canRead ? (other: Stretch[]) => void readOtherwise(exchange, other) : undefined;
  const { plans, commands, questions, choices, events, warnings } = answer;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="quiet">
          <Foreign>{warning}</Foreign>
        </p>
      ))}
      {isLast && isUnread(answer) && (
        <p>
          <button type="button" onClick={() => void readAgain(exchange)}>
            Send it again
          </button>
        </p>
      )}
      {choices.length > 0 && (
        <p class="choices" role="group" aria-label="Choices">
          {choices.map(({ label }) => (
            <button
              key={label}
              type="button"
              disabled={busy.value}
              onClick={() => void ask(label, { in_reply_to: replyOf(answer) })}
            >
              <Foreign>{label}</Foreign>
            </button>
          ))}
        </p>
      )}
      {!plans.length && <ReadAs of={prompt} readings={[]} literal={literal} onRead={onRead} />}
      {questions.map((question, n) => (
        <Asked key={n} question={question} />
      ))}
      {events.length > 0 && (
        <ul class="found" aria-label="On the calendar">
          {events.map(({ uid, recurrence_id, title, scheduled_for }) => (
            <li key={`${uid} ${recurrence_id ?? ''}`}>
              <button type="button" onClick={() => showDay(wallOf(scheduled_for).date)}>
                {momentOf(scheduled_for)} <Foreign>{title}</Foreign>
              </button>
            </li>
          ))}
        </ul>
      )}
      {plans.map(
        (plan, n) =>
          !isWithdrawn(plan) && (
            <section key={plan.uid}>
              <Understood command={commands[n]} besideCard={hasCard(plan)} />
              <ReadAs of={prompt} readings={readingsOf(commands, n)} literal={n ? [] : literal} onRead={onRead} />
              {hasCard(plan) && <Proposal uid={plan.uid} within={answer} />}
            </section>
          ),
      )}
    </>
  );
};
