/** The conversation of this tab: what was asked, what was answered, and a prompt that is read again. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { ChatResponse, Plan } from '../../../client/almanac-client.ts';
import { marked } from '../grid/blocks.ts';
import { status, waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { keep, readKept } from '../state/kept.ts';
import { touchAll } from '../state/live.ts';
import type { Stretch } from '../state/literal.ts';
import { complain, say } from '../state/messages.ts';
import { isNarrow } from '../state/narrow.ts';
import { isCorrection, isRefused, isWithdrawn } from '../state/preview.ts';
import { oneOfEach } from '../state/propose.ts';
import { quoted } from '../state/quoted.ts';
import { refusalsText, sentence } from '../state/sentence.ts';
import { firstStart } from '../state/series.ts';
import { client, person } from '../state/service.ts';
import { takeAllBack, takeBack } from '../state/undo.ts';
import { wallOf } from '../state/wall-time.ts';
import { show } from './beside.tsx';

type How = {
  /** The reply that the prompt continues. */
  in_reply_to?: string | undefined;
  /** The words of the prompt that are not read; missing where it is sent for the first time. */
  literal?: readonly Stretch[];
  /** Under the same one, the service answers the same request once. */
  idempotencyKey?: string;
};

export type Exchange = {
  id: number;
  prompt: string;
  how: How;
  reply: string;
  answer?: ChatResponse;
  fault?: string | undefined;
};

/** The last exchanges of the person in this tab. The service keeps all of them as traces. */
export const exchanges = signal<Exchange[]>([]);
export const busy = signal(false);
const MOST_KEPT = 20;

const LEFT = 'The page was left before the answer came. What was proposed is in the queue.';
/** An earlier release kept no `how`. */
const asKept = (one: Omit<Exchange, 'how'> & { how?: How }): Exchange => ({
  ...(!one.answer && { fault: LEFT }),
  ...one,
  how: one.how ?? {},
});
const restored = (): Exchange[] => ((readKept('chat') ?? []) as Exchange[]).map(asKept);

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
export const lastPlans = computed(
  () => exchanges.value.findLast(({ answer }) => answer?.plans.length)?.answer?.plans ?? [],
);

export const dateOf = (plan: Plan): string | undefined => {
  const start = firstStart(plan);
  return start === null ? undefined : wallOf(start).date;
};

/** Marks what the last reply proposed, and shows the day of the first. */
export const present = (): void => {
  marked.value = new Set(lastPlans.value.map(({ uid }) => uid));
  const [first] = lastPlans.value.flatMap((plan) => dateOf(plan) ?? []).toSorted();
  if (first !== undefined) show(first);
};

/** The uid of a reply, by which the next prompt continues it; missing where the service keeps no chat. */
export const replyOf = (answer: ChatResponse | undefined): string | undefined =>
  answer?.traces.find(({ metadata }) => metadata['role'] === 'reply')?.uid;

/** A sentence that only withdraws is taken back as what a button withdraws. */
const offerBack = ({ plans }: ChatResponse): void => {
  const [plan, ...others] = plans;
  if (!plan || !plans.every(isWithdrawn)) return;
  const what = others.length ? `${plans.length} proposals` : plan.title;
  say(`Withdrawn: ${what}`, () => (others.length ? takeAllBack(plans) : takeBack(plan)));
};

/** A pressed button goes or waits, so that its focus would be lost. On a phone the focus would open the keyboard over the conversation. */
const focusField = (): void => {
  if (!isNarrow.value) document.querySelector<HTMLElement>('.chat > form textarea')?.focus();
};

const lastAnswer = (all: readonly Exchange[]): ChatResponse | undefined => all.findLast(({ answer }) => answer)?.answer;

export const ask = async (
  prompt: string,
  given: How = { in_reply_to: replyOf(lastAnswer(exchanges.value)) },
): Promise<void> => {
  const how = { idempotencyKey: `chat-${Date.now()}-${Math.random()}`, ...given };
  const { in_reply_to, literal, idempotencyKey } = how;
  const asker = person.value;
  // An answer that comes when somebody else is signed in belongs to none of their prompts.
  const id = Date.now();
  exchanges.value = [...exchanges.value, { id, prompt, how, reply: '' }];
  busy.value = true;
  focusField();
  keepExchanges();
  try {
    const more = { ...(in_reply_to !== undefined && { in_reply_to }), ...(literal && { literal: [...literal] }) };
    const stream = client.chat.respond({ prompt, ...more, stream: true }, { idempotencyKey });
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

/** Whether the proposals of an answer are as it made them, so that the prompt can be read again in their place. */
export const isAsMade = ({ plans }: ChatResponse): boolean =>
  plans.every(
    (plan) =>
      isRefused(plan) ||
      (!isCorrection(plan) &&
        !deciding.value.has(plan.uid) &&
        (waiting.data.value ?? []).some(({ uid, version }) => uid === plan.uid && version === plan.version)),
  );

/** What came before a prompt was sent for the first time. Only the last one can be read again, so its readings follow each other. */
const beforeFirst = (id: number): Exchange[] => {
  const until = exchanges.value.filter((one) => one.id <= id);
  const first = until.findLastIndex(({ how }) => how.literal === undefined);
  return until.slice(0, Math.max(first, 0));
};

/** @returns whether all of them are withdrawn */
const withdrawn = async (plans: readonly Plan[]): Promise<boolean> => {
  if (!plans.length) return true;
  const uids = plans.map(({ uid }) => uid);
  const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
  const results = await client.agent.withdraw({ uids, expected_versions });
  const gone = results.flatMap(({ plan }) => plan ?? []);
  if (gone.length) say(`Withdrawn: ${quoted(gone.map(({ title }) => title))}`, () => takeAllBack(gone));
  const refused = refusalsText(results);
  if (refused !== undefined) complain(refused);
  return refused === undefined;
};

/** Has the prompt read with these words left out. The proposals that it made before are withdrawn. */
export const readOtherwise = async ({ id, prompt, answer }: Exchange, literal: readonly Stretch[]): Promise<void> => {
  if (busy.value) return;
  const asker = person.value;
  const plans = oneOfEach((answer?.plans ?? []).filter((plan) => !isRefused(plan)));
  busy.value = true;
  focusField();
  const isDone = await withdrawn(plans).catch((error: unknown) => {
    complain(`${sentence(error)} The queue shows whether the proposals are withdrawn.`);
    return false;
  });
  touchAll();
  // Somebody else may have signed in meanwhile.
  if (person.value !== asker) return;
  busy.value = false;
  if (isDone) await ask(prompt, { in_reply_to: replyOf(lastAnswer(beforeFirst(id))), literal });
};

/** Whether the language model failed to read a prompt, and nothing came of it. */
export const isUnread = ({ plans, questions, choices, planner }: ChatResponse): boolean =>
  plans.length + questions.length + choices.length === 0 &&
  planner.mode === 'built-in' &&
  typeof status.data.value?.planner.model === 'string';

/** Has a prompt read once more that the model failed to read. */
export const readAgain = ({ prompt, how: { in_reply_to, literal } }: Exchange): Promise<void> =>
  ask(prompt, { in_reply_to, ...(literal && { literal }) });

/** Sends a prompt that has no answer again. Where the service has answered it, it answers the same. */
export const sendAgain = async ({ id, prompt, how }: Exchange): Promise<void> => {
  if (busy.value) return;
  exchanges.value = exchanges.value.filter((one) => one.id !== id);
  await ask(prompt, how);
};
