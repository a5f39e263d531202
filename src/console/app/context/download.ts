/** The whole export as a file, as the service answers it. */
import { say } from '../state/messages.ts';
import { pastClient } from '../state/service.ts';
import { today } from '../state/wall-time.ts';
import { counted } from '../ui/words.ts';
import { asQuery, query } from './query.ts';

/** The most that the service answers at once. */
const PAGE = 1_000;
/** The memory of the page holds the file. */
const MOST_PAGES = 20;
export const MOST_RESULTS = PAGE * MOST_PAGES;

type Part = Record<string, unknown>;
type Group = { key: string | null; count: number };

/** The counts of the groups are those of a page, and the last group of one may go on on the next. */
const joinedGroups = (pages: Part[]): Group[] => {
  const groups: Group[] = [];
  for (const { key, count } of pages.flatMap((page) => page['groups'] as Group[])) {
    const last = groups.at(-1);
    if (last?.key === key) last.count += count;
    else groups.push({ key, count });
  }
  return groups;
};

/** One answer from those of all pages. Its `next_cursor` is that of the last one. */
const joined = (pages: Part[]): Part => {
  const [first = {}] = pages;
  const all = (name: string): Part =>
    name in first ? { [name]: [...new Set(pages.flatMap((page) => page[name] as unknown[]))] } : {};
  return {
    ...first,
    ...all('results'),
    ...all('edges'),
    ...all('missing'),
    ...('groups' in first ? { groups: joinedGroups(pages) } : {}),
    next_cursor: pages.at(-1)?.['next_cursor'] ?? null,
  };
};

const allPages = async (): Promise<Part> => {
  const { value: asked } = query;
  const parameters = { ...asQuery(asked), ...(asked.export_format === 'summary' ? {} : { limit: PAGE }) };
  const pages: Part[] = [];
  let cursor: string | null | undefined;
  do {
    const next = cursor ? { cursor } : {};
    const page = await pastClient.memport.export({ ...parameters, ...next }, { timeout: 60_000 });
    pages.push({ ...page });
    cursor = page.next_cursor;
  } while (cursor && pages.length < MOST_PAGES);
  return joined(pages);
};

/** The credential is a header, so that a plain link cannot download it. */
export const download = async (): Promise<void> => {
  const name = `almanac-context-${today()}.json`;
  const answer = await allPages();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${JSON.stringify(answer, null, 2)}\n`], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const count = counted((answer['results'] as unknown[]).length, 'result');
  say(
    `Downloaded: ${name}, ${count}.${answer['next_cursor'] === null ? '' : ' There are more, which are not in the file. Choose less to get all.'}`,
  );
};
