/** A proxy in front of an app that checks each request and answer against openapi.yaml and passes both on unchanged. */
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createContract } from './contract.ts';
import type { TestApp } from './app.ts';

export type ValidatingProxy = { app: TestApp; checked: () => number; violations: string[]; close: () => Promise<void> };

export const validatingProxy = async (app: TestApp): Promise<ValidatingProxy> => {
  const contract = createContract(await app.openapi());
  const violations: string[] = [];
  let checked = 0;
  const server: Server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      // What is checked is the document, so the proxy asks for no encoding of it.
      const headersSent = { ...req.headers, 'accept-encoding': 'identity' };
      const passed = request(`${app.url}${req.url}`, { method: req.method, headers: headersSent });
      passed.end(body);
      const [answer] = (await once(passed, 'response')) as [IncomingMessage];
      const bytes = await buffer(answer);
      const url = new URL(req.url ?? '', app.url);
      const sent = { method: req.method ?? '', url, type: req.headers['content-type'], body: body.toString() };
      const { statusCode: status = 0, headers } = answer;
      violations.push(...contract.check(sent, { status, type: headers['content-type'], body: bytes.toString() }));
      checked += 1;
      const { 'transfer-encoding': _chunks, ...others } = headers;
      res.writeHead(status, { ...others, 'content-length': bytes.length });
      res.end(bytes);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    app: { ...app, server, url: `http://127.0.0.1:${port}` },
    checked: () => checked,
    violations,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
