/** The archive of an account as the body of an import, and zips that are none; proposals that waited wait again. */
import { once } from 'node:events';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { aUser, anApp, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { unzipped } from '../support/zip.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const zipOf = async (files: [name: string, content: Buffer | string][]): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [name, content] of files) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  const chunks: Buffer[] = [];
  zip.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(zip.outputStream, 'end');
  return Buffer.concat(chunks);
};
const send = (who: Client, zip: Buffer) =>
  request(app.server)
    .post('/memport/import')
    .set({ Authorization: `Bearer ${who.token}`, 'Content-Type': 'application/zip' })
    .send(zip);
const archiveOf = async (who: Client): Promise<Buffer> => {
  const { body } = await who
    .get('/user/archive')
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => done(null, Buffer.concat(chunks)));
    })
    .expect(200);
  return body;
};
const calendarInto = (who: Client, text: string) =>
  request(app.server)
    .post('/calendar/import')
    .set({ Authorization: `Bearer ${who.token}`, 'Content-Type': 'text/calendar' })
    .send(text)
    .expect(200);

const action = (uid: string, more: object = {}) => ({
  uid,
  action_type: 'schedule',
  title: `Plan ${uid}`,
  reasoning: 'It is time.',
  scheduled_for: '2026-11-24T10:00',
  duration_minutes: 45,
  ...more,
});
const aTrace = (uid: string, more: object = {}) =>
  JSON.stringify({ uid, type: 'observation', content: `About ${uid}`, timestamp: '2026-11-20T10:00:00Z', ...more });

type Plan = { uid: string; status: string; origin: string; title: string; version: number };
const queueOf = async (who: Client): Promise<Plan[]> => (await who.get('/agent/queue?status=pending').expect(200)).body;

describe('the archive of another account', () => {
  let archive: Buffer;
  let giver: TestUser;
  let heir: TestUser;

  beforeAll(async () => {
    giver = await aUser(app);
    await giver.post('/memory/push', { traces: [{ uid: 'a', type: 'observation', content: 'A' }] }).expect(201);
    await giver
      .post('/calendar/create', {
        uid: 'lesson',
        title: 'Lesson',
        scheduled_for: '2026-11-26T10:00',
        duration_minutes: 60,
      })
      .expect(201);
    await giver.agent
      .post('/agent/plan', {
        actions: [
          action('waits'),
          action('series', { scheduled_for: '2026-11-25T10:00', rrule: 'FREQ=DAILY;COUNT=3' }),
          action('moves', {
            action_type: 'reschedule',
            target_event_uid: 'lesson',
            scheduled_for: '2026-11-27T10:00',
            duration_minutes: undefined,
          }),
          action('refused', { scheduled_for: '2026-11-24T12:00' }),
          action('done', { scheduled_for: '2026-11-24T14:00' }),
          { uid: 'whenever', action_type: 'log', title: 'Whenever' },
        ],
      })
      .expect(200);
    await giver.post('/agent/plan', { actions: [action('own', { scheduled_for: '2026-11-24T16:00' })] }).expect(200);
    await giver.post('/agent/reject', { uid: 'refused' }).expect(200);
    await giver.post('/agent/approve', { uid: 'done' }).expect(200);
    archive = await archiveOf(giver);
    heir = await aUser(app);
  });

  test('is imported whole, and its waiting proposals wait again', async () => {
    await calendarInto(heir, unzipped(archive).get('calendar.ics') as string);
    const lines = (unzipped(archive).get('traces.jsonl') as string).trim().split('\n');
    const { body } = await send(heir, archive).expect(200);
    expect(body).toMatchObject({ unchanged: 0, waiting: 5 });
    // The traces of the events exist already: the calendar was imported before.
    expect(body.created + body.conflicts.length).toBe(lines.length);
    const waiting = (await queueOf(heir)).map(({ uid, origin }) => `${uid} ${origin}`).toSorted();
    expect(waiting).toEqual(['moves agent', 'own user', 'series agent', 'waits agent', 'whenever agent']);
    const mine = (await giver.get('/agent/plan?uid=series').expect(200)).body;
    const there = (await heir.get('/agent/plan?uid=series').expect(200)).body;
    for (const field of ['title', 'rrule', 'scheduled_for', 'expires_at', 'repeats_until', 'reasoning', 'proposed_by'])
      expect([field, there[field]]).toEqual([field, mine[field]]);
    const again = (await send(heir, archive).expect(200)).body;
    expect(again).toMatchObject({ created: 0, waiting: 0, unchanged: body.created });
  });

  test('they are decided as any other, by the person only', async () => {
    await heir.agent.post('/agent/approve', { uid: 'waits' }).expect(403);
    for (const uid of ['waits', 'moves', 'series'])
      expect((await heir.post('/agent/approve', { uid }).expect(200)).body).toMatchObject({ uid, status: 'executed' });
    const events = (await heir.get('/calendar/events?start=2026-11-24&end=2026-11-28').expect(200)).body;
    const at = (title: string) => events.find((event: Plan) => event.title === title)?.scheduled_for;
    expect(at('Plan waits')).toBe('2026-11-24T09:00:00.000Z');
    expect(at('Lesson')).toBe('2026-11-27T09:00:00.000Z');
    await heir.post('/agent/reject', { uid: 'own' }).expect(200);
    await heir.post('/agent/approve', { uid: 'refused' }).expect(409);
    expect((await heir.get('/debug/audit').expect(200)).body.ok).toBe(true);
    const { body } = await heir.get('/agent/changes?after=0&limit=500').expect(200);
    const proposed = body.changes.filter(({ type }: { type: string }) => type === 'plan.proposed');
    expect(proposed).toHaveLength(5);
  });

  test('it needs plan:decide, so no agent fills the queue by it', async () => {
    expect((await send(giver.agent, archive).expect(403)).body.code).toBe('insufficient_scope');
  });
});

