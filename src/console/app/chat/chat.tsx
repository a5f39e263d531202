/** The conversation: a prompt, the reply as it is written, and what was understood and proposed; beside it the calendar. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatResponse, Plan } from '../../../client/almanac-client.ts';
import { marked } from '../grid/blocks.ts';
import { asOf, change, go, parameter } from '../state/address.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { keep, readKept } from '../state/kept.ts';
import { say } from '../state/messages.ts';
import { isNarrow } from '../state/narrow.ts';
import { touchAll } from '../state/live.ts';
import { isWithdrawn } from '../state/preview.ts';
import { sentence } from '../state/sentence.ts';
import { client, person } from '../state/service.ts';
import { firstStart } from '../state/series.ts';
import { takeAllBack, takeBack } from '../state/undo.ts';
import { momentOf, wallOf } from '../state/wall-time.ts';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { Foreign } from '../ui/text.tsx';
import { Beside, isWide, show } from './beside.tsx';
import { Asked, Understood } from './understood.tsx';

type Exchange = { id: number; prompt: string; reply: string; answer?: ChatResponse; fault?: string | undefined };

/** The last exchanges of the person in this tab. The service keeps all of them as traces. */
const exchanges = signal<Exchange[]>([]);
const busy = signal(false);
const MOST_KEPT = 20;

const LEFT = 'The page was left before the answer came. What was proposed is in the queue.';
const restored = (): Exchange[] =>
  ((readKept('chat') ?? []) as Exchange[]).map((one) => (one.answer ? one : { fault: LEFT, ...one }));

/** Another person who signs in has another conversation, and a reload shows the same. A new access token changes nothing. */
effect(() => {
  exchanges.value = person.value === undefined ? [] : untracked(restored);
  busy.value = false;
});
const keepExchanges = (): void => keep('chat', exchanges.value.slice(-MOST_KEPT));

const update = (id: number, part: Partial<Exchange>): void => {
  exchanges.value = exchanges.value.map((one) => (one.id === id ? { ...one, ...part } : one));
};

/** The plans of the last reply that has any. */
const lastPlans = computed(() => exchanges.value.findLast(({ answer }) => answer?.plans.length)?.answer?.plans ?? []);

const dateOf = (plan: Plan): string | undefined => {
  const start = firstStart(plan);
  return start === null ? undefined : wallOf(start).date;
};

/** Marks what the last reply proposed, and shows the day of the first. */
const present = (): void => {
  marked.value = new Set(lastPlans.value.map(({ uid }) => uid));
  const [first] = lastPlans.value.flatMap((plan) => dateOf(plan) ?? []).toSorted();
  if (first !== undefined) show(first);
};

/** The uid of a reply, by which the next prompt continues it; missing where the service keeps no chat. */
const replyOf = (answer: ChatResponse | undefined): string | undefined =>
  answer?.traces.find(({ metadata }) => metadata['role'] === 'reply')?.uid;

/** A sentence that only withdraws is taken back as what a button withdraws. */
const offerBack = ({ plans }: ChatResponse): void => {
  const [plan, ...others] = plans;
  if (!plan || !plans.every(isWithdrawn)) return;
  const what = others.length ? `${plans.length} proposals` : plan.title;
  say(`Withdrawn: ${what}`, () => (others.length ? takeAllBack(plans) : takeBack(plan)));
};

/** @param to the answer that the prompt continues */
const ask = async (prompt: string, to = exchanges.value.findLast(({ answer }) => answer)?.answer): Promise<void> => {
  const in_reply_to = replyOf(to);
  const asker = person.value;
  // An answer that comes when somebody else is signed in belongs to none of their prompts.
  const id = Date.now();
  exchanges.value = [...exchanges.value, { id, prompt, reply: '' }];
  busy.value = true;
  keepExchanges();
  try {
    const stream = client.chat.respond({ prompt, ...(in_reply_to === undefined ? {} : { in_reply_to }), stream: true });
    let reply = '';
    for await (const piece of stream) update(id, { reply: (reply += piece) });
    const answer = await stream.final();
    update(id, { reply: answer.reply, answer, fault: undefined });
    touchAll();
    offerBack(answer);
    if (answer.plans.length) present();
    else if (answer.events[0]) show(wallOf(answer.events[0].scheduled_for).date);
  } catch (error) {
    update(id, { fault: sentence(error) });
  }
  if (person.value !== asker) return;
  busy.value = false;
  keepExchanges();
};

