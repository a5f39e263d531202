/** The residue rule: words about time, conditions and exclusions that no reader has read are asked about, never guessed at. */
import { rawOf, type Work } from './build.ts';
import { type Item, WHEN } from './facet.ts';
import { misspeltWeekday } from './plain-words.ts';
import {
  capitalise,
  endsPhrase,
  MONTHS,
  NUMBERED,
  phraseAt,
  setOf,
  WEEKDAY_PLURALS,
  WEEKDAYS,
  wordAt,
} from './words.ts';

const EXCLUDES = 'except (for/on/in/)|excluding|avoid|avoiding|but (not/)|not|other than|apart from|without';
/** Words that say when, how often or under which restriction, wherever they are. */
const TIME_WORDS = setOf(
  "weekday weekdays weekend weekends o'clock tomorrow tonight yesterday mornings afternoons evenings nights fortnight noon midday midnight am pm except unless latest earliest mornings-only everyday biweekly alternate alternating",
);
/** The same where they are not followed by a noun that they describe. */
const LOOSE_TIME_WORDS = setOf(
  'today week weeks month months morning afternoon evening night daily weekly monthly hour hours minute minutes mins min hrs days day only earlier later between until till before after during within every each twice times never not no',
);
const isWhen = (item: Item | undefined): boolean => item?.facets.some(({ kind }) => WHEN.has(kind)) ?? false;

const COUNTING = setOf(
  'a an one every each any some per another whole same other all of the last first next this that half full',
);

/** 'dinner with June' */
const WITH = setOf('with and see visit call meet phone');

type Unread = { text: string; meant?: string };
type Place = { work: Work; items: readonly Item[]; i: number; timed: boolean };

const excluded = ({ work, items, i }: Place): Unread | null => {
  const { tokens } = work;
  const { from } = items[i]!;
  const next = phraseAt(tokens, from, EXCLUDES);
  const start = next && ['the', 'any', 'on', 'in'].includes(wordAt(tokens, next)) ? next + 1 : next;
  const time = next ? items.find((other) => other.from === next || other.from === start) : undefined;
  const bounds =
    time?.facets.every(({ kind }) => kind === 'hours') && next === from + 1 && wordAt(tokens, from) === 'but';
  return time && isWhen(time) && !bounds ? { text: rawOf(work, from, time.to) } : null;
};

/** Whether nothing follows that a word could describe. */
const isLast = ({ work, items, i }: Place): boolean => {
  const next = items[i + 1];
  return next === undefined || isWhen(next) || endsPhrase(work.tokens, next.from);
};

const JOINS = setOf('to - – and & , /');

const unreadNumber = (place: Place): Unread | null => {
  const { work, items, i, timed } = place;
  const { tokens } = work;
  const { from } = items[i]!;
  const isOrdinal = ['st', 'nd', 'rd', 'th'].includes(wordAt(tokens, from + 1)) && tokens[from + 1]!.glued;
  // 'the 28th birthday'
  if (isOrdinal && wordAt(tokens, from - 1) === 'the' && tokens[from + 2]?.kind !== 'word')
    return { text: rawOf(work, from - 1, from + 2) };
  if (tokens[from]!.kind !== 'number') return null;
  if (tokens[from + 1]?.kind === 'number' && items[i + 1]?.facets.length === 0)
    return { text: rawOf(work, from, from + 2) };
  const before = items[i - 1];
  // 'pages 10 to 12'
  let noun = from - 1;
  while (tokens[noun]?.kind === 'number' || JOINS.has(wordAt(tokens, noun))) noun--;
  const named = before !== undefined && before.facets.length === 0 && NUMBERED.has(wordAt(tokens, noun));
  const second = items[i - 2];
  if (second && isWhen(second) && before && ['to', '-', '–', 'until', 'till'].includes(wordAt(tokens, before.from)))
    return { text: rawOf(work, second.from, items[i]!.to) };
  const beside = (before !== undefined && isWhen(before)) || isWhen(items[i + 1]);
  const bare = isLast(place) && !named && !timed && /^\d{1,2}$/.test(tokens[from]!.text) && !tokens[from]!.glued;
  return bare && (beside || items[i + 1] === undefined) ? { text: tokens[from]!.text } : null;
};

const unreadAt = (place: Place): Unread | null => {
  const { work, items, i } = place;
  const { tokens } = work;
  const item = items[i]!;
  const { word, kind, text, possessive } = tokens[item.from]!;
  if (item.facets.length > 0 || kind === 'quote' || kind === 'tag') return null;
  const left = excluded(place);
  if (left) return left;
  const meant = kind === 'word' ? misspeltWeekday(word) : undefined;
  if (meant) return { text, meant };
  const isDay = (WEEKDAYS.has(word) && word.endsWith('day')) || WEEKDAY_PLURALS.has(word) || TIME_WORDS.has(word);
  if (isDay && !possessive) return { text };
  const isMonth =
    MONTHS.has(word) &&
    word.length > 3 &&
    word !== 'march' &&
    /^\p{Lu}/u.test(text) &&
    !WITH.has(wordAt(tokens, item.from - 1));
  if (isMonth && isLast(place)) return { text };
  // 'demo day' and 'film night' are names
  const isCompound =
    /^(?:day|night|week|hour|morning|evening)$/.test(word) &&
    items[i - 1]?.facets.length === 0 &&
    tokens[item.from - 1]?.kind === 'word' &&
    !COUNTING.has(wordAt(tokens, item.from - 1));
  const isNamed =
    ['the', 'my', 'our', 'next', 'first'].includes(wordAt(tokens, item.from - 1)) && /^(?:week|day|month)$/.test(word);
  if (kind === 'word' && !possessive && LOOSE_TIME_WORDS.has(word) && isLast(place) && i > 0 && !isNamed && !isCompound)
    return { text: rawOf(work, items[i - 1]!.facets.length === 0 ? items[i - 1]!.from : item.from, item.to) };
  return kind === 'number' ? unreadNumber(place) : null;
};

const HOLIDAY = /^(?:christmas|xmas|easter|thanksgiving|halloween|hanukkah|diwali|eid|ramadan)$/;
const DAYS = new Set(['days', 'period', 'edge', 'every', 'instant', 'except']);

/** The question about what a request for time leaves unread; null where everything is read. */
export const residueOf = (work: Work, items: readonly Item[]): string | null => {
  const timed = items.some(({ facets }) =>
    facets.some(({ kind }) => kind === 'clock' || kind === 'hours' || kind === 'instant'),
  );
  const dated = items.some(({ facets }) => facets.some(({ kind }) => DAYS.has(kind)));
  const holiday = timed && !dated && items.find(({ from }) => HOLIDAY.test(wordAt(work.tokens, from)));
  if (holiday) return `on which day is “${rawOf(work, holiday.from, holiday.to)}” here?`;
  for (const i of items.keys()) {
    const unread = unreadAt({ work, items, i, timed });
    if (unread?.meant) return `“${unread.text}”: did you mean ${capitalise(unread.meant)}?`;
    if (unread) return `I could not read “${unread.text}”. When should it be?`;
  }
  return null;
};
