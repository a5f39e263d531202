/** A request whose stretches have roles: what the reader of roles gives to the acts (docs/planner.md). */

export const ROLES = [
  ...(['create', 'remind', 'move', 'cancel', 'resize', 'change', 'note', 'reflect', 'ask', 'find'] as const),
  ...(['setting', 'undo', 'refuse', 'agree', 'title', 'target', 'when', 'rel', 'old', 'shift', 'dur'] as const),
  ...(['limit', 'repeat', 'except', 'count', 'place', 'extra', 'aside', 'polite', 'void', 'join'] as const),
] as const;
export type Role = (typeof ROLES)[number];

/** Offsets into the text, half-open. */
export type Span = { role: Role; from: number; to: number };

/** The spans are in order and do not overlap. What no span covers joins the others: 'to', 'at', 'it is'. */
export type Request = { text: string; spans: readonly Span[] };
