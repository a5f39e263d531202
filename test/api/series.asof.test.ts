/** The calendar as it was: random histories, each state listed again later exactly as it was listed then. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { list, type Event } from '../support/calendar.ts';
import { runs } from '../support/thoroughness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const WINDOW = 'start=2026-12-01&end=2026-12-31&limit=1000';
const DAYS = ['2026-11-20', '2026-12-01', '2026-12-14', '2026-12-31', '2027-02-01'];
const RULES = [null, 'FREQ=DAILY;COUNT=5', 'FREQ=WEEKLY', 'FREQ=MONTHLY;BYDAY=-1TH'];

type Step =
  | { do: 'create'; day: number; rule: number; length: number }
  | { do: 'move'; which: number; day: number; length: number }
  | { do: 'one'; which: number; nth: number; remove: boolean; scope: 'this' | 'following' }
  | { do: 'rule'; which: number; rule: number }
  | { do: 'remove'; which: number };

const nat = (max: number) => fc.integer({ min: 0, max });
const scope = fc.constantFrom('this' as const, 'following' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), day: nat(4), rule: nat(3), length: nat(2) }),
  fc.record({ do: fc.constant('move' as const), which: nat(9), day: nat(4), length: nat(2) }),
  fc.record({ do: fc.constant('one' as const), which: nat(9), nth: nat(3), remove: fc.boolean(), scope }),
  fc.record({ do: fc.constant('rule' as const), which: nat(9), rule: nat(3) }),
  fc.record({ do: fc.constant('remove' as const), which: nat(9) }),
);

const LENGTHS = [0.5, 26, 24 * 40].map((hours) => hours * 60);

const act = async (user: TestUser, uids: string[], one: Step): Promise<void> => {
  if (one.do === 'create') {
    const body = {
      title: `event ${uids.length}`,
      scheduled_for: `${DAYS[one.day]}T10:00`,
      duration_minutes: LENGTHS[one.length],
      rrule: RULES[one.rule],
    };
    uids.push((await user.post('/calendar/create', body).expect(201)).body.uid as string);
    return;
  }
  const uid = uids[one.which % Math.max(1, uids.length)];
  if (uid === undefined) return;
  if (one.do === 'remove') await user.delete(`/calendar/remove?uid=${uid}`);
  else if (one.do === 'rule') await user.patch('/calendar/edit', { uid, updates: { rrule: RULES[one.rule] } });
  else if (one.do === 'move') {
    const updates = { scheduled_for: `${DAYS[one.day]}T11:30`, duration_minutes: LENGTHS[one.length] };
    await user.patch('/calendar/edit', { uid, scope: 'all', updates });
  } else {
    const listed = await user.get(`/calendar/events?${WINDOW}`).expect(200);
    const found = (listed.body as Event[]).filter((event) => event.uid === uid && event.recurrence_id !== null);
    const id = found[one.nth % Math.max(1, found.length)]?.recurrence_id;
    if (!id) return;
    const { scope: which } = one;
    if (one.remove) await user.delete(`/calendar/remove?uid=${uid}&recurrence_id=${id}&scope=${which}`);
    else {
      const updates = { title: 'changed', tags: ['own'] };
      await user.patch('/calendar/edit', { uid, recurrence_id: id, scope: which, updates });
    }
  }
};

describe('as_of', () => {
  test('shows any state of a random history as it was, whole and page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const user = await aUser(app);
        const uids: string[] = [];
        const states: { seq: number; events: Event[] }[] = [];
        for (const one of steps) {
          await act(user, uids, one);
          const { body } = await user.get('/agent/changes').expect(200);
          states.push({ seq: body.seq as number, events: await list(user, WINDOW) });
        }
        for (const { seq, events } of states) {
          expect(await list(user, `${WINDOW}&as_of=${seq}`)).toEqual(events);
          const walked: Event[] = [];
          let next: string | undefined = `/calendar/events?start=2026-12-01&end=2026-12-31&limit=3&as_of=${seq}`;
          while (next) {
            const page: { body: Event[]; headers: Record<string, string> } = await user.get(next).expect(200);
            walked.push(...page.body);
            next = /<([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1];
          }
          expect(walked).toEqual(events);
        }
        expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
      }),
      { numRuns: runs(12) },
    );
  });
});
