/** What an agent can use up of what the account may hold: never all of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, client, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { follow, refusal, type Follower } from '../support/follower.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp({ overrides: { live: { perUser: 10 }, maxIdempotencyKeys: 10, maxCheckpoints: 10 } });
});
afterAll(() => app.close());

const agentsOf = (user: TestUser, count: number) =>
  Promise.all(Array.from({ length: count }, () => aKey(app, user, 'agent')));

describe('an agent', () => {
  test('opens a fifth of the sockets, all agents three fifths, and the person the rest', async () => {
    const user = await aUser(app);
    const agents = await agentsOf(user, 4);
    const open: Follower[] = [];
    for (const { token } of agents.slice(0, 3)) {
      for (let i = 0; i < 2; i++) open.push(await follow(app.url, { token }));
      expect(await refusal(app.url, { token })).toMatchObject({
        status: 429,
        body: { code: 'too_many_sockets' },
      });
    }
    const { ticket } = (await user.agent.post('/user/ws-ticket', {}).expect(200)).body;
    for (const options of [{ token: agents[3]?.token as string }, { path: `/ws?ticket=${ticket}` }])
      expect(await refusal(app.url, options)).toMatchObject({ status: 429, body: { code: 'too_many_sockets' } });
    for (let i = 0; i < 4; i++) open.push(await follow(app.url, { token: user.token }));
    expect((await refusal(app.url, { token: user.token })).status).toBe(429);
    await Promise.all(open.map((socket) => socket.close()));
  });

  test('holds a fifth of the tickets', async () => {
    const user = await aUser(app);
    const asked = await Promise.all(Array.from({ length: 30 }, () => user.agent.post('/user/ws-ticket', {})));
    expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const refused = await user.agent.post('/user/ws-ticket', {}).expect(429);
    expect(refused.body.code).toBe('too_many_tickets');
    await user.post('/user/ws-ticket', {}).expect(200);
    await (await aKey(app, user, 'agent')).post('/user/ws-ticket', {}).expect(200);
  });

  test('leaves Idempotency-Keys for the person', async () => {
    const user = await aUser(app);
    const push = (who: Client, key: string) =>
      who.post('/memory/push', { traces: [{ type: 'observation', content: key }] }).set('Idempotency-Key', key);
    const agents = await agentsOf(user, 2);
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await push(agents[i % 2] as Client, `agent-${i}`)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 429, 429]);
    for (let i = 0; i < 4; i++) expect((await push(user, `person-${i}`)).status).toBe(201);
    expect((await push(user, 'one-too-many')).status).toBe(429);
  });
});

describe('Idempotency-Keys of agents', () => {
  const push = (who: Client, content: string) =>
    who.post('/memory/push', { traces: [{ type: 'observation', content }] }).set('Idempotency-Key', 'the-next-one');

  test('are none of the person’s, nor of another agent’s', async () => {
    const user = await aUser(app);
    const other = await aKey(app, user, 'agent');
    const first = await push(user.agent, 'said by an agent').expect(201);
    // Another request under a key that an agent has used already; and the same request, which has an effect of its own.
    const mine = await push(user, 'said by the person').expect(201);
    expect((await push(other, 'said by an agent').expect(201)).body).not.toEqual(first.body);
    for (const [who, content, before] of [
      [user.agent, 'said by an agent', first],
      [user, 'said by the person', mine],
    ] as const) {
      const again = await push(who, content).expect(201);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.body).toEqual(before.body);
    }
  });
});

describe('checkpoints', () => {
  const keep = (who: Client, tag: string) =>
    who.post('/memport/checkpoints', { tag, parameters: { export_format: 'full', include_feedback: false } });
  const tags = async (who: Client) =>
    (await who.get('/memport/checkpoints').expect(200)).body.map((c: { tag: string }) => c.tag);

  test('are made by POST, stand for their moment, and are repeated by their tag', async () => {
    const user = await aUser(app);
    await user.post('/memory/push', { traces: [{ uid: 'a', type: 'observation', content: 'x' }] }).expect(201);
    const { body } = await keep(user, 'then').expect(201);
    expect(body).toMatchObject({
      tag: 'then',
      actor: { kind: 'user', id: 'session', label: 'login' },
      parameters: { export_format: 'full', include_feedback: false },
    });
    await user.post('/memory/push', { traces: [{ uid: 'b', type: 'observation', content: 'y' }] }).expect(201);
    const path = `/memport/export?user_id=${user.user_id}`;
    const again = (await user.get(`${path}&from_checkpoint=then`).expect(200)).body;
    expect(again).toMatchObject({ as_of_seq: body.seq, checkpoint: 'then', results: [{ uid: 'a' }] });
    expect(again.results[0]).not.toHaveProperty('notes');
    expect((await keep(user, 'then')).body).toMatchObject({ status: 409, code: 'tag_taken' });
    const faulty = await user.post('/memport/checkpoints', {
      tag: 'x',
      parameters: { export_format: 'full', max_token_count: 9 },
    });
    expect(faulty.status).toBe(422);
    const feedKeyless = await aKey(app, user, 'agent', ['export:read']);
    const profile = { tag: 'x', parameters: { export_format: 'full', include: 'profile' } };
    expect((await feedKeyless.post('/memport/checkpoints', profile)).status).toBe(403);
  });

  test('are deleted by who made them, or by a person; the tag is free again and the ledger whole', async () => {
    const user = await aUser(app);
    const [one, other] = [await aKey(app, user, 'agent'), await aKey(app, user, 'agent')];
    await keep(user, 'person').expect(201);
    await keep(one, 'agent').expect(201);
    for (const [who, tag] of [
      [other, 'agent'],
      [one, 'person'],
    ] as const)
      expect((await who.delete(`/memport/checkpoints?tag=${tag}`)).body).toMatchObject({
        status: 403,
        code: 'not_yours_to_edit',
      });
    expect((await one.delete('/memport/checkpoints?tag=agent').expect(200)).body).toEqual({
      tag: 'agent',
      removed: true,
    });
    await user.delete('/memport/checkpoints?tag=agent').expect(404);
    await keep(other, 'agent').expect(201);
    await user.delete('/memport/checkpoints?tag=agent').expect(200);
    expect(await tags(user)).toEqual(['person']);
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    expect((await (await aUser(app)).delete('/memport/checkpoints?tag=person')).status).toBe(404);
    expect((await client(app, null).delete('/memport/checkpoints?tag=person')).status).toBe(401);
  });

  test('of an agent are a fifth of all there may be; the person goes on', async () => {
    const user = await aUser(app);
    for (const tag of ['first', 'second']) await keep(user.agent, tag).expect(201);
    expect((await keep(user.agent, 'last')).body).toMatchObject({ status: 409, code: 'too_many_checkpoints' });
    const viaExport = `/memport/export?user_id=${user.user_id}&export_format=full&checkpoint=last`;
    expect((await user.agent.get(viaExport)).status).toBe(409);
    await keep(user, 'mine').expect(201);
    await user.agent.delete('/memport/checkpoints?tag=first').expect(200);
    await keep(user.agent, 'last').expect(201);
  });
});
