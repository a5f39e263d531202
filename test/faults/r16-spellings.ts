/** Other spellings of an address, each from a seed: what clients, proxies and attackers write in place of it. */
import type { Dice } from './requests.ts';

type Change = (path: string, d: Dice, others: readonly string[]) => string;

const hex = (mark: string): string => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`;
const at = (path: string, index: number, text: string): string => path.slice(0, index) + text + path.slice(index + 1);

/** The index of a character that a test accepts; -1 where there is none. */
const one = (path: string, d: Dice, accepts: RegExp): number => {
  const all = path.split('').flatMap((mark, i) => (accepts.test(mark) ? [i] : []));
  return all.length ? d.of(all) : -1;
};

const replacing =
  (accepts: RegExp, make: (mark: string, d: Dice) => string): Change =>
  (path, d) => {
    const index = one(path, d, accepts);
    return index < 0 ? path : at(path, index, make(path[index] as string, d));
  };

const LETTER = /[a-z]/i;
const SLASH = /\//;
const SEPARATORS = [
  '\\',
  '%5c',
  '%5C',
  '%2f',
  '%2F',
  '%252f',
  '%255c',
  '//',
  '///',
  '/./',
  '/%2e/',
  '/%00/',
  '/;/',
  '%00',
  ';',
  '\\\\',
  '%c0%af',
  '%e0%80%af',
  '%ef%bc%8f',
  '\uff0f',
  '/%20',
  '%20/',
  '/\\',
];
const UPWARDS = [
  '..',
  '..',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '..;',
  '..%00',
  '%c0%ae%c0%ae',
  '...',
  '\u2025',
];
const ENDS = [
  '/',
  '//',
  '/.',
  '/..',
  '.',
  '%00',
  '%00.ics',
  '%20',
  '%09',
  ';',
  ';x=1',
  '?',
  '?x',
  '#',
  '#x',
  '%23',
  '%3f',
  '\\',
  '%5c',
  '%2f',
  '%',
  '%zz',
  '%u0041',
  '%0a',
  '%0d%0aX-A:b',
  '~',
  '*',
  '+',
];
const STARTS = [
  '/v1',
  '/V1',
  '/v1/v1',
  '/%761',
  '/v1/',
  '/v1/.',
  '/./',
  '/x/..',
  '/x/%2e%2e',
  '//',
  '\\',
  '/\\',
  '/%2f',
  '//almanac',
  '/..',
  '/;',
  'http://almanac',
  'HTTP://ALMANAC',
  'https://elsewhere.example:8443',
  'http://user:pass@almanac',
  'http:',
  'http:/',
  'http:\\\\almanac',
  'file://',
  'almanac',
  '*',
  '',
];
const FOLDED: Record<string, string> = { k: '%e2%84%aa', s: '%c5%bf', i: '%c4%b0' };

/** Goes into one address and from there to another. */
const detour: Change = (path, d, others) => {
  const [from, to] = [d.of(others), path].map((text) => text.split('/').slice(1)) as [string[], string[]];
  const shared = d.below(Math.min(from.length, to.length) + 1);
  const up = Math.max(1, from.length - shared);
  const sep = () => d.of(['/', '/', '\\', '%5c', '%2f']);
  const dots = d.of(UPWARDS);
  const way = Array.from({ length: up }, () => sep() + dots).join('');
  return `/${from.join('/')}${way}${sep()}${to.slice(shared).join('/')}`;
};

const CHANGES: [weight: number, Change][] = [
  [6, replacing(/[a-z0-9-]/i, (mark, d) => (d.chance(0.5) ? hex(mark) : hex(mark).toUpperCase()))],
  [2, (path) => path.replace(/[^/]/g, (mark) => (/[\x21-\x7e]/.test(mark) && mark !== '%' ? hex(mark) : mark))],
  [2, replacing(/[a-z0-9-]/i, (mark) => hex(mark).replace('%', '%25'))],
  [3, replacing(LETTER, (mark) => (mark === mark.toLowerCase() ? mark.toUpperCase() : mark.toLowerCase()))],
  [1, (path) => path.toUpperCase()],
  [8, replacing(SLASH, (_mark, d) => d.of(SEPARATORS))],
  [3, replacing(SLASH, (_mark, d) => `/${d.of(['x', 'agent-plan', 'calendar', '%78'])}/${d.of(UPWARDS)}/`)],
  [8, detour],
  [2, replacing(SLASH, (_mark, d) => `${d.of([';x=1', ';', ';jsessionid=1', ',', '%3b'])}/`)],
  [5, (path, d) => path + d.of(ENDS)],
  [5, (path, d) => d.of(STARTS) + path],
  [1, replacing(LETTER, (mark) => `%c1%${(mark.charCodeAt(0) | 0x80).toString(16)}`)],
  [1, replacing(/[ksi]/i, (mark) => FOLDED[mark.toLowerCase()] ?? mark)],
  [1, replacing(LETTER, (mark) => encodeURIComponent(String.fromCharCode(mark.charCodeAt(0) + 0xfee0)))],
  [
    1,
    replacing(
      LETTER,
      (mark, d) => mark + d.of(['\u0301', '%cc%81', '%e2%80%8b', '\u00ad', '%09', '\t', '\x01', '%7f']),
    ),
  ],
];
const BAG = CHANGES.flatMap(([weight, change]) => Array.from({ length: weight }, () => change));

/** A spelling of a path. One of eight is the path itself, so that the table of addresses is tried too. */
export const spelled = (path: string, others: readonly string[], d: Dice): string => {
  if (d.chance(0.125)) return path;
  let target = path;
  for (let left = 1 + d.below(3); left > 0; left -= 1) target = d.of(BAG)(target, d, others);
  return target;
};
