/** Decisions of the person. Each is bound to the version that the page showed, which they could read, and can be taken back. */
import { signal } from '@preact/signals';
import type { Plan } from '../../../client/almanac-client.ts';
import { waiting } from './data.ts';
import { touchAll } from './live.ts';
import { attempt, complain, say } from './messages.ts';
import { inOwnTime } from './sentence.ts';
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

const notDone = (decision: Decision, plans: readonly Plan[]): string => `${NOT_DONE[decision]}: ${allOf(plans)}`;

const during = async (decision: Decision, plans: readonly Plan[], work: () => Promise<unknown>): Promise<boolean> => {
  const uids = plans.map(({ uid }) => uid);
  const mark = (under: Under): void => {
    deciding.value = new Map([...deciding.value, ...uids.map((uid) => [uid, under] as const)]);
  };
  mark({ isDone: false });
  const worked = await attempt(work, notDone(decision, plans));
  // The answer may be newer than the last change that arrived.
  touchAll();
  const last: Under = { isDone: worked };
  mark(last);
  const forget = (): void => {
    deciding.value = new Map([...deciding.value].filter(([, under]) => under !== last));
  };
  setTimeout(forget, worked ? SETTLING_MS : 0);
  return worked;
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
  if (unread) complain(`“${unread.title}” has only just appeared or changed. Read it, then decide.`);
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

export const approve = (plan: Plan, { place = 'card', note, edits = {} }: Given & Approving = {}): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner && !Object.keys(editsOf(edits)).length) return decideAll([plan, partner], 'approve', { place, note });
  if (!wereRead(place, partner ? [plan, partner] : [plan])) return Promise.resolve(false);
  return during('approve', [plan], async () => {
    const approved = await client.agent.approve(approvalOf(plan, { note, edits }));
    // The person may have chosen the time by a number.
    const when = edits.at === undefined ? '' : `, ${startText(approved)}`;
    say(`Approved: ${approved.title}${when}`, () => takeBack(approved));
  });
};

export const reject = (plan: Plan, { place = 'card', note }: Given = {}): Promise<boolean> => {
  const partner = partnerOf(plan);
  if (partner) return decideAll([plan, partner], 'reject', { place, note });
  if (!wereRead(place, [plan])) return Promise.resolve(false);
  return during('reject', [plan], async () => {
    const rejected = await client.agent.reject({
      uid: plan.uid,
      expected_version: plan.version,
      ...(note ? { note } : {}),
    });
    say(`Rejected: ${plan.title}`, () => takeBack(rejected));
  });
};

/** Decides several. Each is decided by itself, and the message says what could not be. */
export const decideAll = (
  plans: Plan[],
  decision: Decision,
  { place = 'card', note }: Given = {},
): Promise<boolean> => {
  if (!wereRead(place, plans)) return Promise.resolve(false);
  return during(decision, plans, async () => {
    const expected_versions = Object.fromEntries(plans.map(({ uid, version }) => [uid, version]));
    const given = { uids: plans.map(({ uid }) => uid), expected_versions, ...(note ? { note } : {}) };
    const results = await (decision === 'approve' ? client.agent.approve(given) : client.agent.reject(given));
    const details = new Map(results.flatMap(({ uid, problem }) => (problem ? [[uid, problem.detail]] : [])));
    const refused = plans.filter(({ uid }) => details.has(uid));
    const why = inOwnTime(details.get(refused[0]?.uid ?? '') ?? '');
    const decided = results.flatMap(({ plan }) => plan ?? []);
    if (decided.length)
      say(`${decision === 'approve' ? 'Approved' : 'Rejected'}: ${allOf(decided)}`, () => takeAllBack(decided));
    if (refused.length) complain(`${notDone(decision, refused)} ${why}`);
  });
};

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
