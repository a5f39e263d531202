/** R1 for imports, which are written in parts: killed at any moment, each is there as a whole or not at all. */
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, call, get, post, walk, type Person } from './api.ts';
import type { Server } from './server.ts';
import { between, check, type Check } from './trial.ts';

const ITEMS = 1_000;
/** An import of this size takes about as long on an idle machine. */
const KILLED_WITHIN_MS = 2_500;
/** Other instances continue an import on which nobody has worked for 15 seconds. */
const COMPLETE_WITHIN_MS = 40_000;

const traces = (mark: string) =>
  Array.from({ length: ITEMS }, (_, n) => ({
    ...{ uid: `${mark}-${n}`, type: 'observation', content: `note ${n} of ${mark}`, task_id: mark },
    timestamp: '2026-11-20T10:00:00Z',
  }));

const calendarOf = (mark: string): string => {
  const events = Array.from({ length: ITEMS }, (_, n) => {
    const at = new Date(Date.UTC(2031, 0, 1, n)).toISOString().replace(/[-:]|\.\d+/g, '');
    return `BEGIN:VEVENT\r\nUID:${mark}-${n}\r\nDTSTART:${at}\r\nDURATION:PT5M\r\nSUMMARY:${mark}\r\nEND:VEVENT`;
  });
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//trial//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
};

const countOf = async (server: Server, { key }: Person, mark: string): Promise<number> => {
  const found = await Promise.all([
    walk<{ uid: string }>(server.url, key, `/memory/pull?task_id=${mark}&limit=1000`),
    walk<{ uid: string }>(server.url, key, '/calendar/events?start=2031-01-01&end=2031-03-01&limit=1000'),
  ]);
  return found.flat().filter(({ uid }) => uid.startsWith(`${mark}-`)).length;
};

/** @returns the status, or 0 where the connection was cut */
const send = async (server: Server, { key }: Person, mark: string, isCalendar: boolean): Promise<number> => {
  if (!isCalendar)
    return call(server.url, key, post('/memport/import', { traces: traces(mark) })).then(
      ({ status }) => status,
      () => 0,
    );
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/calendar' };
  return fetch(`${server.url}/calendar/import`, { method: 'POST', headers, body: calendarOf(mark) }).then(
    (answer) => answer.status,
    () => 0,
  );
};

/** How many there are once no more come, or once all are there. */
const settled = async (server: Server, person: Person, mark: string): Promise<number> => {
  const deadline = performance.now() + COMPLETE_WITHIN_MS;
  for (let count = 0; ;) {
    count = await countOf(server, person, mark);
    if (count === ITEMS || count === 0 || performance.now() > deadline) return count;
    await sleep(500);
  }
};

export const killedImports = async (server: Server, person: Person, quick: boolean): Promise<Check[]> => {
  const imports = check('imports killed on the way: as a whole or not at all', 0);
  const answered = check('imports that were answered: there as a whole', 0);
  for (let k = 0; k < (quick ? 4 : 40); k++) {
    const mark = `import${k}`;
    const sending = send(server, person, mark, k % 2 === 1);
    await sleep(between(20, KILLED_WITHIN_MS));
    await server.kill();
    const status = await sending;
    await server.start();
    const count = await settled(server, person, mark);
    const one = status === 200 ? answered : imports;
    one.tried += 1;
    if (count !== ITEMS && (status === 200 || count > 0)) one.wrong.push(`${count} of ${ITEMS} of ${mark} are there`);
  }
  const { body } = await call(server.url, person.key, get('/agent/changes'));
  return [
    imports,
    answered,
    check('seqs of the person who imports', body.seq, { wrong: await audit(server.url, [person]) }),
  ];
};