describe('a plan of a file waits only where the service could have proposed it', () => {
  const plan = (uid: string, more: object) =>
    aTrace(uid, {
      ...{ type: 'agent_plan', origin: 'agent', action_type: 'schedule', status: 'proposed', title: `Plan ${uid}` },
      ...{ scheduled_for: '2026-11-25T10:00:00Z', duration_minutes: 30, expires_at: '2030-01-01T00:00:00Z' },
      ...more,
    });

  test('everything else is a record', async () => {
    const user = await aUser(app);
    const plans = [
      plan('good', {}),
      plan('no-origin', { origin: undefined }),
      plan('a-record', { origin: 'import' }),
      plan('of-nobody', { origin: 'system' }),
      plan('past', { scheduled_for: '2026-11-20T10:00:00Z' }),
      plan('lapsed', {
        action_type: 'log',
        scheduled_for: null,
        duration_minutes: null,
        expires_at: '2026-11-20T10:00:00Z',
      }),
      plan('incomplete', { duration_minutes: null }),
      plan('foreign', { arguments: { cancel: true } }),
      plan('unknown', { arguments: { run: 'rm -rf' } }),
      plan('decided', { decision: { by: 'user:x', code: 'user', note: null, at: '2026-11-20T10:00:00Z' } }),
      plan('executed', { executed_at: '2026-11-20T10:00:00Z' }),
      plan('with-results', { child_trace_ids: ['made'] }),
      plan('endless', { rrule: 'FREQ=SECONDLY' }),
      plan('no-occurrence', { rrule: 'FREQ=DAILY;COUNT=1', exdates: ['2026-11-25T10:00:00Z'], timezone: 'UTC' }),
      plan('untitled', { title: '  ' }),
      plan('half-swap', { swaps_with: 'good' }),
    ];
    const { body } = await send(user, await zipOf([['traces.jsonl', plans.join('\n')]])).expect(200);
    expect(body).toEqual({ created: plans.length, unchanged: 0, waiting: 1, conflicts: [] });
    expect((await queueOf(user)).map(({ uid }) => uid)).toEqual(['good']);
    // The time at which it lapses is the service's.
    expect((await user.get('/agent/plan?uid=good').expect(200)).body.expires_at).toBe('2026-11-25T10:00:00.000Z');
    expect((await user.get('/debug/audit').expect(200)).body.ok).toBe(true);
  });

  test('one without what it does is a fault, whatever else it says', async () => {
    const user = await aUser(app);
    const broken = plan('nothing', { action_type: undefined, arguments: { location: 'Room' } });
    const { body } = await send(user, await zipOf([['traces.jsonl', broken]])).expect(422);
    expect(body.errors).toMatchObject([{ path: '/traces/0/action_type', code: 'required' }]);
  });

  const halfOf = (uid: string, swaps_with: string, more: object = {}) =>
    plan(uid, { action_type: 'reschedule', target_event_uid: `${uid}-event`, swaps_with, ...more });

  test('two that name each other wait only where they can exchange places', async () => {
    const user = await aUser(app);
    const cancels = { arguments: { cancel: true }, scheduled_for: null, duration_minutes: null };
    const plans = [
      halfOf('cancel-1', 'cancel-2', cancels),
      halfOf('cancel-2', 'cancel-1', cancels),
      plan('new-1', { swaps_with: 'new-2' }),
      plan('new-2', { swaps_with: 'new-1' }),
      halfOf('moves', 'makes'),
      plan('makes', { swaps_with: 'moves' }),
      halfOf('itself', 'itself'),
      halfOf('one', 'other'),
      halfOf('other', 'one'),
    ];
    const { body } = await send(user, await zipOf([['traces.jsonl', plans.join('\n')]])).expect(200);
    expect(body).toMatchObject({ created: plans.length, waiting: 2 });
    expect((await queueOf(user)).map(({ uid }) => uid).toSorted()).toEqual(['one', 'other']);
  });

  test('the halves of a swap wait wherever they stand in the file', async () => {
    const user = await aUser(app);
    const between = Array.from({ length: 60 }, (_, i) => aTrace(`t${i}`));
    const plans = [aTrace('first'), halfOf('one', 'other'), ...between, halfOf('other', 'one')];
    const { body } = await send(user, await zipOf([['traces.jsonl', plans.join('\n')]])).expect(200);
    expect(body).toMatchObject({ created: plans.length, waiting: 2 });
  });

  test('more than may wait become records', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 5_040 }, (_, i) => plan(`p${i}`, { action_type: 'log' }));
    // The last place is not enough for both halves of a swap.
    const [pair, rest] = [[halfOf('one', 'other'), halfOf('other', 'one')], many.splice(4_999)];
    const lines = [aTrace('first'), ...many, ...pair, ...rest];
    const { body } = await send(user, await zipOf([['traces.jsonl', lines.join('\n')]])).expect(200);
    expect(body).toMatchObject({ created: 5_043, waiting: 5_000 });
    expect((await user.get('/agent/plan?uid=one').expect(200)).body.origin).toBe('import');
    expect((await user.get('/agent/plan?uid=p4999').expect(200)).body.origin).toBe('agent');
    const refused = await user.agent.post('/agent/plan', { actions: [action('more')] }).expect(409);
    expect(refused.body.code).toBe('too_many_pending');
  });
});

