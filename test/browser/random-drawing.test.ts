/**
 * Drawing, typing titles and removing at random, while an agent proposes (R19). Nothing is written that no hand meant, every title
 * arrives as it was typed, and undoing all of it gives the calendar of the beginning. RANDOM_KEYS_SECONDS sets how long it runs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestUser } from '../support/app.ts';
import { consoleOfFile, openAt } from '../support/console-visit.ts';
import { weekAhead } from '../support/today.ts';

const SECONDS = Number(process.env['RANDOM_KEYS_SECONDS'] ?? 20);

const service = consoleOfFile();

/** Notes each write that the page sends, and how many are under way. What the card asks without deciding is none. */
const RECORDER = `(() => {
  const writes = { sent: [], open: 0 };
  const plain = fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    writes.open++;
    const body = request.method === 'GET' ? undefined : await request.clone().json().catch(() => undefined);
    if (request.method === 'GET' || body?.simulate) {
      writes.open--;
      return plain(request);
    }
    const one = { what: request.method + ' ' + new URL(request.url).pathname, title: body?.title, status: 0 };
    writes.sent.push(one);
    try {
      const answer = await plain(request);
      one.status = answer.status;
      if (!answer.ok) one.detail = (await answer.clone().json()).detail;
      return answer;
    } finally {
      writes.open--;
    }
  };
  globalThis.writes = writes;
})()`;

/** The request follows the key by some tasks. */
const SETTLED = `new Promise((done) => {
  const look = () => (globalThis.writes.open ? setTimeout(look, 10) : done());
  setTimeout(look, 30);
})`;

/** The middle of a button that removes, if it can be seen. */
const placeOfRemove = (n: number): string => `(() => {
  const button = [...document.querySelectorAll('.card button.danger')].filter((one) => /^Remove/.test(one.textContent))[${n}];
  const box = button?.getBoundingClientRect();
  const middle = box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
  return box && document.elementFromPoint(...middle) === button ? middle : [];
})()`;

type Sent = { what: string; title?: string; status: number; detail?: string };

