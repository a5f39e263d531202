/** Decisions of the person. Each is bound to the version that the page showed, which they could read, and can be taken back. */
import { batch, signal } from '@preact/signals';
import { AlmanacProblem, type DecisionResult, type Plan } from '../../../client/almanac-client.ts';
import { profile, waiting } from './data.ts';
import { inRequests } from './in-requests.ts';
import { readAgain, touchAll } from './live.ts';
import { attempt, complain, say, sayUndone, settle } from './messages.ts';
import { quoted } from './quoted.ts';
import { problemText, sentence } from './sentence.ts';
import { repeats, startText } from './series.ts';
import { client } from './service.ts';
import { configures, shownRows } from './settings.ts';
import { madeHere, rowsKey, wasKeyShown, wasShown, type Place } from './shown.ts';
import { takeAllBack, takeBack } from './undo.ts';
import { clockText, momentOf, wallOf, wallText, type Wall } from './wall-time.ts';

export type Decision = 'approve' | 'reject';
const NOT_DONE: Record<Decision, string> = { approve: 'Not approved', reject: 'Not rejected' };

type Under = { isDone: boolean };

/** Plans whose decision is under way, or has just been made: they are no longer shown as waiting. */
export const deciding = signal<ReadonlyMap<string, Under>>(new Map());

/** '“Run” and 3 more' */
const namesOf = ([first, ...others]: readonly Plan[]): string =>
  `“${first?.title ?? ''}”${others.length ? ` and ${others.length} more` : ''}`;
const allOf = (plans: readonly Plan[]): string => `${namesOf(plans)}.`;

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
  // The answer may be newer than the last change that arrived. The next read shows the new state itself.
  void readAgain(waiting).then(() => forget(decided));
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
export const partnerOf = ({ swaps_with }: Plan): Plan | undefined =>
  swaps_with === null ? undefined : waiting.data.value?.find(({ uid }) => uid === swaps_with);

/** Whether an approval of this would change settings that the page could not say: it says so. */
const lacksRows = (plan: Plan): boolean => {
  const lacks =
    configures(plan) && (shownRows.value === null || (!profile.data.value && profile.error.value !== undefined));
  if (lacks)
    complain(`“${plan.title}”: What it changes could not be loaded, so it can't be approved. Reload the page.`, [
      plan.uid,
    ]);
  return lacks;
};

/**
 * Whether the person could read all of these, with what they say now. What has just appeared or changed is not decided on: the
 * key or the click was meant for what was there before. An approval of settings waits for the rows that say what it changes; in
 * a card these are those of the first.
 */
