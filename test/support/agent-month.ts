/**
 * A month of a person and an agent: notes, preferences, plans with every end they can have, corrections, chat. With it come the
 * facts that a reader of the month needs, and the readings that would be false.
 */
import assert from 'node:assert';
import { aKey, aUser, type Client, type TestApp, type TestUser } from './app.ts';

/** A fact that one line of an export must tell: all of its patterns match that line. */
export type Fact = { what: string; told: RegExp[] };

/** A line that names this plan must have said before what became of it, or that it is about feedback on it. */
export type Ended = { title: string; marker: RegExp };

/** What was true before an edit. No line may have all of these patterns. */
export type Outdated = RegExp[];

export type Month = { user: TestUser; facts: Fact[]; ended: Ended[]; outdated: Outdated[] };

const DAYS = 28;
const START = Temporal.ZonedDateTime.from('2026-11-02T08:00[Europe/Berlin]');

/** What people and agents write down, of which most matters little. */
const SMALL_TALK = [
  'The train was ten minutes late again.',
  'Lunch in the canteen was fine, the soup too salty.',
  'Good talk with the neighbours in the stairwell.',
  'The printer on the second floor is out of toner.',
  'Walked home through the park, it was cold.',
  'Watched the second part of the series about the sea.',
  'The new coffee machine is loud but quick.',
];

const NOTES: [day: number, who: 'user' | 'agent', content: string, told: RegExp[]][] = [
  [1, 'user', 'I never want calls before 9:30, I bring Mia to school then.', [/calls before 9:30/]],
  [2, 'user', 'The landlord agreed to return the deposit of 1,450 euros by 31 January.', [/deposit of 1,450/]],
  [4, 'agent', 'Ada prefers trains to flights below six hours.', [/trains to flights/]],
  [8, 'user', 'We decided to paint the kitchen light grey and to keep the old tiles.', [/light grey/]],
  [11, 'agent', 'The supplier of the frames is Holz & Glas in Leipzig, contact Mr Brandt.', [/Brandt/]],
  [15, 'user', 'Lena is allergic to hazelnuts.', [/hazelnuts/]],
  [19, 'user', 'The passport expires on 14 March 2027, so renew it in February.', [/passport expires on 14 March/]],
  [23, 'agent', 'Invoices of the studio go to Mrs Okafor, not to the front desk.', [/Okafor/]],
];

type Proposal = { title: string; day: number; at: string; content: string; action_type?: string; target?: string };

