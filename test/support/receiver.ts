/** A local server that receives webhooks, and answers as the test says. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type Received = {
  id: string;
  headers: Record<string, string>;
  text: string;
  message: { id: string; type: string; sequence: number; subject: string; data: Record<string, unknown> };
};

/** Answers a request by its number, from 0, and its message: a status, or never. */
export type Answering = (
  n: number,
  received: Received,
) => number | { status: number; headers: Record<string, string> } | 'never';

export const aReceiver = async (answering: Answering = () => 204) => {
  const all: Received[] = [];
  const accepted: Received[] = [];
  let answer = answering;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const headers = request.headers as Record<string, string>;
      const received: Received = { id: headers['webhook-id'] ?? '', headers, text, message: JSON.parse(text) };
      const chosen = answer(all.length, received);
      all.push(received);
      if (chosen === 'never') return;
      const { status, headers: more } = typeof chosen === 'number' ? { status: chosen, headers: {} } : chosen;
      if (status >= 200 && status < 300) accepted.push(received);
      response.writeHead(status, more).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** Every request, and those that were answered with 2xx. */
    all,
    accepted,
    answer: (next: Answering): void => {
      answer = next;
    },
    /** The message of a request whose signature is right. @throws where it is not */
    verified: ({ id, text, headers }: Received, secret: string): unknown => {
      // Webhook.verify compares the time with the machine's clock, and tests have their own.
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      if (
        !String(headers['webhook-signature'])
          .split(' ')
          .includes(new Webhook(secret).sign(id, at, text))
      )
        throw new Error('the signature is wrong');
      return JSON.parse(text);
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type Receiver = Awaited<ReturnType<typeof aReceiver>>;
