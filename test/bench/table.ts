/** The table at the end: target beside measured, the spread of the rounds, and a plain-text plot. */
import { isMet, measuredBy, type Figure } from './bench.ts';

const HEAD = ['bench', 'on', 'what', 'target', 'measured', 'min', 'max', 'rounds', ''];
const WIDTH = 24;

const shown = (value: number, unit: Figure['unit']): string =>
  `${value.toFixed(unit === '' || value >= 100 ? 0 : unit === 'x' ? 2 : 1)}${unit && ` ${unit}`}`;

/** A bar up to what was measured, with a mark where the target is; `full` fills it. */
const bar = (figure: Figure, full: number): string => {
  if (figure.unit === '' || !(full > 0)) return '';
  const at = (value: number): number => Math.min(WIDTH, Math.round((value / full) * WIDTH));
  const filled = '#'.repeat(at(measuredBy(figure))).padEnd(WIDTH, '.');
  if (figure.target === null) return filled;
  const mark = Math.max(0, at(figure.target) - 1);
  return `${filled.slice(0, mark)}|${filled.slice(mark + 1)}`;
};

const VERDICT = new Map([
  [true, 'met'],
  [false, 'MISSED'],
]);

export type Measurements = { id: string; on: string; figures: Figure[] };

/** Bars of one unit share one scale within a run: compare them with each other and with the target's mark. */
export const table = (runs: readonly Measurements[]): string => {
  const rows = runs.flatMap(({ id, on, figures }) => {
    const scale = (unit: Figure['unit']): number =>
      Math.max(...figures.flatMap((f) => (f.unit === unit ? [f.target ?? 0, measuredBy(f)] : [])));
    return figures.map((figure) => {
      const { what, unit, target, rounds } = figure;
      const full = scale(unit);
      const met = isMet(figure);
      return [
        id,
        on,
        what,
        target === null ? '' : `${figure.least ? '≥' : '≤'} ${target}${unit && ` ${unit}`}`,
        shown(measuredBy(figure), unit),
        shown(Math.min(...rounds), unit),
        shown(Math.max(...rounds), unit),
        String(rounds.length),
        `${bar(figure, full)} ${met === null ? '' : VERDICT.get(met)}`.trim(),
      ];
    });
  });
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => (i < 3 || i === 8 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(HEAD), line(widths.map((w) => '-'.repeat(w))), ...rows.map(line)].join('\n');
};
