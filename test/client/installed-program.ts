// A program as a user of the package writes it: an agent proposes, its person watches and decides.
import { AlmanacProblem, createClient, type Change } from 'almanac-client';

const { ALMANAC_URL: url = '', EMAIL: email = '', PASSWORD: password = '', AGENT_KEY: key = '' } = process.env;

const person = createClient({ url, credential: { email, password } });
const agent = createClient({ url, credential: key });

const { position } = await person.agent.changes();
const seen: Change[] = [];
const stop = new AbortController();
const watching = (async () => {
  for await (const change of person.changes({ after: position, signal: stop.signal })) {
    if (change.type === 'reset') throw new Error(change.reason);
    seen.push(change);
    if (change.type === 'plan.executed') return change.data.status;
  }
  return 'nothing';
})();

let saved = 0;
for (let i = 0; i < 30; i++) {
  const traces = [{ uid: `note-${i}`, type: 'observation', content: `Note ${i}`, task_id: 'paper' }];
  saved += (await agent.memory.push({ traces })).length;
}

const [plan] = await agent.agent.plan({
  actions: [{ action_type: 'schedule', title: 'Write', task_id: 'paper', duration_minutes: 60 }],
});
if (!plan) throw new Error('no plan');

const refused: unknown = await agent.agent.approve({ uid: plan.uid }).catch((error: unknown) => error);
const code = refused instanceof AlmanacProblem ? refused.code : 'none';

const approved = await person.agent.approve({ uid: plan.uid, note: 'Good hour.' });
const status = await watching;
stop.abort();

let pulled = 0;
for await (const trace of person.memory.pull({ task_id: 'paper', type: 'observation', limit: 7 }))
  if (trace.uid.startsWith('note-')) pulled++;

// A stream that breaks is not repeated by the client, because it was read in part.
const ask = async (): Promise<boolean> => {
  const stream = person.chat.respond({ prompt: 'What is on tomorrow?', stream: true }, { retryFor: 0 });
  let text = '';
  for await (const piece of stream) text += piece;
  return text !== '' && text === (await stream.final()).reply;
};
const streamed = await ask().catch(ask).catch(ask).catch(ask);

const order = seen.map(({ sequence }) => sequence);
const gaps = saved - seen.filter(({ type, subject }) => type === 'trace.created' && subject.startsWith('note-')).length;
const doubles = order.length - new Set(order).size;
const result = { node: process.version, saved, pulled, gaps, doubles, plan: status || approved.status, code, streamed };
process.stdout.write(JSON.stringify(result));
