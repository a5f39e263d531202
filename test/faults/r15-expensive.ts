/** Values that some work may take long for, and the largest inputs that a JSON Schema accepts, filled from them. */
import { byName, deref, sample, type Dice, type Schema } from './requests.ts';

export type Expensive = { name: string; begin?: string; again: string };

/** Texts to repeat. Each was expensive for some program: a normalisation, a reader of sentences, a query parser, a pattern. */
export const EXPENSIVE: Expensive[] = [
  { name: 'a character that expands to 18', again: '\ufdfa' },
  { name: 'characters that NFKC expands', again: '㍿ﬃ½' },
  { name: 'combining marks', begin: 'a', again: '\u0301\u0323\u0344' },
  { name: 'one word again and again', again: 'after ' },
  { name: 'a date and one word', begin: '1/1/ ', again: 'after ' },
  { name: 'a date glued to one word', begin: '1/1/', again: 'after ' },
  { name: 'before and after', begin: 'move it on 2/2 ', again: 'right before the meeting ' },
  { name: 'colons', begin: '1', again: ':' },
  { name: 'digits', again: '1234567890' },
  { name: 'dates', again: '1/1/26 ' },
  { name: 'times', again: '10:30-11:45 ' },
  { name: 'requests', again: 'jog every other monday and friday at 7 except on 24 december, ' },
  { name: 'alternatives in brackets', again: '(a|(b|' },
  { name: 'operators of a query', again: '-"after (the" OR ' },
  { name: 'quotes and stars', again: '"*" ' },
  { name: 'a tail that nothing ends', again: 'aaaaaaaaa!' },
  { name: 'spaces', begin: 'a', again: ' ' },
  { name: 'commas', again: ',' },
  { name: 'sentences of a letter', again: 'a. ' },
  { name: 'joined emoji', again: '👩‍👩‍👧‍👦' },
  { name: 'percent signs', again: '%C3%A4' },
  { name: 'escapes', again: '\\n\\,\\;' },
  { name: 'markup', again: '<b>&amp;' },
  { name: 'line ends', again: '\r\n' },
  { name: 'a zone of colons and commas', begin: 'a:', again: ',' },
  { name: 'times in a list', begin: '20261201T090000', again: ',20261202T090000' },
  { name: 'parameters', begin: 'a', again: ';TZID=a,b:' },
  { name: 'quoted parameters', begin: 'a', again: ';A="b:","' },
  { name: 'slashes', again: 'a/' },
  { name: 'mentions', again: '@#' },
];

/** The value, `length` characters long. */
export const textOf = ({ begin = '', again }: Expensive, length: number): string =>
  (begin + again.repeat(Math.ceil(length / again.length)))
    .slice(0, length)
    // Half of a pair would be refused as it is.
    .replace(/[\ud800-\udbff]$/, '');

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
const perCharacter = (value: Expensive): number => bytesOf(textOf(value, 300)) / 300;

/** Rules that occur most often, hardly ever, or never. */
export const RULES = [
  'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,15,30,45',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1;BYMONTHDAY=31',
  'FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;INTERVAL=7',
  'FREQ=WEEKLY;INTERVAL=999;UNTIL=99981231T000000Z',
];

/** Always the first choice; of optional members only those that were asked for. */
const PLAIN: Dice = { roll: () => 0, below: () => 0, of: (list) => list[0] as never, chance: (p) => p >= 0.5 };

const FREE = 64;
const isFree = (schema: Schema, name: string): boolean =>
  schema.type === 'string' &&
  !schema.format &&
  !schema.enum &&
  schema.const === undefined &&
  !(schema as { pattern?: string }).pattern &&
  (schema.maxLength ?? Infinity) >= FREE &&
  byName(name, PLAIN) === undefined;

const variantsOf = (node: Schema): Schema[] => {
  const schema = deref(node);
  const variants = schema.anyOf ?? schema.oneOf;
  return variants ? variants.flatMap(variantsOf) : [schema];
};

const largestArray = (schema: Schema, value: Expensive, bytes: number, name: string): unknown[] => {
  const most = Math.min(schema.maxItems ?? Infinity, 50_000);
  const make = (share: number): unknown => largest(schema.items ?? {}, value, share, name.replace(/s$/, ''));
  const one = make(Math.max(bytes / Math.min(most, 1_000), 20));
  const count = Math.max(1, Math.min(most, Math.floor(bytes / (bytesOf(one) + 1))));
  // Equal strings would be taken for one.
  const numbered = (n: number): unknown =>
    typeof one === 'string' ? `${n}${one}`.slice(0, one.length) : structuredClone(one);
  return Array.from({ length: count }, (_, n) => numbered(n));
};

const largestObject = (schema: Schema, value: Expensive, bytes: number): Record<string, unknown> => {
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'user_id');
  const made: Record<string, unknown> = {};
  for (const [name, member] of members) made[name] = largest(member, value, bytes / members.length, name);
  if (members.length === 0 && schema.additionalProperties !== false)
    for (let n = 0; n < Math.min(100, bytes / 100); n++) made[`${textOf(value, 20)}${n}`] = textOf(value, 50);
  return made;
};

/** The largest value that the schema accepts within so many bytes. */
export const largest = (node: Schema, value: Expensive, bytes: number, name = ''): unknown => {
  const variants = variantsOf(node);
  const schema =
    variants.find(({ type }) => type === 'array') ??
    variants.find(({ type }) => type === 'object') ??
    variants.find((one) => isFree(one, name)) ??
    deref(variants[0] ?? {});
  if (name === 'rrule') return RULES[value.again.length % RULES.length];
  if (schema.type === 'array') return largestArray(schema, value, bytes, name);
  if (schema.type === 'object') return largestObject(schema, value, bytes);
  if (isFree(schema, name))
    return textOf(value, Math.floor(Math.min(schema.maxLength ?? Infinity, bytes / perCharacter(value))));
  if (schema.type === 'integer' && /limit|count|tokens|minutes|top/.test(name)) return schema.maximum ?? 100;
  return byName(name, PLAIN) ?? sample(schema, PLAIN);
};

/** What the schema requires, and nothing else. */
const smallest = (node: Schema): unknown => sample(node, PLAIN);

export type Filling = { what: string; make: (bytes: number) => unknown };

/** A body with every member at its largest, and for each member that can be large one with what is required beside it. */
export const fillings = (node: Schema, value: Expensive): Filling[] => {
  const schema = variantsOf(node).find(({ type }) => type === 'object') ?? deref(node);
  const members = Object.entries(schema.properties ?? {}).filter(([name, member]) =>
    variantsOf(member).some((one) => one.type === 'array' || one.type === 'object' || isFree(one, name)),
  );
  const least = smallest(schema) as Record<string, unknown>;
  return [
    ...(members.length === 1 ? [] : [{ what: 'everything', make: (bytes: number) => largest(schema, value, bytes) }]),
    ...members.map(([name, member]) => ({
      what: name,
      make: (bytes: number) => ({ ...least, [name]: largest(member, value, bytes, name) }),
    })),
  ];
};
