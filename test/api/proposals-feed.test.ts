/** Agents' proposals as a calendar of their own, and a person who decides from within a calendar program. */
import { pino } from 'pino';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
const logged: string[] = [];
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  app = await anApp({ env: { LOG_LEVEL: 'trace' }, overrides: { log } });
});
afterAll(() => app.close());

const DECIDES = ['calendar:read', 'plan:read', 'plan:decide'];

type Feed = { id: string; key: string };
const aFeed = async (user: TestUser, scopes: string[] | undefined): Promise<Feed> =>
  (await user.post('/user/keys', { kind: 'feed', label: 'phone', scopes }).expect(201)).body;

/** As a browser asks. */
const Accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
const get = (path: string, headers: Record<string, string> = {}) =>
  request(app.server)
    .get(path)
    .set({ Accept, ...headers });
const proposals = (feed: Feed, headers: Record<string, string> = {}) =>
  get(`/calendar/proposals.ics?key=${feed.key}`, headers);

const propose = async (user: TestUser, more: object = {}) => {
  const action = {
    action_type: 'schedule',
    title: 'Deep work',
    scheduled_for: '2026-11-24T10:00',
    duration_minutes: 90,
  };
  const { body } = await user.agent
    .post('/agent/plan', { actions: [{ ...action, reasoning: 'Mornings are best; you said so.', ...more }] })
    .expect(200);
  return body[0];
};

const unfolded = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');
/** The links of the first event, as paths. */
const linksIn = (text: string): { approve: string; reject: string } => {
  const description = unfolded(text).find((line) => line.startsWith('DESCRIPTION:')) ?? '';
  const link = (name: string) => new URL(new RegExp(`${name}: (http[^\\\\]+)`).exec(description)?.[1] ?? '');
  const path = ({ pathname, search }: URL) => pathname + search;
  return { approve: path(link('Approve')), reject: path(link('Reject')) };
};
const tokensIn = (page: string): string[] =>
  [...page.matchAll(/name="token" value="([^"]+)"/g)].map((m) => m[1] as string);
const decide = (token: string) =>
  request(app.server).post('/calendar/decide').set({ Accept }).type('form').send({ token });
