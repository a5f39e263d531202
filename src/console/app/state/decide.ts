/** Decisions of the person. Each is bound to the version that the page showed, which they could read, and can be taken back. */
import { batch, signal } from '@preact/signals';
import type { DecisionResult, Plan } from '../../../client/almanac-client.ts';
import { waiting } from './data.ts';
import { touchAll } from './live.ts';
import { attempt, complain, say, settle } from './messages.ts';
import { problemText } from './sentence.ts';
import { repeats, startText } from './series.ts';
import { client } from './service.ts';
import { wasShown, type Place } from './shown.ts';
import { takeAllBack, takeBack } from './undo.ts';
import { clockText, wallMoment, wallText, type Wall } from './wall-time.ts';

export type Decision = 'approve' | 'reject';
const NOT_DONE: Record<Decision, string> = { approve: 'Not approved', reject: 'Not rejected' };

type Under = { isDone: boolean };

/** Plans whose decision is under way, or has just been made: they are no longer shown as waiting. */
export const deciding = signal<ReadonlyMap<string, Under>>(new Map());

/** Until the next read, which shows the new state itself. */
const SETTLING_MS = 1_000;

/** '“Run” and 3 more.' */
const allOf = ([first, ...others]: readonly Plan[]): string =>
  `“${first?.title ?? ''}”${others.length ? ` and ${others.length} more` : ''}.`;

/** The largest number of titles that a sentence names. */
const MOST_NAMED = 3;
/** `“A”`, `“A” and “B”`, `“A”, “B”, “C” and 2 more`. */
export const quoted = (titles: readonly string[]): string => {
  const rest = titles.length - MOST_NAMED;
  const names = titles.slice(0, MOST_NAMED).map((title) => `“${title}”`);
  const last = rest > 0 ? `${rest} more` : names.pop();
  return names.length ? `${names.join(', ')} and ${last}` : `${last}`;
};

type Outcome = {
  /** Whether there was an answer. */
  worked: boolean;
  /** The uids of those that could not be decided on, each for its own reason. */
  refused: ReadonlySet<string>;
};

/** @param work answers the uids that were refused */
const during = async (
  decision: Decision,
  plans: readonly Plan[],
  work: () => Promise<Iterable<string> | void>,
): Promise<Outcome> => {
  const uids = plans.map(({ uid }) => uid);
  const mark = (marked: readonly string[], under: Under): void => {
    deciding.value = new Map([...deciding.value, ...marked.map((uid) => [uid, under] as const)]);
  };
  const forget = (last: Under): void => {
    deciding.value = new Map([...deciding.value].filter(([, under]) => under !== last));
  };
  mark(uids, { isDone: false });
  const refused = new Set<string>();
  const worked = await attempt(
    async () => {
      for (const uid of (await work()) ?? []) refused.add(uid);
    },
    `${NOT_DONE[decision]}: ${allOf(plans)}`,
    uids,
  );
  // The answer may be newer than the last change that arrived.
  touchAll();
  const done = worked ? uids.filter((uid) => !refused.has(uid)) : [];
  settle(done);
  const decided: Under = { isDone: true };
  const open: Under = { isDone: false };
  batch(() => {
    mark(done, decided);
    mark(
      uids.filter((uid) => !done.includes(uid)),
      open,
    );
  });
  setTimeout(() => forget(decided), SETTLING_MS);
  setTimeout(() => forget(open), 0);
  return { worked, refused };
};

export type Edits = { title?: string; at?: Wall; duration_minutes?: number };

const editsOf = ({ title, at, duration_minutes }: Edits) => ({
  ...(title === undefined ? {} : { title }),
  ...(at === undefined ? {} : { scheduled_for: wallText(at) }),
  ...(duration_minutes === undefined ? {} : { duration_minutes }),
});

/** Both plans of a swap are decided on together, so both are bound to the version that was shown. */
const partnerOf = ({ swaps_with }: Plan): Plan | undefined =>
  swaps_with === null ? undefined : waiting.data.value?.find(({ uid }) => uid === swaps_with);

/**
 * Whether the person could read all of these, with what they say now. What has just appeared or changed is not decided on: the
 * key or the click was meant for what was there before.
 */
const wereRead = (place: Place, plans: readonly Plan[]): boolean => {
  const unread = plans.find((plan) => !wasShown(place, plan));
  if (unread) complain(`“${unread.title}” has only just appeared or changed. Read it, then decide.`, [unread.uid]);
  return !unread;
};

export type Given = { place?: Place; note?: string | undefined };

type Approving = Pick<Given, 'note'> & { edits?: Edits };

/** The approval of a plan as it is shown, also for asking what it would answer. */
const approvalOf = (plan: Plan, { note, edits = {} }: Approving) => {
  const changes = editsOf(edits);
  const partner = partnerOf(plan);
  return {
    uid: plan.uid,
    expected_version: plan.version,
    ...(partner ? { expected_versions: { [partner.uid]: partner.version } } : {}),
    ...(note ? { note } : {}),
    ...(Object.keys(changes).length ? { edits: changes } : {}),
  };
};

