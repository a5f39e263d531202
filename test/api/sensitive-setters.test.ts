/** Who sets a sensitive value decides what it blanks, and for how long. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { possibleScopes } from '../../src/domain/access/caller.ts';
import { canonicalJson, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { CALENDAR, aDavUser, fileOf, vevent } from '../support/dav.ts';
import { follow } from '../support/follower.ts';
import { hearStatements } from '../support/statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Trace = { uid: string; content: string; notes: string | null; authored_by?: string };

const push = (who: Client, ...traces: object[]) =>
  who
    .post('/memory/push', { traces: traces.map((trace) => ({ type: 'observation', content: 'x', ...trace })) })
    .expect(201);
const pull = async (who: Client, query = ''): Promise<Map<string, Trace>> => {
  const { body } = await who.get(`/memory/pull?limit=1000${query}`).expect(200);
  return new Map((body as Trace[]).map((trace) => [trace.uid, trace]));
};
const contentOf = async (who: Client, uid: string, query = ''): Promise<string | undefined> =>
  (await pull(who, query)).get(uid)?.content;

/** A person, two agents, and the person’s program without export:sensitive. */
const people = async () => {
  const user = await aUser(app);
  const agent = await aKey(app, user, 'agent', possibleScopes('agent', false));
  const other = await aKey(app, user, 'agent', possibleScopes('agent', false));
  const blind = await aKey(
    app,
    user,
    'user',
    possibleScopes('user', false).filter((scope) => scope !== 'export:sensitive'),
  );
  return { user, agent, other, blind };
};

describe('what an agent sets', () => {
  test('blanks the traces of that agent only, however many words it takes', async () => {
    const { user, agent, other, blind } = await people();
    await push(user, { uid: 'mine', content: 'The agent went to the meeting.' });
    await push(other, { uid: 'others', content: 'The agent went to the meeting.' });
    const words = ['the', 'agent', 'went', 'to', 'meeting', 'ent', 'ing', 'error', 'does', 'not', 'exist', 'trace'];
    await push(
      agent,
      ...words.map((word, i) => ({ uid: `t${i}`, authored_by: word, content: `The agent said ${word}.` })),
    );
    await push(agent, { uid: 'again', content: 'The meeting ended.' });
    for (const who of [blind, agent, other]) {
      const seen = await pull(who);
      expect(seen.get('mine')?.content).toBe('The agent went to the meeting.');
      expect(seen.get('others')?.content).toBe('The agent went to the meeting.');
      expect(seen.get('t0')?.content).toBe('[redacted] [redacted] said [redacted].');
      expect(seen.get('again')?.content).toBe('[redacted] [redacted] ended.');
      expect(seen.get('t0')).not.toHaveProperty('authored_by');
    }
    expect((await pull(user)).get('t0')).toMatchObject({ content: 'The agent said the.', authored_by: 'the' });
    const missing = await blind.delete('/memory/remove?uid=nothing');
    expect(missing.body.detail).toBe('The trace nothing does not exist.');
  });

  test('on the trace of a person or of another agent hides the field and no text', async () => {
    const { user, agent, other, blind } = await people();
    await push(user, { uid: 'mine', content: 'The cat sat.' });
    await push(other, { uid: 'others', content: 'The cat sat.' });
    for (const uid of ['mine', 'others'])
      await agent.patch('/memory/edit', { uid, updates: { authored_by: 'cat' } }).expect(200);
    for (const uid of ['mine', 'others']) {
      const seen = (await pull(blind)).get(uid);
      expect(seen?.content).toBe('The cat sat.');
      expect(seen).not.toHaveProperty('authored_by');
      expect((await pull(user)).get(uid)?.authored_by).toBe('cat');
    }
  });

  test('ends where it is removed, and another change does not make it the person’s', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'mine', content: 'The cat sat.' });
    await push(agent, { uid: 'one', authored_by: 'cat', content: 'A cat.' }, { uid: 'two', content: 'The cat.' });
    await user.patch('/memory/edit', { uid: 'one', updates: { tags: ['#seen'] } }).expect(200);
    await user.post('/agent/feedback', { uid: 'one', feedback_rating: 3 }).expect(200);
    expect(await contentOf(blind, 'mine')).toBe('The cat sat.');
    expect(await contentOf(blind, 'two')).toBe('The [redacted].');
    await agent.delete('/memory/remove?uid=one').expect(200);
    expect(await contentOf(blind, 'two')).toBe('The cat.');
  });

  test('and a person sets is not ended by who is not shown it', async () => {
    const { user, agent, other, blind } = await people();
    await push(user, { uid: 'source', authored_by: 'Zebulon' }, { uid: 'mine', content: 'Zebulon said so.' });
    await push(agent, { uid: 'own', authored_by: 'cat', content: 'A cat.' });
    for (const who of [agent, other, blind]) {
      const { body } = await who.delete('/memory/remove?uid=source').expect(409);
      expect(body).toMatchObject({ code: 'redacted_field', fields: ['authored_by'] });
      expect(await contentOf(who, 'mine')).toBe('[redacted] said so.');
    }
    await other.delete('/memory/remove?uid=own').expect(409);
    await agent.delete('/memory/remove?uid=own').expect(200);
    await user.delete('/memory/remove?uid=source').expect(200);
  });

  test('by a key that was revoked stays the agent’s', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'mine', content: 'The cat sat.' });
    await push(agent, { uid: 'one', authored_by: 'cat', content: 'A cat.' });
    await user.delete(`/user/keys?id=${agent.id}`).expect(200);
    expect(await contentOf(blind, 'mine')).toBe('The cat sat.');
    expect(await contentOf(blind, 'one')).toBe('A [redacted].');
  });

  test('blanks its own trace even where the agent has set more than is remembered', async () => {
    const { agent, blind } = await people();
    await push(agent, { uid: 'own', authored_by: 'Zebulon', content: 'Zebulon said so.' });
    expect(await contentOf(blind, 'own')).toBe('[redacted] said so.');
  });
});