const planNow = async (user: TestUser, uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;

/** A proposal, a feed with links, and what the page behind a link holds. */
const aProposalOnThePhone = async () => {
  const user = await aUser(app);
  const plan = await propose(user);
  const feed = await aFeed(user, DECIDES);
  const links = linksIn((await proposals(feed).expect(200)).text);
  const page = (await get(links.approve).expect(200)).text;
  const [approve = '', reject = ''] = tokensIn(page);
  return { user, plan, feed, links, page, approve, reject };
};

describe('the feed of proposals', () => {
  test.each([
    ['Cancels', { cancel: true }, '<b>Cancel</b> “Board meeting”, Wed 25 Nov 2026 14:00–15:00 (Europe/Berlin)'],
    ['Moves', {}, '<b>Move</b> “Board meeting”, Wed 25 Nov 2026 14:00–15:00 (Europe/Berlin)'],
  ])('%s: says of which event, whatever the agent calls it', async (says, args, onPage) => {
    const user = await aUser(app);
    const event = { title: 'Board meeting', scheduled_for: '2026-11-25T14:00', duration_minutes: 60 };
    const { uid } = (await user.post('/calendar/create', event).expect(201)).body;
    const feed = await aFeed(user, DECIDES);
    const lie = { action_type: 'reschedule', title: 'Move lunch', target_event_uid: uid, arguments: args };
    await propose(user, { ...lie, scheduled_for: '2026-11-25T16:00', duration_minutes: null });
    const { text, headers } = await proposals(feed).expect(200);
    const told = `${says} “Board meeting”\\, Wed 25 Nov 2026 14:00–15:00 (Europe/Berlin).`;
    expect(unfolded(text).find((line) => line.startsWith('DESCRIPTION:'))).toContain(told);
    expect((await get(linksIn(text).approve).expect(200)).text).toContain(onPage);
    // A new name of the event is a new feed.
    await user.patch('/calendar/edit', { uid, updates: { title: 'Supervisory board' } }).expect(200);
    const again = await proposals(feed, { 'If-None-Match': headers['etag'] as string }).expect(200);
    expect(unfolded(again.text).join('\n')).toContain('Supervisory board');
    // Who may neither read the calendar nor decide is not told of it.
    const blind = await proposals(await aFeed(user, ['plan:read'])).expect(200);
    expect(unfolded(blind.text).join('\n')).not.toContain('Supervisory board');
  });

  test('of a swap, says with which event, and a new name of that event is a new feed', async () => {
    const user = await aUser(app);
    const make = async (title: string, scheduled_for: string): Promise<string> =>
      (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60 }).expect(201)).body.uid;
    const moves = [
      { target_event_uid: await make('Dentist', '2026-11-25T09:00'), scheduled_for: '2026-11-25T14:00' },
      { target_event_uid: await make('Haircut', '2026-11-25T14:00'), scheduled_for: '2026-11-25T09:00' },
    ];
    const actions = moves.map((move) => ({ action_type: 'reschedule', title: 'Move', ...move }));
    await user.agent.post('/agent/plan', { actions }).expect(200);
    const feed = await aFeed(user, DECIDES);
    const { text, headers } = await proposals(feed).expect(200);
    expect(unfolded(text).join('\n')).toContain('Exchanges places with “Haircut”');
    await user.patch('/calendar/edit', { uid: moves[1]?.target_event_uid, updates: { title: 'Barber' } }).expect(200);
    const again = await proposals(feed, { 'If-None-Match': headers['etag'] as string }).expect(200);
    expect(unfolded(again.text).join('\n')).toContain('Exchanges places with “Barber”');
  });

  test('of a series, says which occurrence', async () => {
    const user = await aUser(app);
    const series = { title: 'Standup', scheduled_for: '2026-11-09T09:00', duration_minutes: 15, rrule: 'FREQ=WEEKLY' };
    const { uid } = (await user.post('/calendar/create', series).expect(201)).body;
    const cancel = { action_type: 'reschedule', target_event_uid: uid, arguments: { cancel: true } };
    await propose(user, { ...cancel, duration_minutes: null });
    const { text } = await proposals(await aFeed(user, DECIDES)).expect(200);
    expect(unfolded(text).join('\n')).toContain('Cancels “Standup”\\, Mon 23 Nov 2026 09:00–09:15 (Europe/Berlin).');
  });

  test('shows what waits, tentative and without taking time, with its reasons', async () => {
    const user = await aUser(app);
    await propose(user);
    await propose(user, { title: 'Some day', action_type: 'log', scheduled_for: null, duration_minutes: null });
    const feed = await aFeed(user, ['plan:read']);
    const { text, headers } = await proposals(feed).expect(200);
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8');
    const lines = unfolded(text);
    expect(lines).toEqual(
      expect.arrayContaining([
        'SUMMARY:Deep work',
        'STATUS:TENTATIVE',
        'TRANSP:TRANSPARENT',
        'DTSTART;TZID=Europe/Berlin:20261124T100000',
        'DTEND;TZID=Europe/Berlin:20261124T113000',
        expect.stringMatching(/^DESCRIPTION:Why: Mornings are best\\; you said so\./),
        'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
      ]),
    );
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(text).not.toContain('/calendar/decide');
    // Nothing of it is in the calendar itself.
    const own = await aFeed(user, undefined);
    expect((await get(`/calendar/feed.ics?key=${own.key}`).expect(200)).text).not.toContain('VEVENT');
  });

  test('needs a feed key that may read plans', async () => {
    const user = await aUser(app);
    const usual = await aFeed(user, undefined);
    const refused = await proposals(usual).expect(403);
    expect(refused.body).toMatchObject({ code: 'insufficient_scope', missing: ['plan:read'] });
    const only = await aFeed(user, ['plan:read']);
    await get(`/calendar/feed.ics?key=${only.key}`).expect(403);
    await get(`/calendar/proposals.ics?key=${user.agent.token}`).expect(401);
    await user.delete(`/user/keys?id=${only.id}`).expect(200);
    await expect.poll(async () => (await proposals(only)).status).toBe(401);
  });

  test('only who may decide makes a key that decides, and no agent can', async () => {
    const user = await aUser(app);
    await user.agent.post('/user/keys', { kind: 'feed', label: 'x' }).expect(403);
    const clerk = await aKey(app, user, 'user', ['keys:manage', 'plan:read']);
    await clerk.post('/user/keys', { kind: 'feed', label: 'x', scopes: ['plan:decide'] }).expect(403);
    await user.post('/user/keys', { kind: 'feed', label: 'x', scopes: ['calendar:write'] }).expect(422);
    await user.post('/user/keys', { kind: 'agent', label: 'x', scopes: ['plan:decide'] }).expect(422);
  });

  test('is 304 until something about it changes', async () => {
    const user = await aUser(app);
    const feed = await aFeed(user, DECIDES);
    const tags = new Set<string>();
    const changedOnce = async () => {
      const { headers, text } = await proposals(feed).expect(200);
      const etag = headers['etag'] as string;
      expect(tags.has(etag)).toBe(false);
      tags.add(etag);
      await proposals(feed, { 'If-None-Match': etag }).expect(304);
      expect((await proposals(feed)).text).toBe(text);
    };
    await changedOnce();
    const plan = await propose(user);
    await changedOnce();
    await user.agent.patch('/memory/edit', { uid: plan.uid, updates: { title: 'Deeper work' } }).expect(200);
    await changedOnce();
    await propose(user, { title: 'Competes' });
    await changedOnce();
    await user.post('/agent/reject', { uid: plan.uid }).expect(200);
    await changedOnce();
  });

  test('leads to where the operator says, or where the request came to', async () => {
    const { user } = await aProposalOnThePhone();
    const feed = await aFeed(user, DECIDES);
    const lead = async (headers: Record<string, string>) =>
      unfolded((await proposals(feed, headers)).text).find((line) => line.startsWith('URL:'));
    expect(await lead({ Host: 'calendar.example.org' })).toMatch(
      /^URL:http:\/\/calendar\.example\.org\/calendar\/decide\?token=/,
    );
    expect(await lead({ Host: 'calendar.example.org:80' })).toContain('http://calendar.example.org/calendar');
    // Nobody's proxy is trusted here, and what is no host leads nowhere.
    expect(await lead({ Host: 'a.example', 'X-Forwarded-Host': 'evil.example' })).toContain('http://a.example/');
    expect(await lead({ Host: 'a b"><script>' })).toBeUndefined();
    const other = await anApp({ env: { PUBLIC_URL: 'https://almanac.example.org/api/' }, database: app.database });
    const { text } = await request(other.server).get(`/v1/calendar/proposals.ics?key=${feed.key}`).expect(200);
    expect(unfolded(text).join('\n')).toContain('Approve: https://almanac.example.org/api/calendar/decide?token=');
    await other.close();
  });
});

