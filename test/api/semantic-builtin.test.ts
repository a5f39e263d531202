/** The built-in embedder: vectors for what was written before pgvector was there, and the same order with filters as without. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, client, type Client, type TestApp } from '../support/app.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { hasVectors, IF_VECTORS } from '../support/vectors.ts';

let database: TestDatabase;
const apps: TestApp[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
afterAll(() => database.close());

const instance = async (vectors = true): Promise<TestApp> => {
  const app = await anApp({ database, overrides: { vectors } });
  apps.push(app);
  return app;
};
const push = (who: Client, traces: { uid?: string; content: string }[]) =>
  who.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);
const edit = (who: Client, uid: string, content: string) =>
  who.patch('/memory/edit', { uid, updates: { content } }).expect(200);
const uids = async (who: Client, body: object): Promise<string[]> =>
  (await who.post('/memory/search', { mode: 'semantic', ...body }).expect(200)).body.map((h: { uid: string }) => h.uid);

describe.skipIf(!hasVectors)(`the built-in embedder${IF_VECTORS}`, () => {
  test('gives old traces the vectors they lack, as if it had always been there', async () => {
    const { db } = database.handle;
    const app = await instance();
    const user = await aUser(app);
    await push(
      user,
      Array.from({ length: 70 }, (_, i) => ({ uid: `t${i}`, content: `note number ${i}` })),
    );
    for (let i = 0; i < 10; i++) await edit(user, `t${i}`, `another note ${i}`);
    await edit(user, 't3', 'a third text');
    await user.post('/agent/feedback', { uid: 't4', feedback_rating: 2 }).expect(200);
    await user.delete('/memory/remove?uid=t5').expect(200);
    await user.delete('/memory/remove?uid=t50').expect(200);
    const all = async () => {
      const { rows } = await sql`
        select uid, seq, null as until, model, embedding::text from embeddings where user_id = ${user.user_id}
        union all select uid, seq, until, model, embedding::text from embeddings_past where user_id = ${user.user_id}
        order by uid, seq`.execute(db);
      return rows;
    };
    const whole = await all();
    expect(whole).toHaveLength(70 + 11 + 1); // feedback leaves a trace, too
    // pgvector came late: some of it was written before
    await sql`delete from embeddings where user_id = ${user.user_id} and right(uid, 1) in ('0', '3', '4', '7')`.execute(
      db,
    );
    await sql`delete from embeddings_past where user_id = ${user.user_id}`.execute(db);
    const later = await instance();
    await later.embeddings.settle();
    expect(await all()).toEqual(whole);
  });

  test('finds what an instance without pgvector wrote, from the next start on', async () => {
    const blind = await instance(false);
    const user = await aUser(blind);
    await push(user, [{ uid: 'a', content: 'the harbour opens at nine' }]);
    const seeing = await instance();
    const someone = client(seeing, user.token);
    expect(await uids(someone, { query: 'harbours' })).toEqual([]);
    await seeing.embeddings.settle();
    expect(await uids(someone, { query: 'harbours' })).toEqual(['a']);
  });

  test('is replaced in the vectors of an earlier release, and semantic search finds their traces by words meanwhile', async () => {
    const { db } = database.handle;
    const app = await instance();
    const user = await aUser(app);
    await push(
      user,
      Array.from({ length: 40 }, (_, i) => ({ uid: `t${i}`, content: `the dog number ${i} barked` })),
    );
    for (let i = 0; i < 5; i++) await edit(user, `t${i}`, `the dentist called ${i} times`);
    const all = async () =>
      (
        await sql`
          select uid, seq, model, embedding::text from embeddings where user_id = ${user.user_id}
          union all select uid, seq, model, embedding::text from embeddings_past where user_id = ${user.user_id}
          order by uid, seq`.execute(db)
      ).rows;
    const whole = await all();
    for (const table of ['embeddings', 'embeddings_past'])
      await sql`
        update ${sql.table(table)} set model = 'builtin-hash-384', embedding = array_fill(0.5, array[384])::vector
        where user_id = ${user.user_id}`.execute(db);
    // Another instance works on this ledger, or did until it was killed.
    const claimed = (until: string) =>
      sql`
      insert into embedding_progress (user_id, model, claimed_until)
      values (${user.user_id}, 'builtin-words-128', now() + ${until}::interval)
      on conflict (user_id, model) do update set claimed_until = excluded.claimed_until`.execute(db);
    await claimed('1 hour');
    const later = await instance();
    later.embeddings.start();
    const someone = client(later, user.token);
    const { body } = await someone
      .post('/memory/search', { query: 'dog 17', mode: 'semantic', explain: true })
      .expect(200);
    expect(body[0]).toMatchObject({ uid: 't17', explain: { arms: { keyword: { matched: ['dog', '17'] } } } });
    expect(body[0].explain.waiting).toBeGreaterThan(40);
    expect((await someone.get('/metrics').expect(200)).text).toMatch(/^almanac_embedding_lag [1-9]/m);
    await claimed('-1 second');
    await later.embeddings.settle();
    expect(await all()).toEqual(whole);
    expect(await uids(someone, { query: 'pet', limit: 100 })).toContain('t17');
    expect((await someone.get('/metrics').expect(200)).text).toMatch(/^almanac_embedding_lag 0$/m);
  });

  test('ranks by meaning in mode hybrid what words have found, and adds what they have not where that is little', async () => {
    const app = await instance();
    const user = await aUser(app);
    await push(user, [
      { uid: 'dentist', content: 'I must see somebody about my tooth, and the dentist is nice' },
      { uid: 'film', content: 'I must see somebody in that film, and the cinema is nice' },
      { uid: 'pet', content: 'A pet slept' },
    ]);
    const ask = async (query: string) =>
      (await user.post('/memory/search', { query, explain: true }).expect(200)).body as {
        uid: string;
        explain: { arms: Record<string, { score: number; embedder?: string }> };
      }[];
    const found = await ask('whom must I see for medical care?');
    expect(found.map((h) => h.uid)).toEqual(['dentist', 'film']);
    expect(found[0]?.explain.arms['semantic']).toMatchObject({ rank: 1, embedder: 'builtin-words-128' });
    const [dog, ...others] = await ask('dog');
    expect(dog).toMatchObject({ uid: 'pet', explain: { arms: { semantic: { rank: 1 } } } });
    expect(dog?.explain.arms).not.toHaveProperty('keyword');
    expect(others).toEqual([]);
  });

  test('ranks alike with filters that let everything pass and without', async () => {
    const app = await instance();
    const user = await aUser(app);
    const words = 'harbour pilot storm sail crew rope paint coffee anchor chart'.split(' ');
    await push(
      user,
      Array.from({ length: 120 }, (_, i) => ({
        uid: `t${i}`,
        content: words.filter((_, k) => (i * 7 + k * k * (i + 3)) % 3 === 0).join(' ') || '!',
      })),
    );
    for (const query of ['harbours', 'pilots in a storm', 'ropes and paint']) {
      const all = await uids(user, { query, limit: 100 });
      expect(all.length).toBeGreaterThan(10);
      expect(await uids(user, { query, limit: 100, type: 'observation' })).toEqual(all);
    }
    expect(await uids(user, { query: '!!!' })).toEqual([]);
  });
});
