/** A socket client that does nothing but note when a message came. */
import { WebSocket } from 'ws';
import type { Change } from '../faults/api.ts';

/** Subscribes from now on. Resolves when the socket is in step. @returns the way to close it */
export const listen = (url: string, key: string, heard: (change: Change, at: number) => void): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${key}` } });
    ws.on('open', () => ws.send(JSON.stringify({ subscribe: {} })));
    ws.on('message', (data) => {
      const at = Date.now();
      const message = JSON.parse((data as Buffer).toString()) as Change;
      if (message.sequence !== undefined) heard(message, at);
      else if (message.type === 'synced') resolve(() => ws.terminate());
      else reject(new Error(`a socket heard ${JSON.stringify(message)}`));
    });
    ws.on('error', reject);
    ws.on('close', (code) => reject(new Error(`a socket was closed: ${code}`)));
  });
