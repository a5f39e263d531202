/** Embeddings of a model: made behind the writes, by whoever is there, for every version and once; and search that never depends on them. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EMBEDDER } from '../../src/domain/text/word-embedder.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { onPostgres, testDatabase, type TestDatabase } from '../support/db.ts';
import { aModel, embeds, fails, garbles, hangs, hangsUp, strays, tooMany, type StubModel } from '../support/model.ts';
import { hasVectors, IF_VECTORS } from '../support/vectors.ts';

type Explain = {
  arms: { semantic?: { embedder: string } };
  degraded?: { semantic: string };
  waiting?: number;
};
type Hit = { uid: string; summary: string; explain: Explain };

let database: TestDatabase;
let model: StubModel;
const apps: TestApp[] = [];

beforeAll(async () => {
  database = await testDatabase();
  model = await aModel(embeds());
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
afterAll(async () => {
  await model.close();
  await database.close();
});

const NAME = 'stub-embedding';
const withModel = async (name = NAME): Promise<TestApp> => {
  const env = { OPENAI_BASE_URL: model.baseURL, OPENAI_EMBEDDING_MODEL: name };
  const app = await anApp({ database, env });
  apps.push(app);
  return app;
};

const push = (who: Client, traces: { uid?: string; content: string }[]) =>
  who.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);
const search = async (who: Client, body: object): Promise<Hit[]> =>
  (await who.post('/memory/search', { explain: true, mode: 'semantic', ...body }).expect(200)).body;
const first = async (who: Client, body: object): Promise<Hit> => (await search(who, body))[0] as Hit;
const edit = (who: Client, uid: string, content: string) =>
  who.patch('/memory/edit', { uid, updates: { content } }).expect(200);

/** Texts of these users that were asked for, in order. */
const asked = (): string[] => model.requests.flatMap((r) => r.body.input).filter((text) => text.includes('#'));
const rows = async (user_id: string) => {
  const { rows } = await sql<{ uid: string; seq: number; until: number; model: string }>`
    select uid, seq, until, model from model_embeddings where user_id = ${user_id} order by model, uid, seq`.execute(
    database.handle.db,
  );
  return rows;
};
const metric = async (who: Client, name: string): Promise<number> => {
  const { text } = await who.get('/metrics').expect(200);
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
};