describe('of very much that an agent sets', () => {
  test('the newest counts, and an older value is hidden in its own trace', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'mine', authored_by: 'Quist', content: 'Zebulonia and Quist.' });
    await push(agent, { uid: 'own', authored_by: 'Zebulonia', content: 'Zebulonia and Quist.' });
    await push(agent, { uid: 'other', content: 'Zebulonia and Quist.' });
    expect(await contentOf(blind, 'other')).toBe('[redacted] and [redacted].');
    for (let n = 0; n < 3; n++) {
      const url = (i: number) => `https://chat.example/${n}/${i}/`.padEnd(4_000, 'path/');
      await push(agent, ...Array.from({ length: 200 }, (_, i) => ({ chat_url: url(i) })));
    }
    const last = 'https://chat.example/2/199/'.padEnd(4_000, 'path/');
    await push(agent, { uid: 'last', content: `see ${last}, of Quist` });
    // Another process has not read the values one after the other.
    const fresh = await anApp({ database: app.database });
    try {
      for (const at of [app, fresh]) {
        const reader = client(at, blind.token);
        expect(await contentOf(reader, 'own')).toBe('[redacted] and [redacted].');
        expect(await contentOf(reader, 'mine')).toBe('Zebulonia and [redacted].');
        expect(await contentOf(reader, 'last')).toBe('see [redacted], of [redacted]');
        if (at === fresh) expect(await contentOf(reader, 'other')).toBe('Zebulonia and [redacted].');
      }
    } finally {
      await fresh.close();
    }
  });
});

