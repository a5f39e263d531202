/** Diff exports: what changed between two points, and that it leads from one export to the other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, type TestApp } from '../support/app.ts';
import { aStory, exported, push, walk, type Difference } from '../support/memport.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

describe('diff', () => {
  test('one operation for each trace that is another, between two points of any kind', async () => {
    const user = await aStory(app);
    const { as_of_seq } = await exported(user, { export_format: 'full', checkpoint: 'before.work' });
    const start = app.clock.now();
    app.clock.advance(60_000);
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'one' } }).expect(200);
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'two' } }).expect(200);
    await user.delete('/memory/remove?uid=b').expect(200);
    await push(user, [{ uid: 'e' }, { uid: 'f' }]);
    await user.delete('/memory/remove?uid=f').expect(200);
    const body = await exported<Difference>(user, { export_format: 'diff', from: as_of_seq });
    expect(body.results.map(({ op, uid }) => [op, uid])).toEqual([
      ['changed', 'a'],
      ['removed', 'b'],
      ['added', 'e'],
    ]);
    expect(body).toMatchObject({ from_seq: as_of_seq });
    for (const point of [
      { from: 'before.work' },
      { start_time: start },
      { start_time: start, end_time: app.clock.now() },
    ])
      expect((await exported<Difference>(user, { export_format: 'diff', ...point })).results).toEqual(body.results);
    expect((await exported(user, { export_format: 'diff', from: as_of_seq, to: as_of_seq })).results).toEqual([]);
    expect(await walk(user, { export_format: 'diff', from: as_of_seq, limit: 1 })).toEqual(body.results);
    const grouped = await exported<Difference>(user, { export_format: 'diff', from: as_of_seq, group_by: 'task' });
    expect(grouped.groups).toEqual([
      { key: 'contract', count: 2 },
      { key: null, count: 1 },
    ]);
    expect(await walk(user, { export_format: 'diff', from: as_of_seq, group_by: 'task', limit: 1 })).toEqual(
      grouped.results,
    );
    expect((await exported(user, { export_format: 'diff' })).results).toHaveLength(4); // from the beginning: all that is there
  });
});