export const aMonth = async (app: TestApp): Promise<Month> => {
  app.clock.set(instant(0));
  const user = await aUser(app);
  const person = await aKey(app, user, 'user');
  const agent = await aKey(app, user, 'agent');
  const facts: Fact[] = [];
  const ended: Ended[] = [];
  const outdated: Outdated[] = [];
  const uids = new Map<string, string>();

  const note = async (by: Client, content: string, more: object = {}): Promise<void> => {
    await by.post('/memory/push', { traces: [{ type: 'observation', content, ...more }] }).expect(201);
  };
  const propose = async ({ title, day, at, content }: Proposal): Promise<string> => {
    const plan = { type: 'agent_plan', action_type: 'schedule', title, content, duration_minutes: 45 };
    const scheduled_for = `${START.add({ days: day }).toPlainDate().toString()}T${at}`;
    const { body } = await agent.post('/memory/push', { traces: [{ ...plan, scheduled_for }] }).expect(201);
    uids.set(title, body[0].uid);
    return body[0].uid;
  };
  const events = async (title: string): Promise<{ uid: string }> => {
    const { body } = await person.get('/calendar/events?limit=1000').expect(200);
    return body.find((event: { title: string }) => event.title === title);
  };

  const story: Record<number, () => Promise<void>> = {
    1: async () => {
      const uid = await propose({
        title: 'Dentist checkup',
        day: 3,
        at: '11:00',
        content: 'Dr. Weber has a free hour on Thursday.',
      });
      await person.post('/agent/reject', { uid, note: 'I go only after Christmas' }).expect(200);
      facts.push({ what: 'rejected, and why', told: [/rejected/i, /Dentist checkup/, /only after Christmas/] });
      ended.push({ title: 'Dentist checkup', marker: /rejected/i });
    },
    2: async () => {
      const uid = await propose({
        title: 'Frame fitting',
        day: 9,
        at: '14:00',
        content: 'Fit the frames with Mr Brandt in Leipzig.',
      });
      await person.post('/agent/approve', { uid }).expect(200);
      facts.push({ what: 'done', told: [/done|executed/i, /Frame fitting/, /11-11/] });
    },
    5: async () => {
      const uid = await propose({
        title: 'Budget review with Tom',
        day: 8,
        at: '10:00',
        content: 'The numbers of October are there.',
      });
      await person
        .post('/agent/approve', {
          uid,
          edits: { scheduled_for: `${START.add({ days: 10 }).toPlainDate().toString()}T15:00` },
        })
        .expect(200);
      facts.push({ what: 'edited when approved', told: [/done|executed/i, /Budget review with Tom/, /11-12 15:00/] });
      outdated.push([/Budget review with Tom/, /11-10 10:00/]);
    },
    6: async () => {
      const uid = await propose({ title: 'Team offsite', day: 20, at: '09:30', content: 'A day at the lake house.' });
      await person.post('/agent/approve', { uid }).expect(200);
    },
    7: async () => {
      const uid = await propose({
        title: 'Call the insurance',
        day: 12,
        at: '10:00',
        content: 'The claim of the broken window.',
      });
      await agent.post('/agent/feedback', { uid, notes: 'They answer only on Mondays' }).expect(200);
      await agent.post('/agent/withdraw', { uid, note: 'They have answered by letter' }).expect(200);
      facts.push({ what: 'withdrawn', told: [/withdrawn|rejected/i, /Call the insurance/, /by letter/] });
      ended.push({ title: 'Call the insurance', marker: /withdrawn|rejected|^Feedback on plan/i });
    },
    9: async () => {
      await propose({
        title: 'Flight to Vienna',
        day: 14,
        at: '07:00',
        content: 'The cheapest flight of the week, 89 euros.',
      });
      facts.push({ what: 'expired without a decision', told: [/expired|rejected/i, /Flight to Vienna/] });
      ended.push({ title: 'Flight to Vienna', marker: /expired|rejected/i });
    },
    12: async () => {
      const event = await events('Team offsite');
      await person.delete(`/calendar/remove?uid=${event.uid}`).expect(200);
      facts.push({ what: 'cancelled by removing its event', told: [/cancelled/i, /Team offsite/] });
      ended.push({ title: 'Team offsite', marker: /cancelled|^Removed: /i });
    },
    14: async () => {
      const traces = [{ type: 'observation', content: 'The studio in Mill Lane opens at 8:15.' }];
      const { body } = await agent.post('/memory/push', { traces }).expect(201);
      const updates = { content: 'The studio in Mill Lane opens at 9:45.' };
      await person.patch('/memory/edit', { uid: body[0].uid, updates }).expect(200);
      facts.push({ what: 'a corrected note', told: [/studio in Mill Lane/, /9:45/] });
      outdated.push([/studio in Mill Lane/, /8:15/]);
    },
    16: async () => {
      const uid = await propose({
        title: 'Yoga at lunch',
        day: 18,
        at: '12:30',
        content: 'There is a free place in the course.',
      });
      await person.post('/agent/reject', { uid, note: 'No sports at lunch' }).expect(200);
      facts.push({ what: 'a second rejection', told: [/rejected/i, /Yoga at lunch/, /No sports at lunch/] });
      ended.push({ title: 'Yoga at lunch', marker: /rejected/i });
    },
    22: async () => {
      const uid = await propose({
        title: 'Parent evening',
        day: 30,
        at: '19:30',
        content: 'In the school hall, bring the form.',
      });
      await person.post('/agent/approve', { uid }).expect(200);
      facts.push({ what: 'done, still to come', told: [/done|executed|planned/i, /Parent evening/, /12-02 19:30/] });
    },
    26: async () => {
      await propose({
        title: 'Winter tyres',
        day: 31,
        at: '08:00',
        content: 'The garage in Mill Lane has a free place.',
      });
      facts.push({ what: 'waiting for a decision', told: [/proposed/i, /Winter tyres/, /12-03 08:00/] });
      await propose({ title: 'Walk with Petra', day: 32, at: '13:00', content: 'She asked twice.' });
      facts.push({ what: 'also waiting', told: [/proposed/i, /Walk with Petra/, /12-04 13:00/] });
    },
  };

  for (let day = 0; day < DAYS; day++) {
    app.clock.set(instant(day));
    await app.executor.round();
    await story[day]?.();
    for (const [on, who, content, told] of NOTES)
      if (on === day) {
        await note(who === 'user' ? person : agent, content);
        facts.push({ what: content, told });
      }
    for (const [i, by] of [person, agent].entries())
      await by
        .post('/memory/push', {
          traces: [0, 1, 2].map((n) => ({
            type: 'observation',
            content: SMALL_TALK[(day * 3 + 2 * n + i) % SMALL_TALK.length],
          })),
        })
        .expect(201);
    if (day % 3 === 0) await person.post('/chat/respond', { prompt: 'What is on my calendar tomorrow?' }).expect(200);
  }
  await app.executor.round();
  assert.ok(facts.length > 15);
  return { user: { ...user, ...person }, facts, ended, outdated };
};

const instant = (day: number): string => START.add({ days: day }).toInstant().toString({ smallestUnit: 'millisecond' });

type Line = { summary: string };

/**
 * The lines that name a plan which has ended and do not say so before, and those that tell what an edit has replaced. That an
 * event was created may be told only beside a line that says it has ended.
 */
export const falseReadings = (lines: Line[], { ended, outdated }: Pick<Month, 'ended' | 'outdated'>): string[] => {
  const texts = lines.map(({ summary }) => summary);
  const isOutdated = (text: string): boolean =>
    outdated.some((patterns) => patterns.every((pattern) => pattern.test(text)));
  const saysEnd = ({ title, marker }: Ended, text: string): boolean => {
    const [before, named] = text.split(title, 2);
    return named !== undefined && marker.test(before as string);
  };
  const isMisleading = (text: string): boolean =>
    ended.some(
      (plan) =>
        text.includes(plan.title) &&
        !saysEnd(plan, text) &&
        !(text.startsWith('Created: ') && texts.some((other) => saysEnd(plan, other))),
    );
  return texts.filter((text) => isOutdated(text) || isMisleading(text));
};

export const factsTold = (lines: Line[], { facts }: Pick<Month, 'facts'>): string[] =>
  facts
    .filter(({ told }) => lines.some(({ summary }) => told.every((pattern) => pattern.test(summary))))
    .map(({ what }) => what);