/** What an approval would answer now. Nothing is decided. @throws what it would be refused with */
export const tryApproval = (plan: Plan, edits: Edits): Promise<Plan> =>
  client.agent.approve({ ...approvalOf(plan, { edits }), simulate: true });

/** Of these the page learns by itself, because the plan has changed. */
const OF_VERSIONS: readonly string[] = ['version_mismatch', 'precondition_required', 'illegal_transition'];
export const isOfVersions = ({ code }: { code: string }): boolean => OF_VERSIONS.includes(code);

/** What the calendar, a limit or another rule has against an approval. */
export const isRefusal = (problem: { code: string; status: number }): boolean =>
  problem.status === 409 && !isOfVersions(problem);

/** What the approval of each of several would answer now, each by itself. Nothing is decided. */
export const tryApprovals = (asked: readonly Plan[]): Promise<DecisionResult[]> => {
  const plans = asked.flatMap((plan) => [plan, partnerOf(plan) ?? []].flat());
  const uids = plans.map(({ uid }) => uid);
  const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
  return client.agent.approve({ uids, expected_versions, simulate: true });
};

export const approve = async (
  plan: Plan,
  { place = 'card', note, edits = {} }: Given & Approving = {},
): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner && !Object.keys(editsOf(edits)).length) return decideAll([plan, partner], 'approve', { place, note });
  if (!wereRead(place, partner ? [plan, partner] : [plan])) return false;
  const { worked } = await during('approve', [plan], async () => {
    const approved = await client.agent.approve(approvalOf(plan, { note, edits }));
    // The person may have chosen the time by a number.
    const when = edits.at === undefined ? '' : `, ${startText(approved)}`;
    say(`Approved: ${approved.title}${when}`, () => takeBack(approved));
  });
  return worked;
};

export const reject = async (plan: Plan, { place = 'card', note }: Given = {}): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner) return decideAll([plan, partner], 'reject', { place, note });
  if (!wereRead(place, [plan])) return false;
  const { worked } = await during('reject', [plan], async () => {
    const rejected = await client.agent.reject({
      uid: plan.uid,
      expected_version: plan.version,
      ...(note ? { note } : {}),
    });
    say(`Rejected: ${plan.title}`, () => takeBack(rejected));
  });
  return worked;
};

/** The largest number of reasons in a message. */
const MOST_REASONS = 3;

/** Each reason once, with the titles that it concerns. */
const refusalText = (decision: Decision, plans: readonly Plan[], details: ReadonlyMap<string, object>): string => {
  const byReason = new Map<string, string[]>();
  for (const { uid, title } of plans) {
    const why = problemText(details.get(uid) ?? {});
    byReason.set(why, [...(byReason.get(why) ?? []), title]);
  }
  const told = [...byReason].slice(0, MOST_REASONS);
  const rest = plans.length - told.flatMap(([, titles]) => titles).length;
  const sentences = told.map(([why, titles]) => `${NOT_DONE[decision]}: ${quoted(titles)}. ${why}`);
  return [...sentences, ...(rest ? [`And ${rest} more.`] : [])].join(' ');
};

/** Decides several. Each is decided by itself, and the message says what could not be. */
export const decideEach = async (
  plans: readonly Plan[],
  decision: Decision,
  { place = 'card', note }: Given = {},
): Promise<Outcome> => {
  if (!wereRead(place, plans)) return { worked: false, refused: new Set() };
  return during(decision, plans, async () => {
    const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
    const given = { uids: plans.map(({ uid }) => uid), expected_versions, ...(note ? { note } : {}) };
    const results = await (decision === 'approve' ? client.agent.approve(given) : client.agent.reject(given));
    const details = new Map(results.flatMap(({ uid, problem }) => (problem ? [[uid, problem]] : [])));
    const refused = plans.filter(({ uid }) => details.has(uid));
    const decided = results.flatMap(({ plan }) => plan ?? []);
    if (decided.length)
      say(`${decision === 'approve' ? 'Approved' : 'Rejected'}: ${allOf(decided)}`, () => takeAllBack(decided));
    if (refused.length) complain(refusalText(decision, refused, details), [...details.keys()]);
    return details.keys();
  });
};

/** @returns whether there was an answer */
export const decideAll = async (plans: readonly Plan[], decision: Decision, given: Given = {}): Promise<boolean> =>
  (await decideEach(plans, decision, given)).worked;

/** Proposes another time without deciding. */
export const moveProposal = async (plan: Plan, at: Wall, duration_minutes: number | undefined): Promise<boolean> => {
  const isMoved = await attempt(async () => {
    const { uid } = plan;
    const moved = await client.memory.edit(
      { uid, updates: { scheduled_for: wallText(at), ...(duration_minutes ? { duration_minutes } : {}) } },
      { ifMatch: plan.version },
    );
    const before = { scheduled_for: plan.scheduled_for, duration_minutes: plan.duration_minutes };
    say(`Moved: ${plan.title}, ${repeats(plan) ? clockText(at.minutes) : wallMoment(at)}`, () =>
      client.memory.edit({ uid, updates: before }, { ifMatch: moved.version }).finally(touchAll),
    );
  }, `Not moved: “${plan.title}”.`);
  touchAll();
  return isMoved;
};