export const wereRead = (place: Place, plans: readonly Plan[], decision?: Decision): boolean => {
  const isApproval = decision === 'approve';
  if (isApproval && plans.some(lacksRows)) return false;
  const areRowsRead = (plan: Plan): boolean =>
    !configures(plan) ||
    (place === 'card' && plan === plans[0]
      ? wasKeyShown(rowsKey(plan))
      : Boolean(shownRows.value && profile.data.value));
  const unread = plans.find((plan) => !wasShown(place, plan) || (isApproval && !areRowsRead(plan)));
  if (unread) complain(`“${unread.title}” has only just come up or changed. Read it, then decide.`, [unread.uid]);
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

/** Of these the page learns by itself, because the plan has changed. */
const OF_VERSIONS: readonly string[] = ['version_mismatch', 'precondition_required', 'illegal_transition'];
export const isOfVersions = ({ code }: { code: string }): boolean => OF_VERSIONS.includes(code);

/** What the calendar, a limit or another rule has against an approval. */
export const isRefusal = (problem: { code: string; status: number }): boolean =>
  (problem.status === 409 || problem.status === 422) && !isOfVersions(problem);

/** What the approval of each of several would answer now, each by itself. Nothing is decided. */
export const tryApprovals = (asked: readonly Plan[]): Promise<DecisionResult[]> => {
  const plans = asked.flatMap((plan) => [plan, partnerOf(plan) ?? []].flat());
  const uids = plans.map(({ uid }) => uid);
  const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
  return client.agent.approve({ uids, expected_versions, simulate: true });
};

/**
 * What an approval would answer now. Nothing is decided. Without edits it is asked as for several: the refusal is in an answer that
 * is a success, because a browser reports each other answer as a fault of the page.
 * @throws AlmanacProblem what it would be refused with
 */
export const tryApproval = async (plan: Plan, edits: Edits): Promise<Plan> => {
  if (Object.keys(editsOf(edits)).length)
    return client.agent.approve({ ...approvalOf(plan, { edits }), simulate: true });
  const result = (await tryApprovals([plan])).find(({ uid }) => uid === plan.uid);
  if (result?.plan) return result.plan;
  throw new AlmanacProblem((result?.problem ?? {}) as AlmanacProblem['problem']);
};

type Decide = (plan: { uid: string; expected_version: number }) => Promise<Plan>;

/** Decides on a plan at the version that is known of it. After it was taken back, the same can be done again. */
const decideOn = async (decide: Decide, { uid, version }: Plan, saidOf: (decided: Plan) => string): Promise<void> => {
  const decided = await decide({ uid, expected_version: version });
  const again = (back: Plan): Promise<void> => decideOn(decide, back, saidOf).finally(touchAll);
  say(saidOf(decided), () => takeBack(decided, again));
};

/** What an approval has left out of a series, because its time is taken. */
const withoutText = (shown: readonly Plan[], approved: readonly Plan[]): string => {
  const times = approved.flatMap(({ uid, exdates }) => {
    const before = shown.find((one) => one.uid === uid)?.exdates ?? [];
    return exdates.filter((one) => !before.includes(one));
  });
  const [first, ...others] = times;
  if (first === undefined) return '';
  return others.length
    ? `, without ${momentOf(first)} and ${others.length} more, because these times are taken`
    : `, without ${momentOf(first)}, because that time is taken`;
};

export const approve = async (
  plan: Plan,
  { place = 'card', note, edits = {} }: Given & Approving = {},
): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner && !Object.keys(editsOf(edits)).length) return decideAll([plan, partner], 'approve', { place, note });
  if (!wereRead(place, partner ? [plan, partner] : [plan], 'approve')) return false;
  // The person may have chosen the time by a number.
  const when = (approved: Plan): string => (edits.at === undefined ? '' : `, ${startText(approved)}`);
  const saidOf = (approved: Plan): string =>
    `Approved: ${approved.title}${when(approved)}${edits.at === undefined ? withoutText([plan], [approved]) : ''}`;
  const decide: Decide = (of) => client.agent.approve({ ...approvalOf(plan, { note, edits }), ...of });
  const { worked } = await during('approve', [plan], () => decideOn(decide, plan, saidOf));
  return worked;
};

export const reject = async (plan: Plan, { place = 'card', note }: Given = {}): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner) return decideAll([plan, partner], 'reject', { place, note });
  if (!wereRead(place, [plan])) return false;
  const decide: Decide = (of) => client.agent.reject({ ...of, ...(note ? { note } : {}) });
  const { worked } = await during('reject', [plan], () => decideOn(decide, plan, ({ title }) => `Rejected: ${title}`));
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

/**
 * Each is decided by itself, and the message says what could not be. After they were taken back, the same can be done again.
 * @returns the uids of those that were refused
 */
