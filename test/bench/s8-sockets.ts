/** A client process of S8: opens its share of the sockets and notes what each hears, when. Speaks to its parent by IPC. */
import { listen } from './listen.ts';

/** What the parent asks for: sockets to open, or what they have heard since it last asked. */
export type Order = { open: { url: string; key: string }[] } | { collect: true };
/** Of a trace that came: which of the sockets heard of it (by its place in the order), and when. */
export type Heard = { socket: number; subject: string; at: number };
export type Report = { ready: number } | { heard: Heard[] } | { failed: string };

/** Sockets opened at the same time. */
const LANES = 20;

let heard: Heard[] = [];
const tell = (report: Report): void => void process.send?.(report);

const open = async (sockets: { url: string; key: string }[]): Promise<void> => {
  const ahead = [...sockets.entries()];
  const lane = async (): Promise<void> => {
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const [socket, { url, key }] = next;
      await listen(url, key, ({ subject }, at) => heard.push({ socket, subject, at }));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  tell({ ready: sockets.length });
};

process.on('message', (order: Order) => {
  if ('open' in order) open(order.open).catch((error: unknown) => tell({ failed: String(error) }));
  else {
    tell({ heard });
    heard = [];
  }
});
process.on('disconnect', () => process.exit());
