/** Summary exports: the four fields, filters, token budgets, the cache. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPacker } from '../../src/domain/text/token-budget.ts';
import { countTokens } from '../../src/domain/text/tokens.ts';
import { numbers } from '../bench/notes.ts';
import { aMonth, factsTold, falseReadings } from '../support/agent-month.ts';
import { aUser, anApp, type TestApp } from '../support/app.ts';
import { aStory, exported, get, push, walk, type Trace } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('summary', () => {
  test('has the four fields, oldest first, and says what it is', async () => {
    const user = await aStory(app);
    const body = await exported(user, { export_format: 'summary' });
    expect(body).toMatchObject({
      user_id: user.user_id,
      export_format: 'summary',
      omitted: null,
      next_cursor: null,
      generated_at: app.clock.now(),
    });
    expect(body.results[2]).toEqual({
      type: 'reflection',
      task_id: null,
      timestamp: '2026-11-19T09:00:00.000Z',
      summary: 'I plan better in the morning.',
    });
    expect(body.results).toHaveLength(4);
    const [, rated] = (await exported(user, { export_format: 'summary', include_feedback: true })).results;
    expect(rated).toMatchObject({ feedback_rating: 5, notes: 'see https://chat.example/1' });
  });

  test.each([
    [{ task_id: 'contract' }, 2],
    [{ tempo_tag: '@morning' }, 1],
    [{ type: 'reflection' }, 1],
    [{ tag: '#legal' }, 1],
    [{ start_time: '2026-11-19', end_time: '2026-11-19' }, 2], // 23:30 UTC is the 19th in Berlin
    [{ start_time: '2026-11-18T09:00:00Z', end_time: '2026-11-18T09:00:00Z' }, 1],
    [{ task_id: 'none' }, 0],
  ])('filters: %j', async (filter, count) => {
    const user = await aStory(app);
    expect((await exported(user, { export_format: 'summary', ...filter })).results).toHaveLength(count);
  });

  test('never has more tokens than asked for, keeps what is worth most, and tells what it left out', async () => {
    const user = await aUser(app);
    const many = Array.from({ length: 60 }, (_, i) => ({
      uid: `t${i}`,
      content: `Note ${i}: on day ${i} the harbour “opened” at ${i % 24} o’clock. ${'🚢 '.repeat(i % 4)}`,
      timestamp: new Date(Date.UTC(2026, 8, 1 + i)).toISOString(),
      ...(i === 0 ? { feedback_rating: 5, linked_trace_ids: ['t1', 't2', 't3', 't4', 't5'] } : {}),
    }));
    await push(user, many);
    const whole = await exported(user, { export_format: 'summary' });
    for (const group_by of [undefined, 'day']) {
      for (const max_token_count of [1, 2, 40, 100, 555, 5000]) {
        const body = await exported<{ summary: string }>(user, {
          export_format: 'summary',
          max_token_count,
          ...(group_by ? { group_by } : {}),
        });
        if (body.results.length) expect(countTokens(JSON.stringify(body.results))).toBeLessThanOrEqual(max_token_count);
        expect(body['token_count']).toBeGreaterThanOrEqual(countTokens(JSON.stringify(body.results)));
        if (body.results.length) expect(body['token_count']).toBeLessThanOrEqual(max_token_count);
        expect(body.results.length + ((body['omitted'] as { count: number } | null)?.count ?? 0)).toBe(
          whole.results.length,
        );
        expect(body.next_cursor).toBeNull();
        if (max_token_count === 555) expect(body.results.map((r) => r.summary).join()).toMatch(/Note 0:.*Note 59:/s);
      }
    }
    const tight = await exported(user, { export_format: 'summary', max_token_count: 1 });
    expect(tight['omitted']).toEqual({
      count: 60,
      oldest: '2026-09-01T00:00:00.000Z',
      newest: '2026-10-30T00:00:00.000Z',
    });
  });

  test('under a budget, the most useful: as a plain reckoning over all traces ranks and packs them', async () => {
    const user = await aUser(app);
    const next = numbers(11);
    const day = 86_400_000;
    const traces = Array.from({ length: 700 }, (_, i) => ({
      uid: `t${1000 + i}`,
      content: `Note ${i}: ${'word '.repeat(Math.floor(next() * 30))}${'Ada '.repeat(Math.floor(next() * 4))}`,
      // Whole days, so that many are equally recent; some ties are left to rating and links.
      timestamp: new Date(Date.UTC(2026, 10, 20) - Math.floor(next() ** 2 * 200) * day).toISOString(),
      ...(next() < 0.2 ? { feedback_rating: 1 + Math.floor(next() * 5) } : {}),
      ...(next() < 0.3
        ? { linked_trace_ids: Array.from({ length: Math.floor(next() * 8) }, (_l, k) => `t${1000 + 37 * k}`) }
        : {}),
      ...(i % 50 === 0 ? { linked_event_uid: 'e' } : {}),
    }));
    await push(user, traces);
    const all = await walk<Trace>(user, { export_format: 'full' });
    const incoming = all.flatMap((t) => t['linked_trace_ids'] as string[]);
    const usefulness = (t: Trace): number => {
      const outgoing = (t['linked_trace_ids'] as string[]).length + (t['linked_event_uid'] ? 1 : 0);
      const links = outgoing + incoming.filter((uid) => uid === t.uid).length;
      // One number, and up to four names.
      const points = 1 + (t.content.match(/Ada/g)?.length ?? 0);
      const days = (Date.UTC(2026, 10, 20) - Date.parse(t['timestamp'] as string)) / day;
      const rating = t['feedback_rating'] as number | null;
      return (
        0.5 ** (days / 14) +
        (rating === null ? 0 : (rating - 3) / 4) +
        Math.min(0.5, links / 10) +
        (1.5 * points) / (points + 3)
      );
    };
    const newest = Math.max(...all.map((t) => Date.parse(t['timestamp'] as string)));
    expect(newest).toBe(Date.UTC(2026, 10, 20));
    const best = all.toSorted(
      (a, b) =>
        Math.round((usefulness(b) - usefulness(a)) * 1e9) ||
        (`${String(b['timestamp'])} ${b.uid}` > `${String(a['timestamp'])} ${a.uid}` ? 1 : -1),
    );
    const summaryOf = (t: Trace) => ({
      type: t['type'],
      task_id: t['task_id'],
      timestamp: t['timestamp'],
      summary: t['summary'],
    });
    for (const max_token_count of [60, 300, 1_000, 5_000, 20_000]) {
      const packer = createPacker(max_token_count);
      const kept = new Set(best.filter((t) => !packer.isFull() && packer.offer(JSON.stringify(summaryOf(t)))));
      const body = await exported(user, { export_format: 'summary', max_token_count });
      expect(body.results).toEqual(all.filter((t) => kept.has(t)).map(summaryOf));
      const left = all.filter((t) => !kept.has(t)).map((t) => t['timestamp'] as string);
      expect(body['omitted']).toEqual({ count: left.length, oldest: left[0], newest: left.at(-1) });
    }
  });

  test('tells what became of each plan, whatever the budget, and the facts of a month before its small talk', async () => {
    const own = await anApp();
    try {
      const month = await aMonth(own);
      const { user } = month;
      const told: number[] = [];
      const named = month.ended.map(({ title }) => ({ summary: title }));
      expect(falseReadings(named, month)).toHaveLength(5);
      expect(falseReadings([{ summary: 'Created: Team offsite, Sun 22 Nov' }], month)).toHaveLength(1);
      expect(falseReadings([{ summary: 'Budget review with Tom, 11-10 10:00' }], month)).toHaveLength(1);
      for (let max_token_count = 20; max_token_count < 1_000; max_token_count += 35) {
        const { results } = await exported<{ type: string; summary: string }>(user, {
          export_format: 'summary',
          max_token_count,
        });
        expect(falseReadings(results, month)).toEqual([]);
        for (const { type, summary } of results) if (type === 'agent_plan') expect(summary).toMatch(/^\[[^\]]+\] /);
        if (results.length) expect(countTokens(JSON.stringify(results))).toBeLessThanOrEqual(max_token_count);
      }
      for (const max_token_count of [150, 500, 1_000, 2_000, 50_000]) {
        const { results } = await exported<{ type: string; summary: string }>(user, {
          export_format: 'summary',
          max_token_count,
        });
        expect(falseReadings(results, month)).toEqual([]);
        for (const { type, summary } of results) if (type === 'agent_plan') expect(summary).toMatch(/^\[[^\]]+\] /);
        told.push(factsTold(results, month).length);
      }
      expect(told[1]).toBeGreaterThanOrEqual(8);
      expect(told.at(-1)).toBe(month.facts.length);
      const whole = await walk<{ summary: string }>(user, { export_format: 'summary' });
      expect(factsTold(whole, month)).toHaveLength(month.facts.length);
      expect(whole.filter(({ summary }) => /^Plan “.*” was/.test(summary))).toEqual([]);
    } finally {
      await own.close();
    }
  });

  test('an export as of then has the wall times of then, after the person has moved', async () => {
    const user = await aUser(app);
    const plan = { type: 'agent_plan', action_type: 'schedule', title: 'Call', content: 'Call', duration_minutes: 15 };
    await user.agent.post('/memory/push', { traces: [{ ...plan, scheduled_for: '2026-11-27T11:00' }] }).expect(201);
    const query = { export_format: 'summary', type: 'agent_plan' };
    const then = await exported<{ summary: string }>(user, query);
    expect(then.results[0]?.summary).toBe('[proposed for Fri 2026-11-27 11:00, not decided] Call');
    await user.patch('/user/update', { updates: { timezone: 'America/New_York' } }).expect(200);
    for (const budget of [{}, { max_token_count: 300 }]) {
      const again = await exported<{ summary: string }>(user, { ...query, ...budget, as_of: then.as_of_seq });
      expect(again.results).toEqual(then.results);
      const now = await exported<{ summary: string }>(user, { ...query, ...budget });
      expect(now.results[0]?.summary).toBe('[proposed for Fri 2026-11-27 05:00, not decided] Call');
    }
  });

  test('grounding snippets say it too, and leave a plan out rather than its state', async () => {
    const user = await aUser(app);
    const plan = { type: 'agent_plan', action_type: 'schedule', title: 'Dentist checkup', duration_minutes: 45 };
    const content = 'Dr. Weber has a free hour on Friday. He asks for the insurance card. '.repeat(8);
    const traces = [{ ...plan, uid: 'dentist', content, scheduled_for: '2026-11-27T11:00' }];
    await user.agent.post('/memory/push', { traces }).expect(201);
    await user.post('/agent/reject', { uid: 'dentist', note: 'Only after Christmas' }).expect(200);
    for (const max_token_count of [1, 10, 20, 40, 60, 80, 200, undefined]) {
      const budget = max_token_count === undefined ? {} : { max_token_count };
      const { body } = await user.post('/chat/trace-summary', { trace_ids: ['dentist'], ...budget }).expect(200);
      const [{ summary }] = body as [{ summary: string }];
      if (max_token_count !== undefined) expect(countTokens(summary)).toBeLessThanOrEqual(max_token_count);
      expect(summary === '' || summary.startsWith('[rejected: Only after Christmas] Dentist checkup')).toBe(true);
      if (max_token_count === undefined || max_token_count >= 60) expect(summary).toContain('Dr. Weber');
    }
  });

  test('comes from the cache until something is written, and answers 304 to who has it', async () => {
    const user = await aStory(app);
    const ask = () => get(user, { export_format: 'summary', max_token_count: 200 });
    const first = await ask();
    app.clock.advance(1000);
    const again = await ask();
    expect([first.headers['x-cache'], again.headers['x-cache']]).toEqual(['miss', 'hit']);
    expect(again.text).toBe(first.text);
    expect(again.headers['etag']).toBe(first.headers['etag']);
    const known = await ask().set('If-None-Match', `"other", ${first.headers['etag']}`);
    expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', first.headers['etag']]);
    app.clock.advance(21 * 60_000);
    expect((await ask()).headers['x-cache']).toBe('miss');
    await push(user, [{ content: 'something new' }]);
    const after = await ask().set('If-None-Match', first.headers['etag'] as string);
    expect([after.status, after.headers['x-cache']]).toEqual([200, 'miss']);
    expect((await get(user, { export_format: 'summary', max_token_count: 200 }, user.agent)).headers['x-cache']).toBe(
      'miss',
    ); // sees less
  });
});