test('requests that come at once after a start read the values once', async () => {
  const { user, blind } = await people();
  await push(user, { uid: 'source', authored_by: 'Zebulonia' }, { uid: 'other', content: 'Zebulonia came.' });
  const fresh = await anApp({ database: app.database });
  const ear = hearStatements();
  try {
    const reader = client(fresh, blind.token);
    const seen = await Promise.all(Array.from({ length: 12 }, () => contentOf(reader, 'other')));
    expect(seen).toEqual(Array.from({ length: 12 }, () => '[redacted] came.'));
    // A read after the first one asks for what is newer only.
    const ofValues = ear.heard.filter(({ text, values }) => text.includes('of_agents') && values[1] === 0);
    expect(ofValues).toHaveLength(1);
  } finally {
    ear.stop();
    await fresh.close();
  }
});

describe('what a person sets', () => {
  test('blanks whole words in everything, traces of agents too, in every spelling', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'source', authored_by: 'Zoë Quist' }, { uid: 'word', authored_by: 'the' });
    const written = [
      'Zoe\u0308 Quist',
      'Zoë\u00a0Quist',
      'ZOË  QUIST',
      'Z\u200boë Quist',
      'a?by=Zo%C3%AB%20Quist',
      'b?by=Zo%C3%AB+Quist',
    ];
    await push(agent, ...written.map((content, i) => ({ uid: `w${i}`, content })), {
      uid: 'other',
      content: 'Zoe Quisty, other, then the end',
    });
    const seen = await pull(blind);
    expect(written.map((_, i) => seen.get(`w${i}`)?.content)).toEqual([
      ...Array.from({ length: 4 }, () => '[redacted]'),
      'a?by=[redacted]',
      'b?by=[redacted]',
    ]);
    expect(seen.get('other')?.content).toBe('Zoe Quisty, other, then [redacted] end');
    // On an agent’s trace it is the person’s as well, and an agent’s change does not make it the agent’s.
    await user.patch('/memory/edit', { uid: 'other', updates: { authored_by: 'Quisty' } }).expect(200);
    await agent.patch('/memory/edit', { uid: 'other', updates: { tags: ['#x'] } }).expect(200);
    await push(user, { uid: 'last', content: 'Quisty came.' });
    expect(await contentOf(blind, 'last')).toBe('[redacted] came.');
  });

  test('ends for every reader when it is removed, cached views and sockets included', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'source', authored_by: 'report' }, { uid: 'text', content: 'The report is late.' });
    const summary = `/memport/export?user_id=${user.user_id}&export_format=summary`;
    const hidden = await blind.get(summary).expect(200);
    expect(hidden.text).toContain('The [redacted] is late.');
    expect(await contentOf(blind, 'text')).toBe('The [redacted] is late.');
    await user.patch('/memory/edit', { uid: 'source', updates: { authored_by: null } }).expect(200);
    const { body: head } = await user.get('/user/profile').expect(200);
    expect(head.user_id).toBe(user.user_id);
    for (const who of [blind, agent]) {
      expect(await contentOf(who, 'text')).toBe('The report is late.');
      expect((await who.get(summary).expect(200)).text).toContain('The report is late.');
      expect((await who.post('/memory/search', { query: 'late' }).expect(200)).body[0].snippet).toContain('report');
    }
    const socket = await follow(app.url, { token: agent.token });
    socket.subscribe(0);
    await socket.synced();
    const [{ seq }] = (await push(user, { uid: 'new', content: 'A report.' })).body;
    await socket.next((message) => message.sequence === seq);
    expect(JSON.stringify(socket.heard.filter((message) => message.sequence === seq))).toContain('A report.');
    await socket.close();
    await blind.patch('/memory/edit', { uid: 'text', updates: { content: 'The report came.' } }).expect(200);
  });

  test('what was said while it was set stays hidden in history, and a new value hides the past too', async () => {
    const { user, blind } = await people();
    await push(user, { uid: 'source', authored_by: 'Ottoline' });
    const [{ seq }] = (await push(user, { uid: 'text', content: 'Ottoline said so.' })).body;
    await user.patch('/memory/edit', { uid: 'text', updates: { content: 'She said so.' } }).expect(200);
    await user.delete('/memory/remove?uid=source').expect(200);
    expect((await blind.get('/memory/history?uid=text').expect(200)).text).not.toContain('Ottoline');
    expect(await contentOf(blind, 'text', `&as_of=${seq}`)).toBe('[redacted] said so.');
    for (const path of [
      `/memport/ledger?uid=text`,
      `/memport/export?user_id=${user.user_id}&export_format=full&as_of=${seq}`,
      `/agent/changes?after=0&limit=1000`,
    ])
      expect((await blind.get(path).expect(200)).text).not.toContain('Ottoline');
    // A value that is new hides what was recorded before.
    await push(user, { uid: 'before', content: 'Farnsworth was here.' });
    const [{ seq: then }] = (await push(user, { uid: 'x' })).body;
    await push(user, { uid: 'late', authored_by: 'Farnsworth' });
    expect(await contentOf(blind, 'before', `&as_of=${then}`)).toBe('[redacted] was here.');
    const diff = `/memport/export?user_id=${user.user_id}&export_format=diff&from=${then}`;
    for (const path of [`/memport/export?user_id=${user.user_id}&export_format=full&as_of=${then}`, diff])
      expect((await blind.get(path).expect(200)).text).not.toContain('Farnsworth');
    // A client that has the text of then is told that it is hidden now.
    expect((await blind.get(diff).expect(200)).body.results).toContainEqual({
      op: 'changed',
      uid: 'before',
      patch: expect.arrayContaining([{ op: 'replace', path: '/content', value: '[redacted] was here.' }]),
    });
  });

  test('a diff names no hidden member of own data', async () => {
    const { user, blind } = await people();
    const [{ seq }] = (await push(user, { uid: 'data', metadata: { 'Zoë Quist': 1 } })).body;
    await push(user, { uid: 'source', authored_by: 'Zoë Quist' });
    await user.patch('/memory/edit', { uid: 'data', updates: { metadata: { other: 2 } } }).expect(200);
    const { text } = await blind
      .get(`/memport/export?user_id=${user.user_id}&export_format=diff&from=${seq}`)
      .expect(200);
    expect(text).not.toContain('Quist');
    expect(text).toContain('"/metadata"');
  });
});