describe('a link', () => {
  test('opens a page, and changes nothing however often it is followed', async () => {
    const { user, plan, links, page } = await aProposalOnThePhone();
    for (let i = 0; i < 3; i += 1) {
      await get(links.approve).expect(200);
      await get(links.reject).expect(200);
      await request(app.server).head(links.approve).expect(200);
    }
    // The agent was answered without authored_by and chat_url.
    expect(await planNow(user, plan.uid)).toMatchObject(plan);
    expect(page).toContain('Deep work');
    expect(page).toContain('Mornings are best; you said so.');
    expect(page).toContain('Tuesday, 24 November 2026 at 10:00 to 11:30 (Europe/Berlin), 90 minutes');
    expect(page).toMatch(/class="named">Approve<[^]*>Reject</);
    expect((await get(links.reject)).text).toMatch(/>Approve<[^]*class="named">Reject</);
  });

  test('shows what changes of the settings, whatever the agent calls it', async () => {
    const user = await aUser(app);
    const lie = { action_type: 'configure', title: 'Fewer proposals', scheduled_for: '2026-11-24T10:00' };
    const given = { limits: { budget: { per_day: 500 } } };
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 3 } } } }).expect(200);
    await propose(user, { ...lie, duration_minutes: null, arguments: given });
    const { approve } = linksIn((await proposals(await aFeed(user, DECIDES)).expect(200)).text);
    expect((await get(approve).expect(200)).text).toContain('<li>Plans of agents per day: 3 → <b>500</b></li>');
    await user.patch('/user/update', { updates: { limits: { budget: { per_day: 500 } } } }).expect(200);
    expect((await get(approve).expect(200)).text).toContain('Your settings already say this.');
  });

  test('shows all that changes of the settings, with what matters most first', async () => {
    const user = await aUser(app);
    await user.patch('/user/update', { updates: { limits: { only_in_tempo: true } } }).expect(200);
    const cadence = Array.from({ length: 50 }, (_, n) => ({
      ...{ id: `rule-${n}`, action_type: 'reflect', max: 90, per: 'day' },
    }));
    const fake = { action_type: 'configure', title: 'Fewer reflections', scheduled_for: '2026-11-24T10:00' };
    const given = { limits: { cadence, only_in_tempo: null } };
    await propose(user, { ...fake, duration_minutes: null, arguments: given });
    const { approve } = linksIn((await proposals(await aFeed(user, DECIDES)).expect(200)).text);
    const { text } = await get(approve).expect(200);
    expect(text).toMatch(/<ul>\s*<li>Agents outside your hours: refused → <b>allowed<\/b><\/li>/);
    expect(text).toContain('Rule “rule-49”');
  });

  test('leads to a page that runs nothing and tells nobody', async () => {
    const user = await aUser(app);
    await propose(user, { title: '<script>alert(1)</script>', reasoning: '"><img src=x onerror=alert(1)>' });
    const feed = await aFeed(user, DECIDES);
    const { text, headers } = await get(linksIn((await proposals(feed)).text).approve).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(text).not.toMatch(/<script|<img/);
    expect(text).toContain('&#60;script&#62;alert(1)');
  });

  /** The description of the only proposal, without what the service adds to reasons: what is above the links, and below them. */
  const around = async (user: TestUser): Promise<{ above: string[]; below: string[] }> => {
    const { text } = await proposals(await aFeed(user, DECIDES)).expect(200);
    const said = unfolded(text).find((line) => line.startsWith('DESCRIPTION:')) ?? '';
    const lines = said
      .slice('DESCRIPTION:'.length)
      .split('\\n')
      .map((line) => line.replaceAll(/\\([,;\\])/g, '$1'));
    const approve = lines.findIndex((line) => line.startsWith(`Approve: ${app.url}/calendar/decide?token=`));
    expect(lines[approve + 1]).toMatch(/^Reject: http/);
    const above = lines.slice(0, approve).filter((line) => line !== 'Proposed by agent.');
    expect(above.length).toBe(approve - 1);
    return { above, below: lines.slice(approve + 2) };
  };

  test('follows the reason and what is changed, and the text of the agent follows it', async () => {
    const user = await aUser(app);
    const event = { title: 'Board meeting', scheduled_for: '2026-11-25T14:00', duration_minutes: 60 };
    const { uid } = (await user.post('/calendar/create', event).expect(201)).body;
    const move = { action_type: 'reschedule', target_event_uid: uid, duration_minutes: null };
    await propose(user, { ...move, scheduled_for: '2026-11-25T16:00', content: 'Two hours later.' });
    expect(await around(user)).toEqual({
      above: [
        'Why: Mornings are best; you said so.',
        'Moves “Board meeting”, Wed 25 Nov 2026 14:00–15:00 (Europe/Berlin).',
        '',
      ],
      below: ['', 'Two hours later.'],
    });
  });

  test('has above it no line and no address of an agent; the whole reason is below', async () => {
    const user = await aUser(app);
    const reason =
      'Best then.\n\nApprove: https://evil.example/a\nReject: https://evil.example/r\r\nmailto:x@evil.example';
    await propose(user, { reasoning: reason });
    const { above, below } = await around(user);
    const other = '(an address, see below)';
    expect(above).toEqual([`Why: Best then. Approve: ${other} Reject: ${other} ${other}`, '']);
    expect(below.join('\n')).toContain('Approve: https://evil.example/a\nReject: https://evil.example/r');
  });

  test.each([
    'HTTPS://evil.example/a',
    '(www.evil.example)',
    'evil.example/approve',
    'mailto:someone@host',
    'tel:+4930123456',
    '192.0.2.7/approve',
    'ht\u00adtps:/\u200b/evil',
    'evil\u2060.exam\u034fple',
    '<a href="x">',
    'h&#116;tps&colon;evil',
    'seen\u2028Approve:https://evil',
  ])('has above it nothing of %j', async (address) => {
    const user = await aUser(app);
    await propose(user, { reasoning: `See ${address} now` });
    const { above, below } = await around(user);
    expect(above.join('\n')).toMatch(/^Why: See (seen )?\(an address, see below\)( href="x">)? now\n$/);
    expect(below.join('\n')).toContain('Why: See ');
  });

  test('has above it no address of a title either', async () => {
    const user = await aUser(app);
    const event = { title: 'Approve: https://evil.example', scheduled_for: '2026-11-25T14:00', duration_minutes: 60 };
    const { uid } = (await user.post('/calendar/create', event).expect(201)).body;
    const cancel = { action_type: 'reschedule', target_event_uid: uid, arguments: { cancel: true } };
    await propose(user, { ...cancel, duration_minutes: null });
    const { above, below } = await around(user);
    expect(above.join('\n')).not.toContain('evil');
    expect(below.join('\n')).toContain('Cancels “Approve: https://evil.example”');
  });

  test.each(['Times of 9.30 and 14:00 on 24.11.2026, e.g. @deep-work; R&D 3/4 <3 :)', '朝が最適です。午後は会議。'])(
    'leaves a reason alone that has no address: %s',
    async (reasoning) => {
      const user = await aUser(app);
      await propose(user, { reasoning });
      expect(await around(user)).toEqual({ above: [`Why: ${reasoning}`, ''], below: [''] });
    },
  );

  test('has above it the beginning of a long reason, and the whole below', async () => {
    const user = await aUser(app);
    const reasoning = `${'x'.repeat(494)}😀 and the rest`;
    await propose(user, { reasoning });
    const { above, below } = await around(user);
    expect(above).toEqual([`Why: ${'x'.repeat(494)}…`, '']);
    expect(below).toEqual(['', `Why: ${reasoning}`]);
  });
});

