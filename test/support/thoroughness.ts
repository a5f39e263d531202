/** How much the long tests try: `npm test` a fifth of their cases, and all of them with THOROUGH=1, as in .ci/run. */
export const isThorough = process.env['THOROUGH'] === '1';

/** Set by test/explore.ts: each property tries so many cases of this seed, but no longer than this, and notes in this file what it tried. */
export const exploring =
  process.env['EXPLORE'] === undefined
    ? undefined
    : (JSON.parse(process.env['EXPLORE']) as { seed: number; cases: number; ms: number; notes: string });

/** The number of random cases, of so many. */
export const runs = (all: number): number => exploring?.cases ?? (isThorough ? all : Math.ceil(all / 5));

/** The cases to try: a fifth, or one of `every`, evenly spread. Lists that begin at different places (`from`) together try all. */
export const some = <T>(all: readonly T[], from = 0, every = 5): T[] =>
  all.filter((_, i) => isThorough || i % every === from % every);
