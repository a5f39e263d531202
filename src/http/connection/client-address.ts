/** Reads the address of a client behind proxies. Requests and sockets count failed logins by this one reading. */
import type { IncomingMessage } from 'node:http';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * @param trustProxy the number of proxies whose statement is trusted
 * @returns what gives the address as the last of them saw it
 */
export const createClientAddress =
  (trustProxy: number): ClientAddress =>
  ({ headers, socket }) => {
    const passed = (headers['x-forwarded-for']?.toString() ?? '').split(',').map((one) => one.trim());
    const addresses = [socket.remoteAddress ?? '', ...passed.filter(Boolean).toReversed()];
    return addresses[Math.min(trustProxy, addresses.length - 1)] as string;
  };
