/** One pass over the tokens of a prompt: at each place the reader that understands the longest stretch wins. */
import type { Facet, Item, Read, Reader, Scan } from './facet.ts';
import { readApart, readCount } from './counts.ts';
import { readDuration, readFromNow, readShift, readSpan } from './amount.ts';
import { readClock } from './clock.ts';
import { describes, readDays } from './days.ts';
import { readExcept } from './except.ts';
import { PARTS, readPart } from './parts.ts';
import { readPeriod } from './periods.ts';
import { readEvery } from './recurrence.ts';
import { readStretch } from './stretch.ts';
import { readTime } from '../time/time.ts';
import { resultOf } from './result-of.ts';
import { endsPhrase, phraseAt, type Token, WEEKDAYS, wordAt } from './words.ts';

/** 'tonight', 'this morning', 'last night': a day and its part in one. */
const readTodayPart: Reader = ({ tokens, today }, i) => {
  const lead = phraseAt(tokens, i, 'for|until|to|by|later') ?? i;
  const word = wordAt(tokens, lead);
  const facets = (part: Facet): Facet[] => [{ kind: 'days', days: [{ date: today }] }, part];
  if (word === 'tonight' && !tokens[lead]!.possessive)
    return { facets: facets({ kind: 'part', part: PARTS.night! }), next: lead + 1 };
  const at = phraseAt(tokens, lead, 'this|later this|this late|this early|late this|early this');
  const part = at ? PARTS[wordAt(tokens, at)] : undefined;
  if (at && part && !tokens[at]!.possessive) return { facets: facets({ kind: 'part', part }), next: at + 1 };
  const last = phraseAt(
    tokens,
    i,
    'last night|this past|the other day|earlier today|earlier this week|recently|just now',
  );
  return last ? { facets: [{ kind: 'past' }], next: last } : null;
};

/** '2026-12-05T10:00Z'. */
const readIso: Reader = ({ tokens, zone }, i) => {
  const lead = phraseAt(tokens, i, 'at|on|for|to|from') ?? i;
  const token = tokens[lead];
  if (token?.kind !== 'iso' || token.text.length === 10) return null;
  const at = readTime(token.text, zone);
  return {
    facets: [at ? { kind: 'instant', at } : { kind: 'fault', ask: `${token.text} is not a time. When should it be?` }],
    next: lead + 1,
  };
};

/** 'all of December 10th' */
const readAllOf = (scan: Scan, i: number): Read | null => {
  const of = phraseAt(scan.tokens, i, '(out/) (all/the whole/the entirety) of');
  const days = of ? readDays(scan, of) : null;
  return days?.facets[0]?.kind === 'days' ? { facets: [{ kind: 'whole' }, ...days.facets], next: days.next } : null;
};

const WHOLE =
  '(as/) (a/an/) (whole/all/full) - day (thing/event/entry/)|all day|all - day|the whole day|for the whole day|the entire day|whole day|full day|the full day|a full day';
/** 'all day', 'the whole afternoon'. */
const readWhole: Reader = (scan, i) => {
  const { tokens, today } = scan;
  const all = readAllOf(scan, i);
  if (all) return all;
  const next = phraseAt(tokens, i, WHOLE);
  if (next) {
    const long = phraseAt(tokens, next, 'long|today|of');
    const facets: Facet[] = [{ kind: 'whole' }];
    if (long && wordAt(tokens, next) === 'today') facets.push({ kind: 'days', days: [{ date: today }] });
    return { facets, next: long ?? next };
  }
  const lead = phraseAt(
    tokens,
    i,
    'all|the whole|for the whole|the entire|my whole|the full|a whole|whole of|the whole of|the',
  );
  const part =
    lead && !(wordAt(tokens, lead - 1) === 'the' && lead === i + 1) ? PARTS[wordAt(tokens, lead)] : undefined;
  return part ? { facets: [{ kind: 'whole' }, { kind: 'part', part }], next: lead! + 1 } : null;
};

