/** Titles: what is left of a request when its verb and its times are taken out. */
import type { Item } from './facet.ts';
import { isDoubtfulName } from './clause/name-doubt.ts';
import {
  DANGLING,
  EMPTY,
  LEADING,
  LIGHT,
  NAMING,
  OBJECTS,
  PARTICLES,
  PERSONAL,
  REMARKING,
  REMARKS,
  SIGNS,
  TELLING,
  TRAILING,
} from './words/title-words.ts';
import { ASKING_WHEN, DAY_PARTS, MOVES, OBJECT_PRONOUNS } from './words/name-doubts.ts';
import { NO_NAME_FIRST, NO_NAME_WITHIN, PERSONS } from './words/speech.ts';
import {
  ARTICLES,
  capitalise,
  endsPhrase,
  NUMBERED,
  PREPOSITIONS,
  setOf,
  squash,
  type Token,
  wordAt,
} from './words.ts';

const MAX_TITLE = 200;

/** What tags say: the first # is the task, the first @ the tempo (unless it is a person: 'with @anna'). */
export type Tags = { task_id?: string; tempo_tag?: string; tags: string[] };

const TEMPO = setOf('@morning @afternoon @evening @deep_work @shallow @meeting @recovery');
const BLOCK = /^block_(\d{1,3})$/;