describe('a button', () => {
  test('approves in the name of the feed key: the block stands in the calendar', async () => {
    const { user, plan, feed, approve } = await aProposalOnThePhone();
    const { text } = await decide(approve).expect(200);
    expect(text).toContain('approved and executed');
    expect(text).not.toContain('<form');
    const now = await planNow(user, plan.uid);
    expect(now).toMatchObject({ status: 'executed', decision: { by: `feed:${feed.id}`, code: 'user' } });
    const events = (await user.get('/calendar/events?start=2026-11-24&end=2026-11-24').expect(200)).body;
    expect(events.map((e: { title: string }) => e.title)).toEqual(['Deep work']);
    expect((await proposals(feed)).text).not.toContain('VEVENT');
    // Again is the same answer; the other way is too late.
    await decide(approve).expect(200);
    expect((await planNow(user, plan.uid)).version).toBe(now.version);
  });

  test('rejects, and then nothing can be approved any more', async () => {
    const { user, plan, approve, reject, links } = await aProposalOnThePhone();
    expect((await decide(reject).expect(200)).text).toContain('It is rejected.');
    expect((await planNow(user, plan.uid)).status).toBe('rejected');
    expect((await decide(approve).expect(409)).headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await get(links.approve).expect(200)).text).not.toContain('<form');
  });

  test('stands for the version that was shown: 412 where it has changed since', async () => {
    const { user, plan, links, approve, reject } = await aProposalOnThePhone();
    await user.agent
      .patch('/memory/edit', { uid: plan.uid, updates: { scheduled_for: '2026-11-25T03:00' } })
      .expect(200);
    for (const token of [approve, reject]) expect((await decide(token).expect(412)).text).toContain('changed');
    expect((await planNow(user, plan.uid)).status).toBe('proposed');
    // The link shows it as it is now, and that can be decided.
    const page = (await get(links.approve).expect(200)).text;
    expect(page).toContain('25 November 2026 at 03:00');
    await decide(tokensIn(page)[0] ?? '').expect(200);
  });

  test('of a swap stands for the versions of both plans', async () => {
    const user = await aUser(app);
    const make = async (title: string, scheduled_for: string): Promise<string> =>
      (await user.post('/calendar/create', { title, scheduled_for, duration_minutes: 60 }).expect(201)).body.uid;
    const [dentist, haircut] = [await make('Dentist', '2026-11-25T09:00'), await make('Haircut', '2026-11-25T14:00')];
    const moves = [
      { target_event_uid: dentist, scheduled_for: '2026-11-25T14:00' },
      { target_event_uid: haircut, scheduled_for: '2026-11-25T09:00' },
    ];
    const actions = moves.map((move) => ({ action_type: 'reschedule', title: 'Move', ...move }));
    const { body: plans } = await user.agent.post('/agent/plan', { actions }).expect(200);
    const rename = (title: string) =>
      Promise.all(
        (plans as { uid: string }[]).map(({ uid }) =>
          user.agent.patch('/memory/edit', { uid, updates: { title } }).expect(200),
        ),
      );
    await rename('Changed');
    const { text } = await proposals(await aFeed(user, DECIDES)).expect(200);
    const shown = async (): Promise<string> => tokensIn((await get(linksIn(text).approve).expect(200)).text)[0] ?? '';
    const old = await shown();
    await rename('Changed again');
    await decide(old).expect(412);
    await decide(await shown()).expect(200);
    for (const { uid } of plans) expect((await planNow(user, uid)).status).toBe('executed');
  });

  test('says why where it can’t', async () => {
    const { user, approve, plan } = await aProposalOnThePhone();
    await user
      .post('/calendar/create', { title: 'Dentist', scheduled_for: '2026-11-24T10:30', duration_minutes: 30 })
      .expect(201);
    expect((await decide(approve).expect(409)).text).toContain('“Dentist”');
    expect((await planNow(user, plan.uid)).status).toBe('proposed');
  });

  test('of two at once one counts', async () => {
    const { user, plan, approve, reject } = await aProposalOnThePhone();
    const answers = await Promise.all([decide(approve), decide(reject), decide(approve), decide(reject)]);
    const { status } = await planNow(user, plan.uid);
    expect(['executed', 'rejected']).toContain(status);
    const sorted = answers.map((a) => a.status);
    const lost = status === 'executed' ? [sorted[1], sorted[3]] : [sorted[0], sorted[2]];
    expect(lost.every((code) => code === 409 || code === 412)).toBe(true);
  });
});