const EXAMPLES = [
  'Plan 90 minutes of deep work tomorrow morning',
  'Read for 30 minutes every weekday at 8',
  'What is on my calendar this week?',
];

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

const hasCard = ({ status }: Plan): boolean => status !== 'rejected';
/**
 * The reply without the line of each plan that has a card, or of which its first sentence says the same, and without the choices, which
 * are buttons. The planner writes them (agent/prompt/reply.ts).
 */
const beside = ({ reply, plans, choices }: ChatResponse): string => {
  const offered = new Set(choices.map(({ label }, n) => `${n + 1}. ${label}`));
  const lines = reply.split('\n').filter((line) => !offered.has(line));
  for (const { title } of plans.filter((plan) => hasCard(plan) || isWithdrawn(plan))) {
    const at = lines.findIndex((line) => line.startsWith(`• ${title}`) || line === `• cancel ${title}`);
    if (at >= 0) lines.splice(at, 1);
  }
  return lines.join('\n');
};

const Answer = ({ answer }: { answer: ChatResponse }) => {
  const { plans, commands, questions, choices, events, warnings } = answer;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="quiet">
          <Foreign>{warning}</Foreign>
        </p>
      ))}
      {choices.length > 0 && (
        <p class="choices" role="group" aria-label="Choices">
          {choices.map(({ label }) => (
            <button key={label} type="button" disabled={busy.value} onClick={() => void ask(label, answer)}>
              <Foreign>{label}</Foreign>
            </button>
          ))}
        </p>
      )}
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
              {hasCard(plan) && <Proposal uid={plan.uid} within={answer} />}
            </section>
          ),
      )}
    </>
  );
};

const Examples = () => (
  <div class="examples">
    <p>Say what you want to do. The answer is a proposal that waits for your decision. Nothing changes before it.</p>
    {EXAMPLES.map((example) => (
      <button key={example} type="button" onClick={() => void ask(example)}>
        {example}
      </button>
    ))}
  </div>
);

const Composer = () => {
  const field = useRef<HTMLTextAreaElement>(null);
  const write = parameter('write');
  // A link fills the field once; from then on it is what the person has typed.
  useLayoutEffect(() => {
    if (write === undefined || !field.current) return;
    field.current.value = write;
    field.current.dispatchEvent(new Event('input', { bubbles: true }));
    change({ write: undefined }, true);
  }, [write]);
  // On a phone the focus would open the keyboard over the conversation.
  useLayoutEffect(() => {
    if (!isNarrow.value) field.current?.focus();
  }, []);
  const onSend = ({ text }: Fields): boolean => {
    const prompt = text('prompt').trim();
    if (!prompt || busy.value) return false;
    void ask(prompt);
    return true;
  };
  return (
    <Form draft="chat" onSend={onSend}>
      <label>
        Message
        <textarea
          ref={field}
          name="prompt"
          rows={2}
          required
          maxLength={20_000}
          dir="auto"
          data-takes-keys=""
          placeholder={lastPlans.value.length ? 'What comes next, or a correction: “make it 45 minutes”' : undefined}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <button type="submit" class={lastPlans.value.length ? undefined : 'primary'} disabled={busy.value}>
        Send
      </button>
    </Form>
  );
};

export const Chat = () => {
  const { value: all } = exchanges;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.lastElementChild?.scrollIntoView({ block: 'start' }), [all.length]);
  useEffect(() => {
    if (parameter('date') === undefined) present();
    return () => (marked.value = new Set());
  }, []);
  if (asOf.value !== undefined) return <p class="empty">There is no chat with the past. Go back to now to write.</p>;
  return (
    <div class="chat-and-calendar">
      <section class="chat">
        <h1>Chat</h1>
        {!all.length && <Examples />}
        <div class="exchanges" ref={list} aria-live="polite" tabIndex={0} role="log" aria-label="Conversation">
          {all.map(({ id, prompt, reply, answer, fault }) => (
            <article key={id}>
              <p class="prompt">
                <Foreign>{prompt}</Foreign>
              </p>
              <p class="reply">
                {reply ? <Foreign>{answer ? beside(answer) : reply}</Foreign> : fault === undefined ? '…' : ''}
              </p>
              {fault !== undefined && (
                <p class="failure" role="alert">
                  {fault}
                </p>
              )}
              {answer && <Answer answer={answer} />}
            </article>
          ))}
        </div>
        <Composer />
      </section>
      {isWide.value && <Beside />}
    </div>
  );
};