describe('a zip that is no archive', () => {
  const NAME = 'traces.jsonl';
  type Said = { size?: number; flags?: number; method?: number };
  /** A zip whose directory says what the test wants. */
  const forged = (files: [name: string, data: Buffer][], said: Said = {}): Buffer => {
    const locals: Buffer[] = [];
    const centrals: Buffer[] = [];
    let offset = 0;
    for (const [path, data] of files) {
      const packed = deflateRawSync(data);
      const name = Buffer.from(path);
      const common = Buffer.alloc(26);
      common.writeUInt16LE(20, 0);
      common.writeUInt16LE(said.flags ?? 0, 2);
      common.writeUInt16LE(said.method ?? 8, 4);
      common.writeUInt32LE(packed.length, 14);
      common.writeUInt32LE(said.size ?? data.length, 18);
      common.writeUInt16LE(name.length, 22);
      const place = Buffer.alloc(14);
      place.writeUInt32LE(offset, 10);
      locals.push(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]));
      centrals.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 0]), common, place, name]));
      offset += locals.at(-1)?.length ?? 0;
    }
    const central = Buffer.concat(centrals);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(files.length, 8);
    end.writeUInt16LE(files.length, 10);
    end.writeUInt32LE(central.length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...locals, central, end]);
  };
  const one = Buffer.from(aTrace('a'));
  const MIB = 2 ** 20;
  const spaces = (n: number) => Buffer.alloc(n, 0x20);
  const CASES: [what: string, zip: () => Buffer | Promise<Buffer>, status: number, says: RegExp][] = [
    [
      'random bytes',
      () => Buffer.from(fc.sample(fc.uint8Array({ minLength: 5_000, maxLength: 5_000 }), 1)[0]!),
      400,
      /The zip cannot be read/,
    ],
    ['nothing', () => Buffer.from('PK'), 400, /The zip cannot be read/],
    ['a zip that was cut', async () => (await zipOf([[NAME, aTrace('a')]])).subarray(0, -30), 400, /cannot be read/],
    ['a zip of other files', () => zipOf([['photo.jpg', 'x']]), 400, /no file traces\.jsonl/],
    ['a path to it', () => zipOf([[`a/${NAME}`, aTrace('a')]]), 400, /no file traces\.jsonl/],
    ['a path upwards', () => forged([[`../../${NAME}`, one]]), 400, /invalid relative path/],
    ['an absolute path', () => forged([[`/${NAME}`, one]]), 400, /absolute path/],
    ['a backslash', () => forged([[`..\\${NAME}`, one]]), 400, /invalid characters|invalid relative/],
    [
      'ten thousand files',
      () => forged([...Array.from({ length: 10_000 }, (_, i): [string, Buffer] => [`f${i}`, one]), [NAME, one]]),
      413,
      /has 10001 files/,
    ],
    ['a file that grows a thousandfold', () => zipOf([[NAME, spaces(64 * MIB)]]), 413, /more than 24 MiB/],
    ['a file that says it is small', () => forged([[NAME, spaces(64 * MIB)]], { size: 100 }), 400, /too many bytes/],
    ['a file that says it is larger', () => forged([[NAME, one]], { size: 5_000 }), 400, /not enough bytes/],
    ['an encrypted file', () => forged([[NAME, one]], { flags: 1 }), 400, /encrypted/],
    ['another compression', () => forged([[NAME, one]], { method: 99 }), 400, /unsupported compression/],
    ['a line without an end', () => zipOf([[NAME, `"${'x'.repeat(5 * MIB)}"`]]), 413, /longer than any trace/],
    ['bytes that are not UTF-8', () => zipOf([[NAME, Buffer.from([0x22, 0xff, 0xfe, 0x22])]]), 400, /cannot be read/],
    ['a line that is not JSON', () => zipOf([[NAME, `${aTrace('a')}\n{"uid":`]]), 400, /Line 2 is not valid JSON/],
    ['a line that is no trace', () => zipOf([[NAME, `${aTrace('a')}\n7`]]), 422, /./],
    ['too many traces', () => zipOf([[NAME, Array.from({ length: 50_001 }, () => '{}').join('\n')]]), 422, /./],
  ];

  test.each(CASES)('%s is refused, and nothing is imported', async (_what, zip, status, says) => {
    const user = await aUser(app);
    const answer = await send(user, await zip());
    expect({ status: answer.status, type: answer.type }).toEqual({ status, type: 'application/problem+json' });
    expect(answer.body.detail).toMatch(says);
    expect((await user.get('/memory/pull').expect(200)).body).toEqual([]);
  });

  test('other routes take no zip, and lines without an end are taken', async () => {
    const user = await aUser(app);
    const zip = await zipOf([
      ['README', ''],
      [NAME, `${aTrace('a')}\r\n\r\n${aTrace('b', { content: 'Über 😀' })}`],
    ]);
    expect((await send(user, zip).expect(200)).body.created).toBe(2);
    await request(app.server)
      .post('/memory/push')
      .set({ Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/zip' })
      .send(zip)
      .expect(415);
  });
});
