/** Groups client addresses for limits: an IPv4 address, or the /64 network that one customer of IPv6 has. */

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Converts `2001:db8::7` to `2001:db8:0:0` and `::ffff:192.0.2.1` to `192.0.2.1`; any other text is returned unchanged. */
export const networkOf = (ip: string): string => {
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped || !ip.includes(':')) return mapped ?? ip;
  const [front = '', back = ''] = (ip.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = front.split(':').filter(Boolean);
  const rest = back.split(':').filter(Boolean);
  const missing = ip.includes('::') ? Math.max(0, 8 - groups.length - rest.length) : 0;
  return [...groups, ...Array<string>(missing).fill('0'), ...rest].slice(0, 4).join(':');
};
