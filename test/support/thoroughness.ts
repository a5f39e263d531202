/** How much the long tests try: `npm test` a fifth of their cases, and all of them with THOROUGH=1, as in .ci/run. */
export const isThorough = process.env['THOROUGH'] === '1';

/** The number of random cases, of so many. */
export const runs = (all: number): number => (isThorough ? all : Math.ceil(all / 5));

/** The cases to try: a fifth, evenly spread. `from` says with which one to begin, so that several lists together try all. */
export const some = <T>(all: readonly T[], from = 0): T[] => all.filter((_, i) => isThorough || i % 5 === from % 5);