test('problems keep their sentences and blank what they quote', async () => {
  const { user, blind } = await people();
  const words = ['taken', 'choose', 'another time', 'event', 'does not exist', 'the', 'Tea with Zoë'];
  await push(user, ...words.map((authored_by, i) => ({ uid: `s${i}`, authored_by })));
  const tea = { uid: 'tea', title: 'Tea with Zoë', scheduled_for: '2026-12-20T10:00', duration_minutes: 30 };
  await user.post('/calendar/create', tea).expect(201);
  await user
    .post('/calendar/create', { ...tea, uid: 'walk', title: 'Walk', scheduled_for: '2026-12-21T10:00' })
    .expect(201);
  const { body } = await blind.patch('/calendar/edit', { uid: 'nowhere', updates: { title: 'x' } });
  expect(body).toMatchObject({ title: 'Event not found', detail: 'The event nowhere does not exist.' });
  const several = await blind.post('/calendar/remove', { removals: [{ uid: 'nowhere' }] });
  expect(several.body[0].problem).toMatchObject({
    title: 'Event not found',
    detail: 'The event nowhere does not exist.',
  });
  const { body: plans } = await blind
    .post('/agent/plan', {
      actions: [{ action_type: 'schedule', title: 'x', scheduled_for: '2026-12-21T11:00', duration_minutes: 30 }],
    })
    .expect(200);
  const taken = await blind.post('/agent/approve', { uid: plans[0].uid, edits: { scheduled_for: '2026-12-20T10:00' } });
  expect(taken.body).toMatchObject({ status: 409, code: 'slot_taken', busy: [{ title: '[redacted]' }] });
  expect(taken.body.detail).toMatch(/ is taken by “\[redacted\]”\. Approve the plan at another time/);
});

