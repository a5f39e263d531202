/** What several screens show: the profile, the waiting proposals, the limits, and who proposes. */
import { computed, effect, signal } from '@preact/signals';
import type { CalendarSource, Occurrence, Plan, QueuedPlan } from '../../../client/almanac-client.ts';
import { asOf, screen } from './address.ts';
import { resource } from './resource.ts';
import { loadSeries, repeats } from './series.ts';
import { client, pastClient, who } from './service.ts';
import { loadRowsFor } from './settings.ts';
import { zone } from './wall-time.ts';

export const profile = resource(
  () => ({}),
  ['profile'],
  (given) => client.user.profile(given),
);
effect(() => {
  // The answer of signing in tells it too, and comes sooner.
  const person = profile.data.value ?? (who.value.is === 'person' ? who.value.user : undefined);
  if (person) zone.value = person.timezone;
});

export const status = resource(
  () => ({}),
  ['plans', 'profile'],
  (given) => client.agent.status(given),
);

/** A page shows this many at most; the number of all is in `status`. */
export const MOST_SHOWN = 500;

export type Waiting = Plan & Partial<Pick<QueuedPlan, 'conflicts' | 'conflicts_count' | 'proposer'>>;

const readWaiting = async (as_of: string | undefined): Promise<Waiting[]> => {
  if (as_of === undefined) return (await client.agent.queue({ limit: MOST_SHOWN }).page()).items;
  const { items } = await pastClient.memory
    .pull({ type: 'agent_plan', status: 'proposed', as_of, limit: MOST_SHOWN })
    .page();
  // The queue is soonest first; what was pulled from memory is newest first.
  return (items as Waiting[]).toSorted((a, b) => (a.scheduled_for ?? '~').localeCompare(b.scheduled_for ?? '~'));
};

/** The proposals that wait, or that waited at the moment of the time machine. */
export const waiting = resource<{ as_of: string | undefined }, Waiting[]>(
  () => ({ as_of: asOf.value }),
  ['plans'],
  async ({ as_of }) => {
    const plans = await readWaiting(as_of);
    // What is read for a decision does not change a moment later.
    if (plans.some(repeats)) await loadSeries();
    await loadRowsFor(plans);
    return plans;
  },
);

/** How many waiting proposals are not in `waiting`, because they are later than those. */
export const notShown = computed(() =>
  asOf.value === undefined && (waiting.data.value?.length ?? 0) >= MOST_SHOWN
    ? Math.max(0, (status.data.value?.queue.proposed ?? 0) - MOST_SHOWN)
    : 0,
);

/** The agents of this person, with the labels of their keys and the counts of their plans. */
export const agents = resource(
  () => ({}),
  ['plans', 'profile'],
  (given) => client.agent.activity(given).all(),
);
/** All keys, also revoked ones. They are asked for where they are shown. */
export const keys = resource(
  () => (asOf.value !== undefined || ['agents', 'ledger'].includes(screen.value) ? {} : null),
  ['profile'],
  (given) => client.user.keys(given).all(),
);
const labels = computed(() => new Map((agents.data.value ?? []).map(({ agent }) => [agent.id, agent.label])));

/** The name of an actor as the ledger writes it: `user:session`, `agent:<key id>`, `system:<part>`. */
export const actorName = (actor: string): string => {
  const [kind, id = ''] = actor.split(':');
  if (kind === 'user') return 'you';
  return kind === 'agent' ? (labels.value.get(id) ?? `Agent ${id.slice(0, 8)}`) : 'the service';
};

/** Who proposed a plan, for choosing: the person is one, however they were signed in. */
export const proposerId = ({ proposed_by, origin }: Plan): string => (origin === 'user' ? 'user' : proposed_by);

/** The name of whoever proposed a plan. */
export const proposerOf = ({ proposed_by, origin, proposer }: Waiting): string => {
  if (origin === 'user') return 'You';
  return proposer?.label ?? actorName(proposed_by);
};

/** Whether the calendar shows an event of a calendar elsewhere. */
export const showsForeign = signal(false);

/** The calendars elsewhere that are read here. */
export const sources = resource(
  () => (showsForeign.value || screen.value === 'agents' ? {} : null),
  ['profile', 'events'],
  (given) => client.sources.list(given).all(),
);
export const sourceOf = (event: Occurrence): CalendarSource | undefined =>
  event.source_uid === undefined ? undefined : sources.data.value?.find(({ id }) => id === event.source_uid);

/** The other waiting plans of the same request. */
const together = computed(() => {
  const groups = new Map<string, Waiting[]>();
  for (const plan of waiting.data.value ?? [])
    if (plan.proposal_id !== null) groups.set(plan.proposal_id, [...(groups.get(plan.proposal_id) ?? []), plan]);
  return groups;
});
export const siblingsOf = ({ uid, proposal_id }: Plan): Waiting[] =>
  proposal_id === null ? [] : (together.value.get(proposal_id) ?? []).filter((one) => one.uid !== uid);

/** One of five colours, which stays the same. */
export const hueOfId = (id: string): number =>
  1 + (Array.from(id, (letter) => letter.charCodeAt(0)).reduce((sum, code) => sum + code, 0) % 5);

/** Each proposer has one of six colours. */
export const hueOf = (plan: Plan): number => (plan.origin === 'user' ? 0 : hueOfId(plan.proposed_by));
