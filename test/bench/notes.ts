/** Notes as people and agents write them, the same every time: common words and rare ones, names, numbers, tasks, tags, times. */
import { decode } from 'gpt-tokenizer/encoding/o200k_base';
import { random } from './million.ts';

/** Numbers from 0 up to 1, the same for the same seed. */
export const numbers = random;

/** About half of what English prose is made of. */
const COMMON = (
  'the to and of a in for is on that with it as was this be we at have not by are from but he they you an or will has meeting call ' +
  'project review draft budget team deadline client report plan week month today tomorrow monday friday morning afternoon release ' +
  'test bug fix design contract signed asked wants agreed decided moved send write read check update before after about which when ' +
  'their there our first last next more some time work people because should could would into over only also new old best done'
).split(' ');

/** Words of the tokenizer's vocabulary, the frequent ones first: 13,000. */
const rarer = (): string[] =>
  Array.from({ length: 50_000 }, (_, token) => decode([token]))
    .filter((text) => /^ [a-z]{4,}$/.test(text))
    .map((text) => text.slice(1));
const VOCABULARY = [...COMMON, ...rarer()];
const SYLLABLES = 'ka to mi ra ne lo su pe di va no re sha ti bo gu lin mar ber ton'.split(' ');
/** Shares of names and of numbers among the words. */
const NAMES = 0.04;
const NUMBERS = 0.02;

const TYPES = ['observation', 'observation', 'observation', 'observation', 'reflection', 'decision'];
const TEMPO_TAGS = ['@deep_work', '@shallow', '@meeting', '@morning'];
const START = Date.UTC(2026, 0, 1);
const TEN_MINUTES = 600_000;
const TASKS = 50;
const TAGS = 40;
const SENTENCE = 14;

type Note = {
  type: string;
  content: string;
  task_id: string;
  tempo_tag?: string;
  tags: string[];
  timestamp: string;
};

/** The i-th note: 10 to 75 words, 46 on average, ten minutes after the one before; one of 50 tasks, every other with a tempo tag. */
const aNote = (i: number): Note => {
  const random = numbers(i);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const word = (): string => {
    const kind = random();
    if (kind < NUMBERS) return String(Math.floor(random() * 2_000));
    if (kind < NUMBERS + NAMES) return (pick(SYLLABLES) + pick(SYLLABLES)).replace(/^./, (c) => c.toUpperCase());
    // A word's frequency falls with its rank (Zipf).
    return VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1] as string;
  };
  const sentence = (): string => `${Array.from({ length: SENTENCE - 4 + Math.floor(random() * 9) }, word).join(' ')}.`;
  const length = 10 + random() * 60;
  return {
    type: pick(TYPES),
    content: Array.from({ length: Math.ceil(length / SENTENCE) }, sentence).join(' '),
    task_id: `task-${Math.floor(random() * TASKS)}`,
    ...(i % 2 ? { tempo_tag: pick(TEMPO_TAGS) } : {}),
    tags: [`#tag-${Math.floor(random() * TAGS)}`],
    timestamp: new Date(START + i * TEN_MINUTES).toISOString(),
  };
};

export const notesFrom = (first: number, count: number): Note[] =>
  Array.from({ length: count }, (_, i) => aNote(first + i));