const decideOnEach = async (
  decision: Decision,
  plans: readonly Plan[],
  note: string | undefined,
): Promise<Iterable<string>> => {
  const { answers, failure } = await inRequests(plans, (some) => {
    const expected_versions = Object.fromEntries(some.map(({ uid, version }) => [uid, version]));
    const given = { uids: some.map(({ uid }) => uid), expected_versions, ...(note ? { note } : {}) };
    return decision === 'approve' ? client.agent.approve(given) : client.agent.reject(given);
  });
  const details = new Map(answers.flatMap(({ uid, problem }) => (problem ? [[uid, problem]] : [])));
  const refused = plans.filter(({ uid }) => details.has(uid));
  const decided = answers.flatMap(({ plan }) => plan ?? []);
  const again = (back: readonly Plan[]): Promise<unknown> => decideOnEach(decision, back, note).finally(touchAll);
  const without = decision === 'approve' ? withoutText(plans, decided) : '';
  const deed = decision === 'approve' ? 'Approved' : 'Rejected';
  if (decided.length) say(`${deed}: ${namesOf(decided)}${without}.`, () => takeAllBack(decided, again));
  if (refused.length) complain(refusalText(decision, refused, details), [...details.keys()]);
  if (failure === undefined) return details.keys();
  const answered = new Set(answers.map(({ uid }) => uid));
  const left = plans.filter(({ uid }) => !answered.has(uid));
  const uids = left.map(({ uid }) => uid);
  complain(`${NOT_DONE[decision]}: ${allOf(left)} ${sentence(failure)}`, uids);
  return [...details.keys(), ...uids];
};

/** Decides several, also more than one request may name: that is one decision, which is taken back as one. */
export const decideEach = async (
  plans: readonly Plan[],
  decision: Decision,
  { place = 'card', note }: Given = {},
): Promise<Outcome> => {
  if (!wereRead(place, plans, decision)) return { worked: false, refused: new Set() };
  return during(decision, plans, () => decideOnEach(decision, plans, note));
};

/** @returns whether there was an answer */
export const decideAll = async (plans: readonly Plan[], decision: Decision, given: Given = {}): Promise<boolean> =>
  (await decideEach(plans, decision, given)).worked;

type Saved = { title?: string; scheduled_for?: string | null; duration_minutes?: number | null };

const timeText = (plan: Plan): string =>
  repeats(plan) ? clockText(wallOf(plan.scheduled_for as string).minutes) : startText(plan);

/** Changes a proposal, or changes it back. Each can be undone by the other. */
const moveTo = async (plan: Plan, updates: Saved, isBack = false): Promise<void> => {
  const { uid, version, title, scheduled_for, duration_minutes } = plan;
  const edited: unknown = await client.memory.edit({ uid, updates }, { ifMatch: version }).finally(touchAll);
  const moved = edited as Plan;
  madeHere([moved]);
  const isMoved = 'scheduled_for' in updates;
  const before: Saved = {
    ...('title' in updates ? { title } : {}),
    ...(isMoved ? { scheduled_for } : {}),
    ...(isMoved || 'duration_minutes' in updates ? { duration_minutes } : {}),
  };
  const goBack = (): Promise<void> => moveTo(moved, before, !isBack);
  if (!isMoved || 'title' in updates) {
    if (isBack) sayUndone(`Taken back: the proposal ${moved.title} is as before.`, goBack);
    else say(`Saved, not decided: ${moved.title}`, goBack);
    return;
  }
  if (isBack) sayUndone(`Taken back: ${moved.title} is proposed for ${timeText(moved)} again.`, goBack);
  else say(`Moved: ${moved.title}, ${timeText(moved)}`, goBack);
};

/** Proposes another time without deciding. */
export const moveProposal = (plan: Plan, at: Wall, duration_minutes: number | undefined): Promise<boolean> =>
  attempt(
    () => moveTo(plan, { scheduled_for: wallText(at), ...(duration_minutes ? { duration_minutes } : {}) }),
    `Not moved: “${plan.title}”.`,
  );

/** Keeps what was changed in a proposal without deciding. */
export const saveProposal = (plan: Plan, edits: Edits): Promise<boolean> => {
  const updates = editsOf(edits);
  if (!Object.keys(updates).length) return Promise.resolve(true);
  return attempt(() => moveTo(plan, updates), `Not saved: “${plan.title}”.`);
};
