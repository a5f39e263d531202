/** Words of time and number, and the small words around them. */
import { setOf } from './phrases.ts';
import type { Token } from './tokens.ts';
import { MONTHS, NUMBERS, WEEKDAYS } from '../../time/words-of-time.ts';

export { MONTHS, WEEKDAYS, NUMBERS as UNITS };
const table = (rows: string): ReadonlyMap<string, number> =>
  new Map(rows.split('|').flatMap((row, i) => row.split(' ').map((word): [string, number] => [word, i + 1])));

export const WEEKDAY_PLURALS = table('mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays');
export const ORDINALS = table(
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth',
);
export const TENS = table('|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety');

export const PREPOSITIONS = setOf(
  'on at in for by before after until till til from to with about around during over within of since through via near between without into onto',
);
const CONNECTORS = setOf('and then also plus but or & , ; . ! ? : ) ( - – — + / " @');
export const ARTICLES = setOf('a an the my our your his her their some this that another');

/** Abbreviations of weekdays and months that are everyday words too: only a neighbour makes them dates. */
export const DOUBTFUL = setOf('sat sun mar may march');

/** Names that a number belongs to: 'Chapter 3', 'gate 12'. */
export const NUMBERED = setOf(
  'chapter page pages room gate part phase section unit number no version step lesson level week day platform flight terminal act season episode grade year class sprint q building floor track issue ticket task exercise module volume figure item round stage group team area block zone line bus tram train route highway ward depot hall house bay table court pitch studio apollo iphone windows bed beds ward seat desk box locker size door',
);

/** A number at `i - 1` is complete: what follows can't be the noun it counts. */
export const endsPhrase = (tokens: readonly Token[], i: number): boolean => {
  const token = tokens[i];
  if (!token || token.kind === 'break' || token.kind === 'tag' || token.kind === 'quote') return true;
  if (token.kind === 'number') return false;
  return (
    CONNECTORS.has(token.word) ||
    PREPOSITIONS.has(token.word) ||
    WEEKDAYS.has(token.word) ||
    MONTHS.has(token.word) ||
    TIME_WORDS.has(token.word) ||
    ['date', 'iso', 'clock'].includes(token.kind)
  );
};
const TIME_WORDS = setOf(
  'today tomorrow tonight every each this next the please instead daily weekly sharp again once twice latest',
);

/** The index behind '3rd', 'third' or 'twenty-third' at `i`, else null. */
export const ordinalEnd = (tokens: readonly Token[], i: number): number | null => {
  const word = tokens[i]?.word ?? '';
  if (ORDINALS.has(word) || word === 'thirtieth') return i + 1;
  if (TENS.has(word)) {
    const at = tokens[i + 1]?.word === '-' ? i + 2 : i + 1;
    return ORDINALS.has(tokens[at]?.word ?? '') ? at + 1 : null;
  }
  return tokens[i]?.kind === 'number' && tokens[i + 1]?.glued && /^(?:st|nd|rd|th)$/.test(tokens[i + 1]!.word)
    ? i + 2
    : null;
};

/** Words before which or behind which an abbreviation is a day or a month. */
export const NEAR_DOUBTFUL = setOf(
  'on next this every each by until from to till and & , - – coming before after or last of',
);
export const BEHIND_DOUBTFUL = setOf(
  'at am pm then instead same not too also please actually better works either neither only again ? or',
);
export const PART_WORDS = setOf('morning mornings afternoon afternoons evening evenings night nights lunchtime');
/** What is eaten on a holiday: 'Thanksgiving dinner' is on it. */
export const DAY_NOUNS = setOf('dinner lunch breakfast brunch');
/** Before 'in two hours' they make it a length. */
export const FITTING = setOf('fit squeeze slot pencil put get');
export const HALF_OPENERS = setOf('meant mean the in , no sorry');
export const NEAR_TIME =
  'on|in|this|next|during|tomorrow|today|over|within|early|late|mid|between|before|after|by|from|around|until';
export const TEMPORAL = setOf('day days week weeks month months weekend weekends morning evening afternoon');
/** 'the weekly review' says no repetition. */
export const ADVERBIAL_OWNERS = setOf('the my our your this next his her');
/** Behind a number they make it no hour. */
export const NOT_HOURS = setOf(
  '% percent people persons places km kilometers miles euros dollars pages chapters items minutes hours days weeks months kg degrees times items - x $ € / . th st nd rd',
);
export const FORTH = setOf('forward back up out moved rescheduled postponed changed');
export const STREETS = setOf('lane street road avenue close drive square st rd ave terrace crescent');
/** 'Sunday roast' is a name. */
export const WEEKLY_NOUNS = setOf('roast school mass prayers service market league');
export const HOLIDAY_NAMES = setOf('christmas xmas easter thanksgiving halloween friday');
/** 'what does my Friday look like?' */
export const LOOKS = setOf('look looks looking free busy full taken booked open empty');
/** Zones people say by letters; where the letters mean several zones the most usual. */
const pairsOf = (rows: string): ReadonlyMap<string, string> =>
  new Map(rows.split('|').map((pair) => pair.split(' ') as [string, string]));
/** Cities and countries as people call them beside 'time'. */
export const PLACES = pairsOf(
  'nyc America/New_York|ny America/New_York|boston America/New_York|miami America/New_York|dc America/New_York|la America/Los_Angeles|' +
    'sf America/Los_Angeles|san_francisco America/Los_Angeles|seattle America/Los_Angeles|uk Europe/London|german Europe/Berlin|' +
    'germany Europe/Berlin|munich Europe/Berlin|delhi Asia/Kolkata|mumbai Asia/Kolkata|india Asia/Kolkata|japan Asia/Tokyo|beijing Asia/Shanghai',
);
export const ZONES = pairsOf(
  'utc UTC|gmt UTC|bst Europe/London|cet Europe/Berlin|cest Europe/Berlin|et America/New_York|est America/New_York|' +
    'edt America/New_York|ct America/Chicago|cst America/Chicago|cdt America/Chicago|mst America/Denver|mdt America/Denver|' +
    'pt America/Los_Angeles|pst America/Los_Angeles|pdt America/Los_Angeles|jst Asia/Tokyo|ist Asia/Kolkata|' +
    'aest Australia/Sydney',
);
