/** The database's time as a process keeps it: never ahead of the database, never back, and in doubt where it was not compared. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDatabaseClock } from '../../src/db/database-clock.ts';
import { createMachineClock } from '../../src/db/machine-clock.ts';

/** A database some way off: its clock and the process's monotonic one, both moved by the test. */
const aWorld = (start: number) => {
  const world = { database: start, monotonic: 17.25, there: 2, back: 3, away: false, warned: [] as string[] };
  const pass = (ms: number): void => {
    world.database += ms;
    world.monotonic += ms;
  };
  const deps = {
    monotonic: () => world.monotonic,
    warn: (_: object, text: string) => world.warned.push(text),
    ask: async (): Promise<number> => {
      if (world.away) throw new Error('away');
      pass(world.there);
      const told = world.database;
      pass(world.back);
      return told;
    },
  };
  return { world, pass, deps };
};

const START = Date.parse('2026-11-21T09:00:00.000Z');

test('is the database’s, whatever the clock of the machine says; a machine that is off is told once', async () => {
  const { world, pass, deps } = aWorld(START);
  const clock = await createDatabaseClock(deps);
  expect(START + 25 - clock.millis()).toBeLessThanOrEqual(4); // five questions of 5 ms, and the way back
  expect(clock.now()).toBe(new Date(clock.millis()).toISOString());
  pass(3_600_000);
  expect(Math.abs(clock.millis() - world.database)).toBeLessThanOrEqual(4);
  expect(clock.state().skew_ms).toBeGreaterThan(-1e12); // against this machine's clock, which is elsewhere in time
  await clock.sync();
  await clock.sync();
  expect(world.warned).toEqual(['the clock of this machine differs from that of the database, which is used']);
  clock.stop();
});

test('is never ahead of the database and never goes back, however the answers travel', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(500), fc.nat(500), fc.nat(60_000)), { minLength: 1, maxLength: 12 }),
      async (journeys) => {
        const { world, pass, deps } = aWorld(START);
        const clock = await createDatabaseClock(deps);
        let before = clock.millis();
        for (const [there, back, pause] of journeys) {
          Object.assign(world, { there, back });
          pass(pause);
          await clock.sync();
          const now = clock.millis();
          expect(now).toBeLessThanOrEqual(world.database);
          expect(world.database - now).toBeLessThanOrEqual(4); // one good comparison is not undone by bad ones
          expect(now).toBeGreaterThanOrEqual(before);
          before = now;
        }
        clock.stop();
      },
    ),
  ));

test('follows a database that was set forward, and waits for one that was set back', async () => {
  const { world, pass, deps } = aWorld(START);
  const clock = await createDatabaseClock(deps);
  world.database += 300_000;
  await clock.sync();
  expect(world.database - clock.millis()).toBeLessThanOrEqual(4);
  const reached = clock.millis();
  world.database -= 60_000;
  await clock.sync();
  expect(clock.millis()).toBe(reached);
  pass(70_000);
  expect(Math.abs(world.database - clock.millis())).toBeLessThanOrEqual(4);
  clock.stop();
});

test('is in doubt five minutes after the last comparison, until the next', async () => {
  const { world, pass, deps } = aWorld(START);
  const clock = await createDatabaseClock(deps);
  world.away = true;
  pass(299_000);
  await expect(clock.sync()).rejects.toThrow('away');
  expect(clock.state().sure).toBe(true);
  pass(2_000);
  expect(clock.state().sure).toBe(false);
  world.away = false;
  await clock.sync();
  expect(clock.state().sure).toBe(true);
  clock.stop();
});

describe('the clock of a machine', () => {
  const DAY_MS = 86_400_000;
  const aMachine = () => {
    const machine = { wall: START, steady: 5_000, warned: [] as object[] };
    const clock = createMachineClock({
      warn: (context) => machine.warned.push(context),
      wall: () => machine.wall,
      steady: () => machine.steady,
    });
    /** Time that passes for both, and by how much the clock is set. */
    const pass = (ms: number, set = 0) => {
      machine.wall += ms + set;
      machine.steady += ms;
      const { sure, ahead_ms } = clock.state();
      return sure ? 'sure' : ahead_ms;
    };
    return { machine, clock, pass };
  };

  test('that is set forward and back is in doubt meanwhile, and both are told', () => {
    const { machine, clock, pass } = aMachine();
    expect(pass(60_000)).toBe('sure');
    expect(pass(400, 400 * DAY_MS)).toBe(400 * DAY_MS);
    expect(clock.millis()).toBe(machine.wall);
    expect(clock.now()).toBe(new Date(machine.wall).toISOString());
    expect(pass(200_000)).toBe(400 * DAY_MS);
    expect(pass(400, -400 * DAY_MS)).toBe('sure');
    expect(machine.warned).toEqual([{ by_ms: 400 * DAY_MS }, { by_ms: -400 * DAY_MS }]);
  });

  test('that stays forward is believed after five minutes', () => {
    const { machine, pass } = aMachine();
    expect(pass(0, 3_600_000)).toBe(3_600_000);
    expect(pass(299_999)).toBe(3_600_000);
    expect(pass(1)).toBe('sure');
    expect(pass(DAY_MS)).toBe('sure');
    expect(pass(0, -3_600_000)).toBe('sure');
    expect(machine.warned).toHaveLength(2);
  });

  test('that is set back by a part only stays in doubt', () => {
    const { pass } = aMachine();
    expect(pass(0, 10 * DAY_MS)).toBe(10 * DAY_MS);
    expect(pass(200_000, -DAY_MS)).toBe(9 * DAY_MS);
    expect(pass(100_000)).toBe('sure');
  });

  test('that is corrected by less than a minute at a time is believed', () => {
    const { machine, pass } = aMachine();
    for (let i = 0; i < 5; i++) expect(pass(400, 60_000)).toBe('sure');
    expect(machine.warned).toEqual([]);
  });
});