test('the page names the proposer and the day, and takes a note and another time', async () => {
  const user = await aUser(app);
  await user.post('/calendar/create', {
    title: '<b>Lunch</b>',
    scheduled_for: '2026-11-25T12:00',
    duration_minutes: 45,
  });
  const made = await propose(user, { title: 'Draft', scheduled_for: '2026-11-25T10:00', duration_minutes: 30 });
  const link = linksIn((await proposals(await aFeed(user, DECIDES))).text).approve;
  const page = (await get(link).expect(200)).text;
  expect(page).toContain('Proposed by <b>agent</b>');
  expect(page).toContain('12:00–12:45 &#60;b&#62;Lunch');
  expect(page).toContain('value="2026-11-25T10:00"');
  const [token = ''] = tokensIn(page);
  const answer = (more: object) =>
    request(app.server)
      .post('/calendar/decide')
      .set({ Accept })
      .type('form')
      .send({ token, ...more });
  expect((await answer({ scheduled_for: '2026-11-25T12:15' }).expect(409)).text).toContain('Lunch');
  await answer({ scheduled_for: 'noon' }).expect(422);
  await answer({ note: 'Later is better.', scheduled_for: '2026-11-25T14:00' }).expect(200);
  const plan = (await user.get(`/agent/plan?uid=${made.uid}`).expect(200)).body;
  expect(plan).toMatchObject({ status: 'executed', decision: { note: 'Later is better.' } });
  expect(plan.scheduled_for).toBe('2026-11-25T13:00:00.000Z');
});

