/** The loop of an agent runtime: learn the context, propose, wait for the person's decision, learn what changed. */
import { createClient, type SummaryResult } from 'almanac-client';

const {
  ALMANAC_URL: url = 'http://127.0.0.1:8080',
  ALMANAC_KEY: credential = '',
  WATCH_SECONDS: watch = '10',
} = process.env;
const almanac = createClient({ url, credential });

/** Here a runtime asks its model; this one always wants to write. */
const think = async (context: SummaryResult[]) => ({
  action_type: 'schedule' as const,
  title: 'Write chapter three',
  task_id: 'thesis',
  duration_minutes: 90,
  reasoning: `It is the hard chapter (${context.length} notes say why).`,
});

// Who am I working for?
const { user_id, label, timezone } = await almanac.user.whoami();
console.log(`I am ${label}, working for ${user_id} in ${timezone}`);

// What is known, in at most 500 tokens?
const known = await almanac.memport.export({
  user_id,
  export_format: 'summary',
  task_id: 'thesis',
  max_token_count: 500,
});
for (const { timestamp, summary } of known.results) console.log(`- ${timestamp.slice(0, 10)} ${summary}`);

// Propose: Almanac finds the slot and checks the person's limits.
const [plan] = await almanac.agent.plan({ actions: [await think(known.results)] });
if (!plan) throw new Error('nothing was proposed');
console.log(`Proposed for ${plan.scheduled_for}: ${plan.title} (${plan.status})`);

// Wait for the decision, however long it takes and however often the connection breaks.
let decided = plan;
if (plan.status === 'proposed')
  for await (const change of almanac.changes({ after: plan.seq })) {
    if (change.type !== 'reset' && change.subject !== plan.uid) continue;
    decided = await almanac.agent.getPlan({ uid: plan.uid });
    if (decided.status === 'executed' || decided.status === 'rejected') break;
  }
console.log(`Decided: ${decided.status}, ${decided.decision?.note ?? decided.decision?.code ?? 'without a note'}`);

// A booked plan can still lose its time: an event of the person that takes it proposes the plan again, under another uid.
// An agent watches until its event begins; this one does for WATCH_SECONDS.
const signal = AbortSignal.timeout(Number(watch) * 1000);
let again = decided.decision?.successor_uids;
if (decided.status === 'executed' && !again)
  try {
    for await (const change of almanac.changes({ after: decided.seq, signal }))
      if (change.type === 'plan.displaced' && change.subject === plan.uid) {
        again = change.data.decision?.successor_uids;
        break;
      }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
if (again) console.log(`Lost its time, proposed again as ${again.join(', ')}`);

// What changed meanwhile?
const since = almanac.memport.results({ user_id, export_format: 'diff', from: String(known.as_of_seq) });
for await (const { op, uid } of since) console.log(`${op} ${uid === plan.uid ? 'the plan' : uid}`);