const day = weekAhead(0);
const eventsOf = async (user: TestUser): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=${day}&end=${weekAhead(21)}`).expect(200);
  return body.map((one: Record<string, unknown>) =>
    [one['uid'], one['title'], one['local_start'], one['duration_minutes'], one['plan_uid']].join(' '),
  );
};

/** Words of letters that are also keys of the console. */
const LETTERS = 'a a a z z r r x n n t e j k m u w d 1 2 3 ? /'.split('');

test(
  `what is drawn, typed and removed is what was meant, and can be undone as a whole (${SECONDS} s of random hands)`,
  async () => {
    const { user, page, faults } = await service.visit();
    await page.addInitScript(RECORDER);
    const random = fc.sample(fc.infiniteStream(fc.nat()), 1)[0]!;
    const dice = (sides: number): number => (random.next().value as number) % sides;
    const propose = (title: string, time: string, more: object = {}) =>
      user.agent.post('/agent/plan', {
        actions: [{ action_type: 'schedule', title, scheduled_for: `${day}T${time}`, duration_minutes: 60, ...more }],
      });
    for (const [title, time, more] of [
      ['Focus', '09:00', {}],
      ['Reading', '14:00', { rrule: 'FREQ=DAILY;COUNT=13' }],
    ] as const) {
      const { body } = await propose(title, time, more).expect(200);
      await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
    }
    await user
      .post('/calendar/create', { title: 'Call', scheduled_for: `${day}T11:00`, duration_minutes: 60 })
      .expect(201);
    const before = await eventsOf(user);
    await openAt(page, service.app, `?view=week&date=${day}`);
    const hours = (await page.getByRole('region', { name: 'Hours' }).boundingBox())!;
    const settled = (): Promise<unknown> => page.evaluate(SETTLED);
    const sent = (): Promise<Sent[]> => page.evaluate('globalThis.writes.sent');
    const card = page.getByRole('dialog', { name: 'Details' });
    const question = page.getByRole('dialog', { name: 'This time is taken' });

    /** What the hands did, for the message of a failure. */
    const hands: string[] = [];
    const last = (): string => hands.slice(-8).join(', ');

    const draw = async (): Promise<void> => {
      const [x, y] = [hours.x + 80 + dice(hours.width - 120), hours.y + 20 + dice(hours.height - 160)];
      hands.push(`draw at ${Math.round(x)} ${Math.round(y)}`);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y + 20 + dice(100), { steps: 2 });
      await page.mouse.up();
      // On an event this moves it.
      await settled();
    };
    /** What is open now decides what the words go into: a form, a card, or nothing. */
    const type = async (): Promise<void> => {
      const words = Array.from({ length: 3 + dice(10) }, () => LETTERS[dice(LETTERS.length)]).join('');
      const title = card.getByLabel('Title');
      const isForm = (await title.count()) > 0;
      const known = (await sent()).length;
      if (!isForm) await page.keyboard.press('Escape');
      else {
        // What was typed before and not sent is there again.
        const whole = (await title.inputValue()) + words;
        await page.keyboard.type(words);
        const focus = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)');
        expect(await title.inputValue(), `${last()}; focus on ${focus}`).toBe(whole);
        const end = ['Enter', 'Enter', 'Escape'][dice(3)] as string;
        hands.push(`type "${words}" ${end}`);
        await page.keyboard.press(end);
        await settled();
        const writes = (await sent()).slice(known);
        // A taken time is refused first, and then asked about.
        const others = writes.filter(({ what, title: of }) => what !== 'POST /calendar/create' || of !== whole);
        expect(others, last()).toEqual([]);
      }
    };
    const answer = async (): Promise<void> => {
      if (!(await question.count())) return;
      const choice = dice(3);
      hands.push(`answer ${choice}`);
      await question.getByRole('button').nth(choice).click();
      await settled();
    };
    let removals = 0;
    const remove = async (): Promise<void> => {
      const events = page.locator('.block.event > button.body');
      const count = await events.count();
      if (!count) return;
      await events.nth(dice(count)).click({ force: true });
      const buttons = card.getByRole('button', { name: /^Remove/ });
      const choices = await buttons.count();
      if (!choices) return;
      // The card goes where its event does, and a message may lie over it: a hand clicks what it sees.
      const [x, y] = await page.evaluate<[number, number] | []>(placeOfRemove(dice(choices)));
      if (x === undefined || y === undefined) return;
      hands.push('remove');
      removals++;
      await page.mouse.dblclick(x, y);
      await settled();
    };
    const nothing = async (): Promise<void> => {
      const known = (await sent()).length;
      const key = ['Escape', 'Enter', ' ', 'j', 'k', '?', 'w', 'd'][dice(8)] as string;
      hands.push(key);
      await page.keyboard.press(key);
      await page.keyboard.press('Escape');
      await settled();
      expect((await sent()).slice(known), last()).toEqual([]);
    };

    const until = performance.now() + SECONDS * 1_000;
    const proposing = (async () => {
      for (let n = 0; performance.now() < until; n++) {
        await propose(`Plan ${n}`, `${String(8 + dice(10)).padStart(2, '0')}:30`);
        await sleep(500);
      }
    })();
    let turns = 0;
    for (; performance.now() < until; turns++) {
      const what = dice(6);
      if (what < 3) {
        if (dice(4)) await draw();
        else {
          hands.push('New event');
          await page.getByRole('button', { name: 'New event' }).click();
        }
        await type();
        await answer();
      } else if (what < 5) await remove();
      else await nothing();
      await page.keyboard.press('Escape');
    }
    await proposing;
    const writes = await sent();
    const done = (what: string): number => writes.filter((one) => one.what === what && one.status < 300).length;
    expect(done('DELETE /calendar/remove')).toBeLessThanOrEqual(removals);
    expect(turns).toBeGreaterThan(2);

    const nothingLeft = page.getByText('Nothing was done on this page in the last minute');
    for (let n = 0; n < 200 && !(await nothingLeft.count()); n++) {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+z');
      await settled();
    }
    const refused = (await sent()).filter(({ what, status }) => what === 'POST /calendar/undo' && status >= 400);
    expect(refused, hands.slice(-40).join(', ')).toEqual([]);
    expect(await eventsOf(user), hands.slice(-40).join(', ')).toEqual(before);
    // A taken time, an event that has just changed, and a title of blanks.
    expect(faults.filter((fault) => !/409|412|422/.test(fault))).toEqual([]);
  },
  (SECONDS * 3 + 60) * 1_000,
);