export const tagsOf = (tokens: readonly Token[], from: number, to: number): Tags & { minutes?: number } => {
  const own = tokens.slice(from, to);
  const ats = own.filter(
    ({ kind, text }, i) =>
      kind === 'tag' && text.startsWith('@') && !(PERSONAL.has(wordAt(own, i - 1)) && !TEMPO.has(text.toLowerCase())),
  );
  const tempo = ats.find(({ text }) => TEMPO.has(text.toLowerCase())) ?? ats[0];
  const deep = own.some(
    ({ word }, i) =>
      word === 'deep' && /^(?:work|working)$/.test(wordAt(own, wordAt(own, i + 1) === '-' ? i + 2 : i + 1)),
  );
  const block = own.map(({ word }) => BLOCK.exec(word)).find((match) => match !== null);
  const task = own.find(({ kind, text }) => kind === 'tag' && text.startsWith('#'));
  const tempoTag = tempo?.text ?? block?.[0] ?? (deep ? '@deep_work' : undefined);
  const others = own
    .filter((token) => token.kind === 'tag' && token !== task && token !== tempo)
    .map(({ text }) => text.replace(/^#/, ''));
  return {
    ...(task && { task_id: task.text.slice(1) }),
    ...(tempoTag && { tempo_tag: tempoTag }),
    tags: [...new Set(others)],
    ...(block && Number(block[1]) > 0 && { minutes: Number(block[1]) }),
  };
};

const CLOSERS = (
  'please|always|thanks|thank you|for me|if possible|on my list|to my list|on my to - do list|in my calendar|' +
  'on my calendar|to my calendar|into my calendar|in the calendar|on the calendar|to the calendar|in my schedule|' +
  'to my schedule|on my schedule|in my diary|to my agenda|in my agenda|on my agenda|to the schedule|if i can|' +
  "if you please|should do|will do|should be enough|is enough|pretty|its|it's|if you|or thereabouts|thereabouts|dear|" +
  'my dear|mate|sir|much obliged|cheers|ta|would you see|could you see|thank you very much|would suit me|suits me|' +
  'would be great|would be good|would be nice|would be lovely|preferably|ideally|though|would you|could you|if you can|' +
  'will you|again|as well|ok|okay|too|instead|pm|free|time permitting|at some point|if there is time|if that works|or so|' +
  'right|same time|at the same time|they said|she said|he said|she says|he says|they say|obviously|apparently|for sure|definitely|after all|anyway|honestly|i think|i guess|i suppose|you know|for once|again'
)
  .split('|')
  .map((phrase) => phrase.split(' '));
const SLOTS = (
  'some time|time|a slot|slot|a window|window|a gap|gap|a block|block|room|space|a reminder|an appointment|' +
  'a block of time|a time|time slot|a time slot|a session|an entry|an event|a task|a meeting|a call'
)
  .split('|')
  .map((phrase) => phrase.split(' '));

/** One word of a title: its token's text and whether a space is before it. */
type Piece = { text: string; word: string; space: boolean; tag: boolean; at: number };

/** A length that describes the noun behind it: 'a [30 min] nap', 'an easy [40 minute] jog'. */
const describesNoun = (tokens: readonly Token[], { from, to, facets }: Item): boolean =>
  facets.length === 1 &&
  facets[0]!.kind === 'duration' &&
  /^(?:min|minute|hour|hr|h)$/.test(wordAt(tokens, to - 1)) &&
  wordAt(tokens, from - 1) !== ',' &&
  !endsPhrase(tokens, to);

const pieces = (tokens: readonly Token[], items: readonly Item[]): Piece[][] => {
  const stretches: Piece[][] = [[]];
  for (const item of items) {
    if (item.facets.length > 0 && !item.kept) {
      if (!describesNoun(tokens, item)) {
        stretches.push([]);
        continue;
      }
    }
    const isLength = item.facets.length > 0 && !item.kept;
    for (let at = item.from; at < item.to; at++) {
      const token = tokens[at]!;
      if (isLength && !LEADING.has(token.word) && !ARTICLES.has(token.word)) break;
      if (BLOCK.test(token.word)) continue;
      const stretch = stretches.at(-1)!;
      const text =
        token.kind === 'tag' ? tagText(token) : token.kind === 'quote' ? token.text.slice(1, -1) : token.text;
      stretch.push({
        text,
        word: token.kind === 'quote' ? text.toLowerCase() : token.word,
        space: !token.glued,
        tag: token.kind === 'tag',
        at,
      });
    }
  }
  return stretches;
};

const tagText = ({ text }: Token): string =>
  /^#\d+$/.test(text) || (text.startsWith('@') && !TEMPO.has(text.toLowerCase()))
    ? text
    : text.slice(1).replaceAll('_', ' ');

/** A tag stays in the title where a preposition leads to it ('on #thesis') or nothing else does; hung on, it goes. */
const withoutHangingTags = (stretch: Piece[]): Piece[] =>
  stretch.filter(
    (piece, i) =>
      !piece.tag ||
      PREPOSITIONS.has(stretch[i - 1]?.word ?? '') ||
      (stretch[i + 1] !== undefined && !stretch[i + 1]!.tag && i > 0) ||
      ['and', 'the', 'my', 'fix'].includes(stretch[i - 1]?.word ?? ''),
  );

const trimmed = (stretch: Piece[], isEnd = false): Piece[] => {
  let from = 0;
  let to = stretch.length;
  // 'check in', where nothing follows
  if (isEnd && to > 1 && PARTICLES.has(stretch.at(-1)!.word))
    return [...trimmed(stretch.slice(0, -1)), stretch.at(-1)!];
  // 'on-call' is a word
  while (
    from < to &&
    LEADING.has(stretch[from]!.word) &&
    !(stretch[from + 1]?.word === '-' && !stretch[from + 1]!.space)
  )
    from++;
  for (let before = -1; before !== to;) {
    before = to;
    const closer = CLOSERS.find(
      (words) => words.length <= to - from && words.every((word, n) => stretch[to - words.length + n]!.word === word),
    );
    if (closer && (closer.length < to - from || to < stretch.length || closer[0] === 'please')) to -= closer.length;
    // 'load-in' is a word
    const isGlued = (): boolean => stretch[to - 2]?.word === '-' && !stretch[to - 1]!.space && !stretch[to - 2]!.space;
    while (to > from && TRAILING.has(stretch[to - 1]!.word) && !isGlued()) to--;
  }
  return stretch.slice(from, to);
};

/** Stretches on both sides of a time: the one after keeps its preposition ('a call [at 3] with Anna'). */
const joined = (stretches: Piece[][]): Piece[] => {
  const all: Piece[] = [];
  for (const stretch of stretches) {
    let part = isRemark(stretch) ? [] : stretch;
    const light = all.length === 1 && LIGHT.has(all[0]!.word) && ['of', 'on', 'for'].includes(stretch[0]?.word ?? '');
    if (light && all[0]!.word !== 'work') all.length = 0;
    if (all.length > 0) {
      while (part.length > 0 && [',', 'and', ':', '-', '.', 'then'].includes(part[0]!.word)) part = part.slice(1);
      if (part.length === 1 && (TRAILING.has(part[0]!.word) || part[0]!.word === 'start')) part = [];
      while (part.length > 0 && all.length > 0 && DANGLING.has(all.at(-1)!.word) && all.at(-2)?.word !== '-') all.pop();
    }
    all.push(...part.map((piece, i) => (i === 0 ? { ...piece, space: true } : piece)));
  }
  return all;
};
/** 'evenings [are best]', 'Tuesday [would suit me]': about the time, and not what is to be done. */
const isRemark = (stretch: readonly Piece[]): boolean =>
  REMARKS.has(stretch[0]?.word ?? '') && stretch.every(({ word }) => REMARKING.has(word));

const withoutSlotWords = (all: Piece[]): Piece[] => {
  for (const words of SLOTS) {
    const [joint] = all.slice(words.length);
    const fits = words.every((word, n) => all[n]?.word === word);
    const named = ['called', 'named', 'titled', 'entitled'].includes(joint?.word ?? '');
    if (
      !fits ||
      !joint ||
      !(
        named ||
        (['for', 'to', ...(words.at(-1) === 'slot' ? ['at', 'with'] : [])].includes(joint.word) &&
          !['meeting', 'call', 'session'].includes(words.at(-1)!))
      )
    )
      continue;
    const rest = all.slice(words.length + 1);
    return rest[0]?.word === ':' ? rest.slice(1) : rest;
  }
  return all;
};

const textOf = (all: Piece[]): string =>
  squash(all.map(({ text, space }, i) => (space && i > 0 ? ` ${text}` : text)).join(''))
    .replace(/ ([,;:])/g, '$1')
    .replace(/\(\s?\)/g, '')
    .replace(/ ?\((?:my|our|it|he|she|they|we|i|because|as)\b[^)]*\)?/i, '')
    .trim();

/** 'have a chat with Eve' is a chat; 'have the car washed' is that. */
const withoutHave = (all: Piece[]): Piece[] =>
  all.length > 1 &&
  ((all[0]!.word === 'have' && !OBJECTS.has(all[1]!.word)) ||
    (/^(?:do|hold)$/.test(all[0]!.word) && /^an?$/.test(all[1]!.word)))
    ? all.slice(1)
    : all;

/**
 * What makes the words of a request no name: a sentence within it ('I hate', 'when the car is back'), or stretches on both sides
 * of a time that nothing joins ('vet for [Sunday] the dog').
 */
export const titleFault = (tokens: readonly Token[], items: readonly Item[], title: string): boolean => {
  if (quotedIn(tokens, items)) return false;
  const said = setOf(title.toLowerCase().replaceAll(/[,;:()]/g, ''));
  const own = items.filter(({ from }) => tokens[from]?.kind !== 'quote');
  const stretches = pieces(tokens, own)
    .filter((stretch) => !isRemark(stretch))
    .map((stretch) => ({ first: stretch[0]?.word ?? '', rest: trimmed(withoutHangingTags(stretch)) }))
    .filter(({ rest }) => rest.length > 0);
  const isLoose = stretches
    .slice(1)
    .some(({ first, rest }) => !JOINING.has(first) && said.has(rest[0]!.text.toLowerCase()));
  return isLoose || isSentence(phraseIn(tokens, own).filter(({ word }) => said.has(word) || !PERSONS.has(word)));
};
const isSentence = (rest: readonly Piece[]): boolean => {
  const words = rest
    .filter(({ tag }) => !tag)
    .map(({ word, text }) => (/['’]s$/.test(text) ? text.toLowerCase() : word));
  const told = words.findIndex((word) => TELLING.has(word));
  const own = told < 0 ? words : words.slice(0, told);
  if (told === 0 || isDoubtfulName(own) || waits(words, told)) return true;
  if (own.length > 1 && (OBJECT_PRONOUNS.has(own.at(-1)!) || MOVES.has(own.at(-1)!))) return true;
  if (own[0] === 'write' && own[1] === ':') return true;
  if (/^(?:half|quarter)$/.test(own[0] ?? '') && /^\d/.test(own[1] ?? '')) return true;
  const isTorn = rest.some((_, i) => tearsAt(rest, i)) && !own.includes('and') && !own.includes('&');
  const isCompound = own[1] === '-' || (own[0] === 'out' && own[1] === 'of') || (own[0] === 'one' && own[1] === 'on');
  // 'standup mo -> fr', 'free my'
  const isOpen =
    own.some((word, i) => SIGNS.has(word) && !(word === 'due' && i === own.length - 1)) ||
    ARTICLES.has(own.at(-1) ?? '');
  return (
    isTorn ||
    isOpen ||
    (!isCompound && NO_NAME_FIRST.has(own[0] ?? '')) ||
    own.some((word, i) => i > 0 && NO_NAME_WITHIN.has(word))
  );
};
/** 'ring Tom when I am back', 'shopping that morning': a time that was not found. */
const waits = (words: readonly string[], told: number): boolean =>
  told > 0 &&
  ((words[told] === 'when' && !ASKING_WHEN.has(words[0]!)) ||
    (words[told] === 'that' && DAY_PARTS.has(words[told + 1] ?? '')));
/** A comma with something else behind it: neither a name nor a numbered place. */
const tearsAt = (rest: readonly Piece[], i: number): boolean => {
  const next = rest[i + 1];
  return rest[i]!.word === ',' && next !== undefined && !/^\p{Lu}/u.test(next.text) && !NUMBERED.has(next.word);
};
const JOINING = setOf([...PREPOSITIONS].join(' '));

/** A name in quotes is the title where it is introduced as one, or where little else is said. */
const quotedIn = (tokens: readonly Token[], items: readonly Item[]): Item | undefined => {
  const quotes = items.filter((item) => tokens[item.from]?.kind === 'quote');
  const introduced = quotes.find(({ from }) => NAMING.has(wordAt(tokens, from - 1)));
  if (introduced) return introduced;
  return items.filter((item) => item.facets.length === 0).length <= 6 || quotes[0] === items.find(isBare)
    ? quotes[0]
    : undefined;
};
const isBare = ({ facets }: Item): boolean => facets.length === 0;

/** The words of a request as one clean line, '' where none are left. */
export const phraseOf = (tokens: readonly Token[], items: readonly Item[]): string => {
  const quoted = quotedIn(tokens, items);
  return quoted ? squash(tokens[quoted.from]!.text.slice(1, -1)) : textOf(phraseIn(tokens, items));
};

/** The tokens that a phrase is made of. */
export const phraseTokens = (tokens: readonly Token[], items: readonly Item[]): number[] => {
  const quoted = quotedIn(tokens, items);
  return quoted ? [quoted.from] : phraseIn(tokens, items).map(({ at }) => at);
};

const phraseIn = (tokens: readonly Token[], items: readonly Item[]): Piece[] => {
  const stretches = pieces(tokens, items);
  const bare = stretches.map(withoutHangingTags);
  const isEnd = items.length > 0 && items.at(-1)!.facets.length === 0;
  const words = trimmed(withoutSlotWords(withoutHave(trimmed(joined(bare), isEnd))), isEnd);
  const named = words.findIndex(({ word }) => ['called', 'titled', 'named', 'entitled'].includes(word));
  return named > 0 && named < words.length - 1 ? trimmed(words.slice(named + 1)) : words;
};

/** The title of a request, '' where it names nothing that could be done. */
export const titleOf = (tokens: readonly Token[], items: readonly Item[]): string => {
  const words = phraseOf(tokens, items).split(' ').filter(Boolean);
  while (
    words.length > 1 &&
    ARTICLES.has(words[0]!.toLowerCase()) &&
    !['another', 'this', 'that', 'some'].includes(words[0]!.toLowerCase())
  )
    words.shift();
  // 'add one fire drill'
  if (words.length > 1 && /^one$/i.test(words[0]!) && !/^(?:on|to|more|of|with|-)/i.test(words[1]!)) words.shift();
  const content = words.filter(
    (word) => !EMPTY.has(word.toLowerCase()) && !ARTICLES.has(word.toLowerCase()) && /[\p{L}\p{N}]/u.test(word),
  );
  if (content.length === 0) return '';
  return capitalise(cut(words.join(' '), MAX_TITLE));
};

export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${short.slice(0, Math.max(short.lastIndexOf(' '), most - 30)).trimEnd()}…`;
};

/** Title for requests that carry only a tag: '#thesis' gives 'Thesis'. */
export const tagTitle = ({ task_id, tempo_tag }: Tags): string =>
  capitalise((task_id ?? tempo_tag ?? '').replace(/^[@#]/, '').replaceAll(/[_-]+/g, ' ').trim());
