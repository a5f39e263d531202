/** The conversation: a prompt, the reply as it is written, and what was understood and proposed; beside it the calendar. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { marked } from '../grid/blocks.ts';
import { asOf, change, parameter } from '../state/address.ts';
import { status } from '../state/data.ts';
import { say } from '../state/messages.ts';
import { isNarrow } from '../state/narrow.ts';
import type { Fields } from '../ui/fields.ts';
import { Form } from '../ui/form.tsx';
import { Foreign } from '../ui/text.tsx';
import { Answer, beside } from './answer.tsx';
import { Beside, isWide } from './beside.tsx';
import { ask, busy, exchanges, lastPlans, present, sendAgain } from './exchanges.ts';

const EXAMPLES = [
  'Plan 90 minutes of deep work tomorrow morning',
  'Read for 30 minutes every weekday at 8',
  'What is on my calendar this week?',
];

/** What reads the sentences. Its lines are kept free, so that nothing moves when the answer comes. */
const Reader = () => {
  const reader = status.data.value?.planner;
  return (
    <small class="reader">
      {reader &&
        (reader.model === null
          ? 'Sentences are read by the built-in planner, in English. See docs/models.md for language models.'
          : `Sentences are read by the language model ${reader.model}.`)}
    </small>
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
    <Reader />
  </div>
);

/** After this a person wonders whether anything happens. */
const SLOW_MS = 700;

/** In the place of a reply that has not come yet; models take their time. */
const Waits = () => {
  const isSlow = useSignal(false);
  useEffect(() => {
    const slow = setTimeout(() => (isSlow.value = true), SLOW_MS);
    return () => clearTimeout(slow);
  }, []);
  return isSlow.value ? (
    <span class="quiet">
      Almanac is reading this. You can type the next message meanwhile, and send it when the answer is there.
    </span>
  ) : (
    <>…</>
  );
};

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
    if (busy.value) say('The answer to your last message comes first. What you have typed stays.');
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
          {all.map((exchange) => {
            const { id, prompt, reply, answer, fault } = exchange;
            return (
              <article key={id}>
                <p class="prompt">
                  <Foreign>{prompt}</Foreign>
                </p>
                <p class="reply">
                  {reply ? <Foreign>{answer ? beside(answer) : reply}</Foreign> : fault === undefined ? <Waits /> : ''}
                </p>
                {fault !== undefined && (
                  <p class="failure" role="alert">
                    {fault}{' '}
                    {id === all.at(-1)?.id && (
                      <button type="button" disabled={busy.value} onClick={() => void sendAgain(exchange)}>
                        Send it again
                      </button>
                    )}
                  </p>
                )}
                {answer && <Answer exchange={exchange} answer={answer} />}
              </article>
            );
          })}
        </div>
        <Composer />
      </section>
      {isWide.value && <Beside />}
    </div>
  );
};
