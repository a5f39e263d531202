/** A local server that plays calendars of other services: their answers, their caching, and their faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instantIn } from './today.ts';

type Played = { status?: number; headers?: Record<string, string>; body?: string | Buffer };
/** Plays one address: an answer, or whatever it does with the response. */
export type Play = (request: IncomingMessage, response: ServerResponse) => Played | 'silent' | undefined;

export const vevent = (uid: string, more: Record<string, string>): string =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${more['DTSTAMP'] ?? '20261121T090000Z'}`,
    ...Object.entries(more)
      .filter(([name]) => name !== 'DTSTAMP')
      .map(([name, value]) => `${name}:${value}`),
    'END:VEVENT',
  ].join('\r\n');

export const calendarOf = (...events: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');

export const aCalendarServer = async () => {
  const plays = new Map<string, Play>();
  const asked: { path: string; headers: IncomingMessage['headers']; status: number }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const played = plays.get(path)?.(request, response) ?? { status: 404 };
    if (played === 'silent') return;
    if (response.headersSent) return;
    const { status = 200, headers = {}, body = '' } = played;
    asked.push({ path, headers: request.headers, status });
    response.writeHead(status, { 'Content-Type': 'text/calendar; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    /** The address of a path. */
    at: (path: string): string => `http://127.0.0.1:${port}${path}`,
    play: (path: string, play: Play | string): void =>
      void plays.set(path, typeof play === 'string' ? () => ({ body: play }) : play),
    /** As Google: an ETag is not sent, Last-Modified is, and DTSTAMP is the time of the request. */
    playGoogle: (path: string, events: () => [string, Record<string, string>][]): void =>
      void plays.set(path, () => ({
        headers: { 'Cache-Control': 'no-cache' },
        body: calendarOf(
          ...events().map(([uid, more]) => vevent(uid, { ...more, DTSTAMP: instantIn(0).replace(/[-:]|\.\d+/g, '') })),
        ),
      })),
    /** As Outlook: an ETag, which is compared. */
    playOutlook: (path: string, state: () => { tag: string; body: string }): void =>
      void plays.set(path, (request) => {
        const { tag, body } = state();
        return request.headers['if-none-match'] === tag
          ? { status: 304, headers: { ETag: tag } }
          : { headers: { ETag: tag, 'Last-Modified': 'Sat, 21 Nov 2026 09:00:00 GMT' }, body };
      }),
    /** Every request that was answered, oldest first. */
    asked,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type CalendarServer = Awaited<ReturnType<typeof aCalendarServer>>;