describe('a calendar program that is not shown everything', () => {
  const program = async () => {
    const user = await aDavUser(app);
    const dav = await user.with(['calendar:read', 'calendar:write']);
    return { user, dav };
  };
  const eventOf = async (user: TestUser) => (await user.get('/calendar/event?uid=tea').expect(200)).body;

  test('writes back what it was shown, and the hidden text stays', async () => {
    const { user, dav } = await program();
    await push(user, { uid: 'source', authored_by: 'Quist, Zoë' });
    const lines = [
      'SUMMARY:Tea with Quist\\, Zoë',
      'DESCRIPTION:Ask Quist\\, Zoë',
      'X-NOTE:by Quist\\, Zoë',
      'RRULE:FREQ=DAILY;COUNT=3',
    ];
    const path = `${user.calendar}tea.ics`;
    await user.dav('PUT', path, fileOf(...vevent('tea', ...lines)), CALENDAR);
    const before = await eventOf(user);
    expect(before.title).toBe('Tea with Quist, Zoë');
    const shown = (await dav('GET', path)).text;
    expect(shown.replaceAll('\r\n ', '')).not.toContain('Quist');
    expect(shown).toContain('SUMMARY:Tea with [redacted]');
    const moved = shown.replace(/\r\nDTEND[^\r]*/, '').replace('RRULE:', 'DURATION:PT2H\r\nRRULE:');
    expect((await dav('PUT', path, moved, CALENDAR)).status).toBe(204);
    const after = await eventOf(user);
    expect(after).toMatchObject({ title: before.title, description: before.description, duration_minutes: 120 });
    expect((await user.dav('GET', path)).text.replaceAll('\r\n ', '')).toContain('X-NOTE:by Quist\\, Zoë');
    // What it cannot see whole it cannot change.
    const renamed = await dav(
      'PUT',
      path,
      shown.replace('SUMMARY:Tea with [redacted]', 'SUMMARY:Coffee with [redacted]'),
    );
    expect(renamed.status).toBe(409);
    expect(renamed.text).toContain('title');
    expect((await eventOf(user)).title).toBe(before.title);
    // When the value is removed, it sees and writes everything.
    await user.delete('/memory/remove?uid=source').expect(200);
    const whole = (await dav('GET', path)).text;
    expect(whole).toContain('SUMMARY:Tea with Quist');
    expect((await dav('PUT', path, whole.replace('SUMMARY:Tea', 'SUMMARY:Coffee'), CALENDAR)).status).toBe(204);
    expect((await eventOf(user)).title).toBe('Coffee with Quist, Zoë');
  });

  test('is not hindered by what agents set', async () => {
    const { user, dav } = await program();
    await push(user.agent, ...['the', 'ent', 'ing', 'tea', 'with'].map((authored_by) => ({ authored_by })));
    const path = `${user.calendar}tea.ics`;
    await user.dav('PUT', path, fileOf(...vevent('tea', 'SUMMARY:The tea with presenting')), CALENDAR);
    const shown = (await dav('GET', path)).text;
    expect(shown).toContain('SUMMARY:The tea with presenting');
    expect((await dav('PUT', path, shown.replace('The tea', 'A tea'), CALENDAR)).status).toBe(204);
  });
});

