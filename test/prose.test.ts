/** No text of the project uses the words of test/support/prose.ts. `node test/support/prose.ts` lists every hit. */
import { describe, expect, it } from 'vitest';
import { files, unwanted, unwantedIn } from './support/prose.ts';

describe('words that are never wanted', () => {
  it.each(files())('%s has none', (file) => {
    const hits = unwantedIn(file);
    expect(hits.map(({ line, word, instead }) => `${file}:${line} “${word}”; write: ${instead}`)).toEqual([]);
  });

  const planted: [file: string, source: string, words: string[]][] = [
    ['a.ts', '/** Runs within, as he was told. */', ['told', 'within', 'he']],
    ['a.ts', '// see decisions §3\nconst walls = 1;', ['decisions §']],
    ['a.ts', "throw new Error('The key stands in the address.');", ['stands']],
    ['a.ts', 'problem(`Slot ${stood.walls} rides on luck`);', ['rides on']],
    ['a.ts', 'await sql<{ lane: number }>`select lane from events`;', []],
    ['a.ts', 'const told = { lanes: 3 };', []],
    [
      'a.md',
      'Made.\n\nProposals, in which they stand as tentative; a wall time stands for an instant.',
      ['stand', 'in which they stand', 'made'],
    ],
  ];
  it.each(planted)('finds those of %s: %s', (file, source, words) => {
    expect(unwanted(file, source).map(({ word }) => word)).toEqual(words);
  });
});
