/** Lists all distinct spans of time of annotated lines with what they are read as, and how many are read completely by role. */
import { globSync, readFileSync } from 'node:fs';
import { type Kind, readTime } from '../../src/domain/planner/time/read-time.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  when: 'time',
  old: 'time',
  limit: 'time',
  except: 'time',
  rel: 'time',
  dur: 'length',
  shift: 'length',
  count: 'length',
  repeat: 'repeat',
};

const spansIn = (directory: string, role: string): string[] => {
  const texts = globSync(`${directory}/*.txt`).map((file) => readFileSync(file, 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(new RegExp(`\\[${role}:([^\\]]*)\\]`, 'g'))]);
  return [...new Set(found.map(([, words = '']) => words.toLowerCase().trim()))].sort();
};

export const listSpans = ([directory = '../shared/planner-trial/lines', only]: readonly string[]): void => {
  const shares: string[] = [];
  for (const [role, kind] of Object.entries(KINDS)) {
    if (only && role !== only) continue;
    const spans = spansIn(directory, role);
    let complete = 0;
    for (const words of spans) {
      const { items, names, unread } = readTime(words, kind);
      if (unread.length === 0 && items.length > 0) complete += 1;
      const read = items.map(({ item, ...more }) => `${item} ${JSON.stringify(more)}`).join(' · ');
      const rest = unread.length > 0 ? `  UNREAD ${unread.join(' | ')}` : '';
      console.log(`${role}: ${words}  =>  ${read}${names.length > 0 ? `  names ${names.join(' ')}` : ''}${rest}`);
    }
    shares.push(
      `${role}: ${complete} of ${spans.length} read completely (${((100 * complete) / spans.length).toFixed(1)} %)`,
    );
  }
  console.log(shares.join('\n'));
};
