/** What is wished of a new thing: the shapes between its words and its proposal. */
import type { Hours, Slot } from '../time/settle.ts';
import type { DayRange } from '../time/settle-days.ts';
import type { Limits } from './limits.ts';

type PlainDate = Temporal.PlainDate;

export type Length = { minutes?: number; days?: number };

/** `days` are those on each of which it is, or a stretch of them; `range` is one in which it is to find its place. */
export type Wish = {
  days: DayRange[];
  range?: { from: PlainDate; to?: PlainDate };
  slots: Slot[];
  hours?: Hours;
  length: Length;
  times?: number;
  limits: Limits;
  isSame: boolean;
  /** Only its limits say hours, so any of the next days will do. */
  isAnyDay?: true;
  /** Its time depends on something that is not known. */
  isOpen?: true;
};
/** What cannot be planned, and why. */
export type Doubt = { about: string };