describe('a token', () => {
  test('ends with its key, after its hour, and is good for its one purpose', async () => {
    const { user, plan, feed, links, approve } = await aProposalOnThePhone();
    const link = new URLSearchParams(links.approve.split('?')[1]).get('token') ?? '';
    await decide(link).expect(401);
    await get(`/calendar/decide?token=${approve}`).expect(401);
    await get(`/calendar/decide?token=${user.token}`).expect(401);
    await decide(user.token ?? '').expect(401);
    for (const token of [link, approve]) {
      await request(app.server).get('/agent/queue').set('Authorization', `Bearer ${token}`).expect(401);
      const [head = '', payload = '', signature = ''] = token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = Buffer.from(
        JSON.stringify({ ...claims, decision: 'approve', version: plan.version + 1 }),
      ).toString('base64url');
      await decide(`${head}.${forged}.${signature}`).expect(401);
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      await decide(`${none}.${forged}.`).expect(401);
    }
    const before = app.clock.now();
    app.clock.advance(61 * 60_000);
    await decide(approve).expect(401);
    app.clock.set(before);
    await user.delete(`/user/keys?id=${feed.id}`).expect(200);
    await decide(approve).expect(401);
    expect((await get(links.approve).expect(401)).text).toContain('feed key');
    expect((await planNow(user, plan.uid)).status).toBe('proposed');
  });

  test('of somebody else’s plan finds nothing', async () => {
    const mine = await aProposalOnThePhone();
    const theirs = await aProposalOnThePhone();
    expect(mine.page).not.toContain(theirs.plan.uid);
    await mine.user.get(`/agent/plan?uid=${theirs.plan.uid}`).expect(404);
    await decide(mine.approve).expect(200);
    expect((await planNow(theirs.user, theirs.plan.uid)).status).toBe('proposed');
  });

  test('what is no form, or holds more, is refused as any request is', async () => {
    await request(app.server).post('/calendar/decide').send({ token: 'x' }).expect(415);
    await request(app.server).post('/calendar/decide').type('form').send({ token: 'x', more: 'y' }).expect(422);
    await request(app.server).post('/calendar/decide').type('form').send('').expect(422);
    await request(app.server)
      .post('/calendar/decide')
      .type('form')
      .send(`token=${'x'.repeat(20_000)}`)
      .expect(413);
    const program = await request(app.server).get('/calendar/decide?token=x').expect(401);
    expect(program.body).toMatchObject({ code: 'unauthenticated', status: 401 });
    await get('/calendar/decide').expect(422);
    await get('/calendar/decide?token=x&decision=maybe').expect(422);
  });

  test('no key and no token is ever in the log', async () => {
    const { feed, links, approve, reject } = await aProposalOnThePhone();
    await decide(reject).expect(200);
    await decide(approve).expect(409);
    const text = logged.join('');
    expect(text).toContain('/calendar/decide');
    for (const secret of [feed.key, links.approve.split('token=')[1]?.split('&')[0] ?? '', approve, reject]) {
      expect(secret.length).toBeGreaterThan(40);
      expect(text).not.toContain(secret);
    }
  });
});
