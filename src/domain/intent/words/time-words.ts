/** Words of time and number, and the small words around them. */
import { setOf } from './phrases.ts';
import type { Token } from './tokens.ts';

const table = (rows: string): ReadonlyMap<string, number> =>
  new Map(rows.split('|').flatMap((row, i) => row.split(' ').map((word): [string, number] => [word, i + 1])));

export const WEEKDAYS = table(
  'monday mon|tuesday tue tues|wednesday wed weds|thursday thu thur thurs|friday fri|saturday sat|sunday sun',
);
export const WEEKDAY_PLURALS = table('mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays');
export const MONTHS = table(
  'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec',
);
export const ORDINALS = table(
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth',
);
export const UNITS = table(
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen',
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
  'chapter page pages room gate part phase section unit number no version step lesson level week day platform flight terminal act season episode grade year class sprint q building floor track issue ticket task exercise module volume figure item round stage group team area block zone line bus tram train route highway ward depot hall house bay table court pitch studio apollo iphone windows',
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
