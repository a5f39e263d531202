/** The conversation: a prompt, the reply as it is written, and the proposals and answers that belong to it. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChatResponse } from '../../../client/almanac-client.ts';
import { asOf, parameter } from '../state/address.ts';
import { waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { touchAll } from '../state/live.ts';
import { client, sentence } from '../state/service.ts';
import { momentOf } from '../state/wall-time.ts';
import { fieldsOf } from '../ui/fields.ts';
import { ProposalCard } from '../ui/proposal-card.tsx';
import { Foreign } from '../ui/text.tsx';

type Exchange = { id: number; prompt: string; reply: string; answer?: ChatResponse; fault?: string };

/** The exchanges of this visit. The service keeps all of them as traces. */
const exchanges = signal<Exchange[]>([]);
const busy = signal(false);

const update = (id: number, part: Partial<Exchange>): void => {
  exchanges.value = exchanges.value.map((one) => (one.id === id ? { ...one, ...part } : one));
};

const ask = async (prompt: string): Promise<void> => {
  const id = exchanges.value.length;
  exchanges.value = [...exchanges.value, { id, prompt, reply: '' }];
  busy.value = true;
  try {
    const stream = client.chat.respond({ prompt, stream: true });
    let reply = '';
    for await (const piece of stream) update(id, { reply: (reply += piece) });
    const answer = await stream.final();
    update(id, { reply: answer.reply, answer });
    touchAll();
  } catch (error) {
    update(id, { fault: sentence(error) });
  }
  busy.value = false;
};

const EXAMPLES = [
  'Plan 90 minutes of deep work tomorrow morning',
  'Read for 30 minutes every weekday at 8',
  'What is on my calendar this week?',
];

/** A proposal as it is now: waiting, or decided meanwhile. */
const Proposal = ({ uid }: { uid: string }) => {
  const plan = deciding.value.has(uid) ? undefined : (waiting.data.value ?? []).find((one) => one.uid === uid);
  if (plan) return <ProposalCard plan={plan} />;
  return <p class="quiet">{waiting.data.value ? 'This proposal no longer waits.' : 'Loading…'}</p>;
};

const Answer = ({ answer: { plans, events, warnings } }: { answer: ChatResponse }) => (
  <>
    {warnings.map((warning) => (
      <p key={warning} class="quiet">
        <Foreign>{warning}</Foreign>
      </p>
    ))}
    {events.length > 0 && (
      <ul class="found">
        {events.map(({ uid, recurrence_id, title, scheduled_for }) => (
          <li key={`${uid} ${recurrence_id ?? ''}`}>
            {momentOf(scheduled_for)} <Foreign lines={1}>{title}</Foreign>
          </li>
        ))}
      </ul>
    )}
    {plans.map(({ uid, status, title, decision }) =>
      status === 'rejected' ? (
        <p key={uid} class="failure">
          <Foreign lines={2}>{title}</Foreign> <Foreign>{decision?.note ?? decision?.code ?? ''}</Foreign>
        </p>
      ) : (
        <Proposal key={uid} uid={uid} />
      ),
    )}
  </>
);

export const Chat = () => {
  const end = useRef<HTMLDivElement>(null);
  const { value: all } = exchanges;
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [all]);
  if (asOf.value !== undefined) return <p class="empty">There is no chat with the past. Go back to now to write.</p>;
  const onSubmit = (event: SubmitEvent): void => {
    const prompt = fieldsOf(event)('prompt').trim();
    if (!prompt || busy.value) return;
    (event.currentTarget as HTMLFormElement).reset();
    void ask(prompt);
  };
  return (
    <section class="chat">
      <h1>Chat</h1>
      {!all.length && (
        <div class="examples">
          <p>
            Say what you want to do. The answer is a proposal that waits for your decision. Nothing changes before it.
          </p>
          {EXAMPLES.map((example) => (
            <button key={example} type="button" onClick={() => void ask(example)}>
              {example}
            </button>
          ))}
        </div>
      )}
      <div class="exchanges" aria-live="polite">
        {all.map(({ id, prompt, reply, answer, fault }) => (
          <article key={id}>
            <p class="prompt">
              <Foreign>{prompt}</Foreign>
            </p>
            <p class="reply">{reply ? <Foreign>{reply}</Foreign> : fault === undefined ? '…' : ''}</p>
            {fault !== undefined && (
              <p class="failure" role="alert">
                {fault}
              </p>
            )}
            {answer && <Answer answer={answer} />}
          </article>
        ))}
        <div ref={end} />
      </div>
      <form onSubmit={onSubmit}>
        <label>
          Message
          <textarea
            name="prompt"
            rows={2}
            required
            maxLength={20_000}
            dir="auto"
            defaultValue={parameter('write') ?? ''}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <button type="submit" class="primary" disabled={busy.value}>
          Send
        </button>
      </form>
    </section>
  );
};