describe.skipIf(!hasVectors)(`a model that embeds${IF_VECTORS}`, () => {
  let app: TestApp;
  let user: TestUser;
  beforeEach(async () => {
    model.script(embeds());
    app = await withModel();
    user = await aUser(app);
  });

  test('is behind the writes, tells so, and then finds by meaning', async () => {
    await push(user, [
      { uid: 'car', content: 'The car broke down.' },
      { uid: 'dog', content: 'A dog barked.' },
    ]);
    expect(await search(user, { query: 'Kraftwagen' })).toEqual([]); // no English word: the built-in embedder can't know
    expect((await first(user, { query: 'car' })).explain).toMatchObject({
      arms: { semantic: { embedder: EMBEDDER } },
      degraded: { semantic: expect.stringContaining('has read 0 of') },
    });
    expect(await metric(user, 'almanac_embedding_lag')).toBeGreaterThan(1);
    await app.embeddings.settle();
    const hit = await first(user, { query: 'automobile' });
    expect(hit).toMatchObject({ uid: 'car', explain: { arms: { semantic: { embedder: NAME } } } });
    expect(hit.explain).not.toHaveProperty('degraded');
    expect(hit.explain).not.toHaveProperty('waiting');
    expect(model.requests.every((r) => r.path === '/v1/embeddings' && r.body.model === NAME)).toBe(true);
    expect(await first(user, { query: 'automobile', mode: 'hybrid' })).toMatchObject({ uid: 'car' });

    await push(
      user,
      Array.from({ length: 2 }, (_, i) => ({ content: `vehicle ${i}` })),
    );
    await push(
      user,
      Array.from({ length: 20 }, () => ({ content: 'salary' })),
    ).then(() => app.embeddings.settle());
    await push(user, [{ content: 'hound' }]);
    expect((await first(user, { query: 'automobile' })).explain.waiting).toBe(1);
    expect(await metric(user, 'almanac_embedding_lag')).toBe(1);
  });

  test('follows edits and removals, and search as of then sees what was meant then', async () => {
    const [saved] = (
      await push(user, [
        { uid: 'a', content: 'my car' },
        { uid: 'b', content: 'my salary' },
      ])
    ).body;
    const states: [seq: number, found: string | undefined][] = [
      [saved.seq - 1, undefined],
      [saved.seq, 'car'],
    ];
    await app.embeddings.settle();
    const texts = ['my dog', 'my doctor', 'my dog', 'my puppy'];
    for (const [i, text] of texts.entries()) {
      const { body } = await edit(user, 'a', text);
      states.push([body.seq, text.split(' ')[1]]);
      await user.post('/agent/feedback', { uid: 'a', feedback_rating: 4 }).expect(200); // another version, the same text
      if (i % 2) await app.embeddings.settle();
    }
    await user.delete('/memory/remove?uid=a').expect(200);
    await app.embeddings.settle();
    for (const [seq, word] of states) {
      const found = word === undefined ? [] : [`my ${word}`];
      const hits = await search(user, { query: word ?? 'car', as_of: seq });
      expect(
        hits.filter((h) => h.uid === 'a').map((h) => h.summary),
        `${seq}`,
      ).toEqual(found);
      if (word) expect(hits[0]?.explain.arms.semantic?.embedder).toBe(NAME);
    }
    expect((await search(user, { query: 'dog' })).map((h) => h.uid)).not.toContain('a');
    const kept = await rows(user.user_id);
    expect(kept.filter((r) => r.uid === 'a')).toHaveLength(1 + texts.length);
  });

  test.each([
    ['hangs up', hangsUp()],
    ['is too busy', tooMany('3600')],
    ['fails', fails(500)],
    ['refuses the key', fails(401)],
    ['answers no JSON', garbles()],
    ['answers something else', strays({ hello: 'there' })],
    ['answers too few', strays({ data: [] })],
    ['answers NaN', strays({ data: [{ embedding: [null, 1] }] })],
    ['answers numbers beyond a float', strays({ data: [{ embedding: [1e300, 1] }] })],
  ])('that %s keeps nobody waiting and loses nothing', async (_, behaviour) => {
    model.script(behaviour);
    await push(user, [{ uid: 'car', content: 'The car broke down.' }]);
    await expect(app.embeddings.settle()).rejects.toThrow(/^(could|answered|broke|took)/);
    const hit = await first(user, { query: 'a car' });
    expect(hit).toMatchObject({ uid: 'car', explain: { arms: { semantic: { embedder: EMBEDDER } } } });
    expect(hit.explain.degraded?.semantic).toMatch(/^the embedding model .* the built-in embedder answers$/);
    expect(hit.explain.degraded?.semantic).not.toMatch(/sk-|pw@|127\.0/);
    await search(user, { query: 'a car', mode: 'hybrid' });
    expect(await rows(user.user_id)).toEqual([]);
    model.script(embeds());
    await app.embeddings.settle();
    expect(await rows(user.user_id)).toHaveLength(1);
  });

  test('that never answers is not waited for by searches, and then not asked for a while', async () => {
    await push(user, [{ uid: 'car', content: 'The car broke down.' }]);
    await app.embeddings.settle();
    model.script(hangs());
    const late = await Promise.all([1, 2, 3].map(() => first(user, { query: 'a car' })));
    for (const hit of late)
      expect(hit).toMatchObject({
        uid: 'car',
        explain: { degraded: { semantic: expect.stringContaining('too long') } },
      });
    expect(model.requests).toHaveLength(1);
    await search(user, { query: 'another car' });
    expect(model.requests).toHaveLength(1);
  });

  test('says how long it wants to be left alone', async () => {
    model.script(tooMany('7'));
    await push(user, [{ content: 'x' }]);
    await expect(app.embeddings.settle()).rejects.toMatchObject({ wait: 7000, fault: 'endpoint' });
  });

  test('is given shorter pieces of what it won’t take; what it never takes is skipped and told', async () => {
    const skipped = await metric(user, 'almanac_embedding_skipped');
    model.script(embeds(8, (text) => text.includes('POISON') || text.length > 3_000));
    await push(user, [
      ...Array.from({ length: 40 }, (_, i) => ({ uid: `t${i}`, content: `dog number ${i}` })),
      { uid: 'bad', content: 'POISON car' },
      { uid: 'long', content: `My car. ${'x '.repeat(20_000)}` },
      { uid: 'blank', content: ' ' },
    ]);
    await app.embeddings.settle();
    const uids = new Set((await rows(user.user_id)).map((r) => r.uid));
    expect(uids.size).toBe(41);
    expect(uids.has('long')).toBe(true);
    expect(uids.has('bad')).toBe(false);
    expect(await metric(user, 'almanac_embedding_skipped')).toBe(skipped + 1);
    expect((await first(user, { query: 'vehicle' })).uid).toBe('long');
    expect((await search(user, { query: 'POISON', mode: 'hybrid' })).map((h) => h.uid)).toContain('bad');
  });

  test('that dies on one text gives the others: the text is skipped', async () => {
    const dies = hangsUp();
    const lives = embeds();
    model.script((request, response) =>
      (request.body.input.some((text) => text.includes('POISON')) ? dies : lives)(request, response),
    );
    await push(user, [
      { uid: 'car', content: 'My car.' },
      { uid: 'bad', content: 'POISON' },
      { uid: 'dog', content: 'My dog.' },
    ]);
    await app.embeddings.settle();
    expect((await rows(user.user_id)).map((r) => r.uid)).toEqual(['car', 'dog']);
  });

  test('is asked for each text once, by two instances at work at once', async () => {
    const other = await withModel();
    const users = await Promise.all([1, 2, 3, 4].map(() => aUser(app)));
    model.script(embeds());
    for (const [i, someone] of users.entries())
      await push(
        someone,
        Array.from({ length: 50 }, (_, k) => ({ content: `car #${i}-${k}` })),
      );
    for (let turn = 0; turn < 20; turn++) await Promise.all([app.embeddings.settle(), other.embeddings.settle()]);
    expect(asked().toSorted()).toEqual([...new Set(asked())].toSorted());
    expect(asked()).toHaveLength(200);
    for (const someone of users) expect(await rows(someone.user_id)).toHaveLength(50);
  });

  test('goes on where an instance died, once its claim has run out', async () => {
    const { db } = database.handle;
    await push(
      user,
      Array.from({ length: 100 }, (_, i) => ({ uid: `t${i}`, content: `dog #${i}` })),
    );
    model.script(embeds(), embeds(), embeds(), hangs()); // the first is the canary
    const dying = app.embeddings.settle().catch(() => undefined);
    while (model.requests.length < 4) await new Promise((later) => setTimeout(later, 10));
    // kill -9: nothing is given back, and the answer on its way never arrives
    await sql`update embedding_progress set claimed_until = now() + interval '1 hour' where user_id = ${user.user_id}`.execute(
      db,
    );
    const there = (await rows(user.user_id)).length;
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(100);

    model.script(embeds());
    const fresh = await withModel();
    await fresh.embeddings.settle();
    expect(await rows(user.user_id)).toHaveLength(there); // in other hands, for all it knows
    await sql`update embedding_progress set claimed_until = now() - interval '1 second' where user_id = ${user.user_id}`.execute(
      db,
    );
    await fresh.embeddings.settle();
    expect(await rows(user.user_id)).toHaveLength(100);
    expect(new Set(asked()).size).toBe(asked().length);
    await app.embeddings.stop(); // the one presumed dead comes back with its answer, too late
    await dying;
    expect(await rows(user.user_id)).toHaveLength(100);
  });

  test('may be exchanged for another, with vectors of another length: the built-in one serves meanwhile', async () => {
    await push(user, [{ uid: 'car', content: 'The car broke down.' }]);
    await app.embeddings.settle();
    model.script(embeds(12));
    const next = await withModel('other-embedding');
    const someone = client(next, user.token);
    expect((await first(someone, { query: 'the car' })).explain.arms.semantic?.embedder).toBe(EMBEDDER);
    await next.embeddings.settle();
    const hit = await first(someone, { query: 'automobile' });
    expect(hit).toMatchObject({ uid: 'car', explain: { arms: { semantic: { embedder: 'other-embedding' } } } });
    expect((await rows(user.user_id)).map((r) => r.model)).toEqual(['other-embedding/12', `${NAME}/8`]);
    // The first one still answers from its own.
    model.script(embeds());
    expect((await first(user, { query: 'vehicle' })).explain.arms.semantic?.embedder).toBe(NAME);
  });

  test('whose vectors change their length behind its name is read anew', async () => {
    await push(user, [{ uid: 'car', content: 'The car broke down.' }]);
    await app.embeddings.settle();
    model.script(embeds(16));
    await push(user, [{ uid: 'dog', content: 'A dog.' }]);
    await expect(app.embeddings.settle()).rejects.toThrow('another length');
    await app.embeddings.settle();
    expect((await rows(user.user_id)).map((r) => `${r.model} ${r.uid}`)).toEqual([
      `${NAME}/16 car`,
      `${NAME}/16 dog`,
      `${NAME}/8 car`,
    ]);
    expect((await first(user, { query: 'automobile' })).uid).toBe('car');
  });

  test('a walk keeps to the embedder it began with', async () => {
    await push(
      user,
      Array.from({ length: 30 }, (_, i) => ({ uid: `t${i}`, content: `my car ${i}` })),
    );
    const seen: string[] = [];
    let path = '/memory/search';
    let link = '';
    for (let page = 0; path && page < 5; page++) {
      const { body, headers } = await user
        .post(path, { query: 'my car', mode: 'semantic', limit: 10, explain: true })
        .expect(200);
      for (const hit of body as Hit[]) expect(hit.explain.arms.semantic?.embedder).toBe(EMBEDDER);
      seen.push(...(body as Hit[]).map((h) => h.uid));
      path = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? '';
      link ||= path;
      await app.embeddings.settle();
    }
    const [token = ''] = /(?<=cursor=)[^&]+/.exec(link) ?? [];
    const cursor = JSON.parse(Buffer.from(token, 'base64url').toString()) as { key: unknown[] };
    for (const key of [
      [10, NAME],
      [10, 5, 5],
      [10, NAME, 1.5],
      [10, NAME, 'x'],
      ['x', NAME, 5],
    ]) {
      const forged = Buffer.from(JSON.stringify({ ...cursor, key })).toString('base64url');
      const answer = user.post(`/memory/search?cursor=${forged}`, {
        query: 'my car',
        mode: 'semantic',
        limit: 10,
        explain: true,
      });
      expect((await answer.expect(422)).body.code).toBe('invalid_cursor');
    }
    expect(new Set(seen).size).toBe(30);
    expect(seen).toHaveLength(30);
  });

  test('works by itself after each write while the service runs', async () => {
    app.embeddings.start();
    await push(user, [{ uid: 'car', content: 'The car broke down.' }]);
    while (!(await rows(user.user_id)).length) await new Promise((later) => setTimeout(later, 20));
    await push(user, [{ uid: 'dog', content: 'A dog.' }]);
    while ((await rows(user.user_id)).length < 2) await new Promise((later) => setTimeout(later, 20));
    expect((await first(user, { query: 'automobile' })).uid).toBe('car');
  });

  test('what goes with an account goes', async () => {
    await push(user, [{ content: 'car' }]);
    await app.embeddings.settle();
    await sql`delete from embedding_progress where user_id = ${user.user_id}`.execute(database.handle.db);
    expect(await rows(user.user_id)).toEqual([]);
  });
});

test('instances that start at once agree whether vectors are possible', async () => {
  const own = await testDatabase();
  const second = onPostgres ? await own.again() : own.handle;
  const both = await Promise.all([own.handle, second, own.handle, second].map(({ db }) => ensureVectors(db)));
  expect(both.map(({ vectors }) => vectors)).toEqual([own.vectors, own.vectors, own.vectors, own.vectors]);
  if (onPostgres) await second.close();
  await own.close();
});
