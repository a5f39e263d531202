/** What a request is understood as: actions, in the order of the request. */
import type { Span } from '../request.ts';
import type { Hours } from '../time/settle.ts';

type PlainDate = Temporal.PlainDate;
export type Between = { from: PlainDate; to: PlainDate };

export type Series = {
  /** RFC 5545, without an end. */
  rule: string;
  until?: PlainDate;
  times?: number;
  except?: readonly PlainDate[];
};

/** `spans` are the stretches of the request that an action was made of. */
export type Stretches = { spans: readonly Span[] };

/** `at` null: any free time. A thing of whole days has `days` and no `at`. */
export type When = {
  date: PlainDate | Between;
  at: number | Hours | null;
  minutes?: number;
  days?: number;
};
/** `times` sittings, `gap` minutes or `apart` days between them, none on the days `avoid`. */
export type Creation = When & {
  do: 'create' | 'remind' | 'find';
  title: string;
  series?: Series;
  times?: number;
  apart?: number;
  avoid?: readonly PlainDate[];
  /** Minutes of each day that are left out. */
  avoidHours?: { from: number; to: number };
  place?: string;
  notes?: string;
};

/** An event, or one occurrence of a series; a proposal that is not decided yet has `isPending`. */
export type Target = { uid: string; recurrence_id?: string; isPending?: true };
/** `following`: this occurrence and all behind it. */
export type Move = Omit<When, 'days'> & { do: 'move'; target: Target; series?: Series; isFollowing?: true };
export type Cancel = { do: 'cancel'; target: Target; isFollowing?: true };
export type Resize = { do: 'resize'; target: Target; minutes: number };
export type Change = { do: 'change'; target: Target; title?: string; place?: string; notes?: string };

export type Action = Stretches &
  (
    | Creation
    | Move
    | Cancel
    | Resize
    | Change
    | { do: 'note'; text: string }
    /** Without a time it is at once. */
    | { do: 'reflect'; text: string; at?: Creation }
    /** `isPart`: more is said of it than the text. */
    | { do: 'setting'; text: string; isPart?: true }
    | { do: 'answer'; text: string }
    /** Nothing can be proposed: what is missing, and the events that it may be. */
    | { do: 'ask'; about: string; options?: readonly Target[] }
    | { do: 'nothing' }
  );
/** An action before its stretches are added. */
export type Act = Action extends infer A ? (A extends Stretches ? Omit<A, 'spans'> : never) : never;
