/** Which actions of a language model the prompt has no words for: a model may invent, mistake one event for another, or obey data. */
import { zoned } from '../../time/time.ts';
import type { Piece } from '../act/clause.ts';
import { piecesIn } from '../act/clauses.ts';
import { hasWord, nameWords } from '../act/names.ts';
import type { Role } from '../request.ts';
import { readRoles } from '../roles/reader.ts';
import { readTime } from '../time/read-time.ts';
import { settle } from '../time/settle.ts';
import { compareDays } from '../time/settle-days.ts';
import { ALL_WORDS } from '../words/act-words.ts';
import type { Intent, IntentContext, KnownEvent } from './types.ts';

const MOST_CHARS = 5_000;
const MOST_NAMED = 5;
/** Words that have this many letters in common at their beginning are forms of one word: 'doctor' and 'doctors'. */
const SAME_LETTERS = 4;
/** A quotation of this length is pasted text, which asks for nothing. */
const PASTED = /[“"„«][^“”"„«»]{60,}[”"“»]/g;

const isIn = (...roles: Role[]): ((piece: Piece) => boolean) => {
  const all = new Set<string>(roles);
  return ({ role }) => all.has(role);
};
const changesEvent = isIn('move', 'cancel', 'resize', 'change', 'shift', 'undo', 'refuse', 'agree', 'setting');
const isDone = (piece: Piece): boolean => changesEvent(piece) || isIn('create', 'remind', 'find')(piece);
const isTimeOfEvent = isIn('old', 'rel', 'limit', 'except', 'repeat');

/** Words of a rule for all plans, where the reader of roles sees none. */
const RULE =
  /\b(?:from now on|at most|max|maximum|no more than|limits?|never|always|default|nothing|only|per (?:day|week)|an? (?:day|week))\b/i;

const isSame = (a: string, b: string): boolean =>
  a === b || (Math.min(a.length, b.length) >= SAME_LETTERS && a.slice(0, SAME_LETTERS) === b.slice(0, SAME_LETTERS));

/** Whether the text has a word of the name. A name of small words only is not looked for. */
const hasName = (text: readonly string[], name: string): boolean => {
  const own = nameWords(name);
  return own.length === 0 || own.some((word) => text.some((said) => isSame(said, word)));
};

/** Whether a time of the prompt is that of the event. */
const hasTimeOf = (
  pieces: readonly Piece[],
  { scheduled_for: at }: KnownEvent,
  { now, zone }: IntentContext,
): boolean => {
  const [wall, start] = [zoned(now, zone).toPlainDateTime(), zoned(at, zone)];
  const day = start.toPlainDate();
  const minute = start.hour * 60 + start.minute;
  // Beside no word of a change, a time is that of something new.
  const isChange = pieces.some(changesEvent);
  return pieces.some((piece) => {
    if (!isTimeOfEvent(piece) && !(isChange && piece.role === 'when')) return false;
    const { items } = readTime(piece.text, 'time');
    const { groups } = settle({ items }, { now: wall, zone, today: wall.toPlainDate() });
    return groups.some(
      ({ days, slots }) =>
        days.some(({ from, to }) => compareDays(day, from) >= 0 && compareDays(day, to) <= 0) ||
        slots.some((slot) => slot.at % 720 === minute % 720),
    );
  });
};

/** Actions that the prompt does not ask for, as a sentence. Only what is sure is said: a wrong doubt costs trust as well. */
export const unnamed = (prompt: string, intents: readonly Intent[], context: IntentContext): string[] => {
  const own = prompt.slice(0, MOST_CHARS).replaceAll(PASTED, ' ');
  const text = nameWords(`${own}\n${context.before?.prompt ?? ''}`);
  let read: Piece[] | undefined;
  const pieces = (): Piece[] => (read ??= piecesIn({ text: own, spans: readRoles(own).best.spans }));
  const isAskedFor = (intent: Intent): boolean => {
    const { action_type, title, target_event_uid: uid, target_plan_uid: plan } = intent;
    if (plan !== undefined) return true;
    if (action_type === 'configure') return RULE.test(own) || pieces().some(isIn('setting', 'limit'));
    if (uid === undefined) return context.before !== undefined || hasName(text, title);
    const { recurrence_id } = intent.arguments;
    const event = context.events.find(
      (one) => one.uid === uid && (!recurrence_id || one.recurrence_id === recurrence_id),
    );
    if (!event) return true;
    if (pieces().some(isIn('ask')) && !pieces().some(isDone)) return false;
    return hasName(text, event.title) || hasWord(own, ALL_WORDS) || hasTimeOf(pieces(), event, context);
  };
  const left = intents.filter((intent) => !isAskedFor(intent));
  const names = left.map(({ action_type, title }) =>
    action_type === 'configure' ? 'a change of the settings' : `“${title}”`,
  );
  const named = [...new Set(names)].slice(0, MOST_NAMED);
  return named.length > 0 ? [`Your words do not ask for ${named.join(', ')}. Do you mean that?`] : [];
};
