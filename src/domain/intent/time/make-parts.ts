/** Productions: parts of the day, whole days, 'soon'. */
import type { Facet, Part } from '../facet.ts';
import type { PartOfDay } from '../types.ts';
import { dictionary, endsPhrase, type Token, wordAt } from '../words.ts';
import type { Place, Productions } from './chart.ts';
import { afterDay } from './make-clocks.ts';

type Tokens = readonly Token[];
type Hours = Record<PartOfDay, [from: number, to: number]>;
const USUAL: Hours = { morning: [6, 12], afternoon: [12, 18], evening: [18, 22], night: [18, 24] };
const SHADES: Record<string, Hours> = {
  early: { morning: [6, 9], afternoon: [12, 15], evening: [17, 20], night: [18, 21] },
  late: { morning: [10, 12], afternoon: [15, 18], evening: [20, 22], night: [21, 24] },
  mid: { morning: [9, 11], afternoon: [13, 16], evening: [19, 21], night: [20, 23] },
};
const partOf = (name: PartOfDay, [from, to] = USUAL[name]): Part => ({ name, from, to });
/** The parts of a day by their words, singular and plural. */
export const PARTS = dictionary<Part>(
  Object.fromEntries(
    (Object.keys(USUAL) as PartOfDay[]).flatMap((name) => [
      [name, partOf(name)],
      [`${name}s`, partOf(name)],
    ]),
  ),
);

/** 'film night': the word before makes it a name. */
const isNoun = (t: Tokens, i: number): boolean =>
  t[i]?.kind === 'word' && !endsPhrase(t, i) && !/^(?:a|an|one|this|whole)$/.test(wordAt(t, i));
const afterTime = (t: Tokens, i: number): boolean =>
  afterDay(t, i) || /^(?:this|every|each|weekday|day|\d.*)$/.test(wordAt(t, i - 1)) || t[i - 1]?.kind === 'iso';

/** A bare 'morning' followed by its noun stays in the title. */
const partFacet = ({ tokens: t, from, to, spans }: Place, part: Part): Facet[] | null => {
  const last = t[to - 1]!;
  if (last.possessive) return null;
  const isPlural = last.word.endsWith('s');
  const isBare = spans[0]!.from === from && spans[0]!.kind === 'pw' && !afterTime(t, from);
  const isNamed = isBare && !isPlural && isNoun(t, from - 1);
  const isOwned =
    (wordAt(t, from) === 'the' || (wordAt(t, from) === 'in' && wordAt(t, from + 1) === 'my')) && !endsPhrase(t, to);
  const isLoose = (isBare && !endsPhrase(t, to)) || isNamed || isOwned;
  // ', afternoons,' restricts, as 'in an afternoon' does
  const plural = isPlural && wordAt(t, from - 1) !== ',';
  return [{ kind: 'part', part, ...(isLoose && { loose: true as const }), ...(plural && { plural: true as const }) }];
};

const today = (place: Place, part: Part): Facet[] => [
  { kind: 'days', days: [{ date: place.today }] },
  { kind: 'part', part },
];

export const PARTS_OF_TIME: Productions = {
  partWord: ({ tokens, from }) => PARTS[wordAt(tokens, from)],
  shade: ({ arg }, { name }: Part): Part => partOf(name, SHADES[arg]![name]),
  part: ({ arg }, known?: Part | Facet[]): Part | Facet[] => {
    if (!arg) return [{ kind: 'part', part: known as Part }];
    const [name, from, to] = arg.split(' ');
    return partOf(name as PartOfDay, [Number(from), Number(to)]);
  },
  partFacet: (place, ...values: unknown[]) => partFacet(place, values.at(-1) as Part),
  halfOfDay: ({ tokens, from }): Facet[] => [
    {
      kind: 'part',
      part: wordAt(tokens, from) === 'am' ? partOf('morning', [0, 12]) : partOf('evening', [12, 24]),
    },
  ],
  halfDay: ({ tokens, to }): Facet[] => [
    { kind: 'part', part: PARTS[wordAt(tokens, to - 1) === 'am' ? 'morning' : 'afternoon']! },
  ],
  tonight: (place) => today(place, PARTS['night']!),
  thisPart: (place, part: Part) => today(place, part),
  dayEnd: ({ arg }): Facet[] => [{ kind: 'hours', to: { hour: Number(arg), minute: 0, fixed: true }, exact: false }],
  whole: (place): Facet[] => [
    { kind: 'whole' },
    ...(place.arg ? [{ kind: 'days' as const, days: [{ date: place.today }] }] : []),
  ],
  wholePart: (_, part: Part): Facet[] => [{ kind: 'whole' }, { kind: 'part', part }],
  soon: (): Facet[] => [{ kind: 'soon' }],
};
