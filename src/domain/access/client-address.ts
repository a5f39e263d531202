/** Whom limits per address count together: an IPv4 address, or the /64 that one customer of IPv6 has for themselves. */

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** `2001:db8::7` -> `2001:db8:0:0`; `::ffff:192.0.2.1` -> `192.0.2.1`; what is no address stays as it is. */
export const networkOf = (ip: string): string => {
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped || !ip.includes(':')) return mapped ?? ip;
  const [front = '', back = ''] = (ip.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = front.split(':').filter(Boolean);
  const rest = back.split(':').filter(Boolean);
  const missing = ip.includes('::') ? Math.max(0, 8 - groups.length - rest.length) : 0;
  return [...groups, ...Array<string>(missing).fill('0'), ...rest].slice(0, 4).join(':');
};