describe('what would tell a hidden value', () => {
  test('a hash of an entry is shown only where no value was ever hidden, that of the whole ledger too', async () => {
    const { user, agent, blind } = await people();
    await push(user, { uid: 'quote', content: 'Lunch with Ann.' });
    const withDebug = await aKey(app, user, 'agent', ['debug:read']);
    const hashes = async (who: Client): Promise<boolean> =>
      /"(payload_)?hash"/.test((await who.get('/memport/ledger')).text);
    const audit = async (who: Client) => (await who.get('/debug/audit').expect(200)).body;
    for (const who of [user, blind, agent]) expect(await hashes(who)).toBe(true);
    expect((await audit(withDebug)).head).toHaveProperty('hash');
    await push(user, { uid: 'source', authored_by: 'Ann', chat_url: 'https://chat.example/1' });
    for (const who of [blind, agent]) expect(await hashes(who)).toBe(false);
    expect(await audit(withDebug)).toMatchObject({ ok: true, head: { seq: expect.any(Number) } });
    expect((await audit(withDebug)).head).not.toHaveProperty('hash');
    // A value that is set no longer is hidden in what was written before.
    await user.patch('/memory/edit', { uid: 'source', updates: { authored_by: null, chat_url: null } }).expect(200);
    expect(await hashes(blind)).toBe(false);
    const [whole] = (await user.get('/memport/ledger?uid=source').expect(200)).body;
    expect(sha256Hex(canonicalJson(whole.payload))).toBe(whole.payload_hash);
    expect((await audit(user)).ok).toBe(true);
  });

  test('a search and filters: hidden words and tags find nothing, what is shown is found', async () => {
    const { user, agent, blind } = await people();
    await push(
      user,
      { uid: 'source', authored_by: 'Zebulonia Quist' },
      { uid: 'a', content: 'Zebulonia Quist likes tea.', tags: ['Zebulonia Quist'] },
      { uid: 'b', content: 'Zebulonia is a land.' },
    );
    const found = async (who: Client, body: object) =>
      ((await who.post('/memory/search', body).expect(200)).body as { uid: string }[]).map(({ uid }) => uid).toSorted();
    expect(await found(user, { query: 'Zebulonia' })).toEqual(['a', 'b']);
    for (const who of [blind, agent]) {
      for (const mode of ['hybrid', 'keyword']) {
        expect(await found(who, { query: 'Quist', mode })).toEqual([]);
        expect(await found(who, { query: 'Zebulonia', mode })).toEqual(['b']);
        expect(await found(who, { query: 'quists', mode })).toEqual([]);
        expect(await found(who, { query: 'tea', mode })).toEqual(['a']);
      }
      expect(await found(who, { query: 'tea', tags: ['Zebulonia Quist'] })).toEqual([]);
      const tagged = `/memory/pull?tag=${encodeURIComponent('Zebulonia Quist')}`;
      const pulled = await who.get(tagged).set('Prefer', 'count=exact').expect(200);
      expect(pulled.body).toEqual([]);
      expect(JSON.stringify(pulled.headers)).not.toMatch(/total-count":"1/);
    }
  });
});

describe('traces of earlier releases', () => {
  test('a value that an agent made counts as the agent’s, any other as the person’s; their hashes are shown to few', async () => {
    const { user, agent, blind } = await people();
    await push(agent, { uid: 'agents', authored_by: 'cat', content: 'A cat.' });
    await push(user, { uid: 'persons', authored_by: 'dog' }, { uid: 'text', content: 'The cat and the dog.' });
    // As an earlier release has stored them: no note of who set a value, all values in one column.
    const { handle } = app.database;
    await handle.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('traces' as never)
        .set({ agent_values: null, sensitive: ['cat'] } as never)
        .where('user_id' as never, '=', user.user_id as never)
        .where('uid' as never, '=', 'agents' as never)
        .execute();
      await tx
        .updateTable('traces' as never)
        .set({ agent_values: null } as never)
        .where('user_id' as never, '=', user.user_id as never)
        .where('uid' as never, '=', 'persons' as never)
        .execute();
    });
    const again = await anApp({ database: app.database });
    const seen = await fetch(`${again.url}/memory/pull?limit=100`, {
      headers: { Authorization: `Bearer ${blind.token}` },
    });
    const texts = new Map(((await seen.json()) as Trace[]).map(({ uid, content }) => [uid, content]));
    expect(texts.get('text')).toBe('The cat and the [redacted].');
    for (const who of [blind, agent]) {
      const { text } = await who.get('/memport/ledger').expect(200);
      expect(text).not.toContain('"hash"');
      expect(text).not.toContain('"payload_hash"');
    }
    expect((await user.get('/memport/ledger').expect(200)).body[0].hash).toMatch(/^[0-9a-f]{64}$/);
    await again.close();
  });
});