const SOON =
  "at the latest|somewhere|asap|as soon as possible|soon|at the earliest|right away|immediately|at once|as early as possible|right now|now|straight away|at some point|sometime|some time soon|sometime soon|whenever possible|(when/whenever) (there's/there is/i have/i've got/i find) (a gap/a free slot/time/a moment/space/nothing on)|(when/whenever) (i'm/i am) free|anytime|at any time|(on/) (one/any/some) day|whenever|(the/) first (one/time/session) (is/) (today/tonight/this week)|from now on|from here on (in/)|from then on|going forward|starting (with/) (this one/then/now/immediately/straight away)";
/** Before another word of time: 'some time on Thursday'. */
const SOMETIME = '(at/) (some time/sometime/any time/anytime)';
const NEAR_TIME =
  'on|in|this|next|during|tomorrow|today|over|within|early|late|mid|between|before|after|by|from|around|until';
const EARLIEST = '(the/my/) (earliest/first/next) (free/available/possible) (slot/time/)';
/** Said to be wanted early or whenever: the first free slot, which is the rule anyway. */
const readSoon: Reader = ({ tokens }, i) => {
  const earliest = phraseAt(tokens, i, EARLIEST);
  const sometime = phraseAt(tokens, i, SOMETIME);
  const isTimed =
    sometime !== null && (phraseAt(tokens, sometime, NEAR_TIME) !== null || WEEKDAYS.has(wordAt(tokens, sometime)));
  const next = earliest ?? (isTimed ? sometime : phraseAt(tokens, i, SOON));
  return next && (earliest || endsPhrase(tokens, next) || isTimed) ? { facets: [{ kind: 'soon' }], next } : null;
};

const READERS: Reader[] = [
  readIso,
  readStretch,
  readTodayPart,
  readWhole,
  readEvery,
  readDays,
  readSpan,
  readPeriod,
  readShift,
  readFromNow,
  readCount,
  readClock,
  readPart,
  readDuration,
  readSoon,
  readApart,
  readExcept,
];

const longest = (scan: Scan, i: number): Read | null =>
  READERS.reduce<Read | null>((best, read) => {
    const found = read(scan, i);
    return found && found.next > (best?.next ?? i) ? found : best;
  }, null);

/** Tokens no facet begins with. */
const opaque = ({ kind, word }: Token): boolean =>
  kind === 'quote' || kind === 'tag' || kind === 'break' || (kind === 'mark' && word !== '@');

/** Lays the prompt out as words, tags and facets. It yields after each, as a long prompt takes tens of milliseconds. */
export function* scanningItems(scan: Scan): Generator<undefined, Item[]> {
  const items: Item[] = [];
  const { tokens } = scan;
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i]!;
    const found = opaque(token) ? null : longest({ ...scan, afterDay: followsDay(items, tokens) }, i);
    if (!found) {
      items.push({ from: i, to: ++i, facets: [] });
      yield;
      continue;
    }
    items.push({ from: i, to: found.next, facets: found.facets, ...(stays(scan, i, found) && { kept: true }) });
    i = found.next;
    yield;
  }
  return items;
}

const DAY_KINDS = new Set(['days', 'every', 'period', 'edge']);
/** Whether the last item, a comma aside, names days. */
const followsDay = (items: readonly Item[], tokens: readonly Token[]): boolean => {
  const last = items.at(-1);
  const item = last && wordAt(tokens, last.from) === ',' ? items.at(-2) : last;
  const isDay = item !== undefined && !item.kept && item.facets.some(({ kind }) => DAY_KINDS.has(kind));
  // 'Monday 10 to 11 interview, 11 to 12 lecture'
  return isDay || (item !== last && items.some(({ facets }) => facets[0]?.kind === 'hours' && facets[0].exact));
};

/** The same at once, for a few words. */
export const scanItems = (scan: Scan): Item[] => resultOf(scanningItems(scan));

/** A facet that also belongs to the title: 'morning run', 'a weekly review', "Friday's standup". */
const stays = (scan: Scan, i: number, { facets, next }: Read): boolean => {
  const { tokens } = scan;
  const [first] = facets;
  if (first?.kind === 'part') return first.loose === true;
  if (first?.kind === 'every') return wordAt(tokens, i).endsWith('ly') && next === i + 1 && !endsPhrase(tokens, next);
  // "next week's class"
  if (first?.kind === 'period') return tokens[next - 1]!.possessive && !endsPhrase(tokens, next);
  return (first?.kind === 'days' || first?.kind === 'past') && describes(scan, i, next);
};
