/** Which actions of a language model the prompt has no words for: a model may invent, mistake one event for another, or obey data. */
import { type Instant, zoned } from '../../time/time.ts';
import type { Piece } from '../act/clause.ts';
import { piecesIn } from '../act/clauses.ts';
import { hasWord, nameWords, wordsOf } from '../act/names.ts';
import type { Role } from '../request.ts';
import { isForeign } from '../replies/set-replies.ts';
import { readRoles } from '../roles/reader.ts';
import { readTime } from '../time/read-time.ts';
import { settle, type Settled } from '../time/settle.ts';
import { compareDays } from '../time/settle-days.ts';
import { ALL_WORDS, ORDINALS, PRONOUNS, RULE_WORDS, WISH_WORDS } from '../words/act-words.ts';
import { hasName } from './spoken.ts';
import type { Intent, IntentContext } from './types.ts';

const MOST_CHARS = 5_000;
const MOST_NAMED = 5;
/** A quotation of this length is pasted text, which asks for nothing. */
const PASTED = /[“"„«][^“”"„«»]{60,}[”"“»]/g;

const isIn = (...roles: Role[]): ((piece: Piece) => boolean) => {
  const all = new Set<string>(roles);
  return ({ role }) => all.has(role);
};
const changesEvent = isIn('move', 'cancel', 'resize', 'change', 'shift', 'undo', 'refuse', 'agree', 'setting');
const isDone = (piece: Piece): boolean => changesEvent(piece) || isIn('create', 'remind', 'find')(piece);
const isTimeOfEvent = isIn('old', 'rel', 'limit', 'except', 'repeat');

type Timed = { scheduled_for?: Instant | null };

/** What the times of a stretch mean. */
const timesOf = ({ text }: Piece, { now, zone }: IntentContext): Settled[] => {
  const wall = zoned(now, zone).toPlainDateTime();
  const { items } = readTime(text, 'time');
  return settle({ items }, { now: wall, zone, today: wall.toPlainDate() }).groups;
};

/** Whether a time of the prompt is that of the event. */
const hasTimeOf = (pieces: readonly Piece[], { scheduled_for: at }: Timed, context: IntentContext): boolean => {
  if (!at) return false;
  const start = zoned(at, context.zone);
  const day = start.toPlainDate();
  const minute = start.hour * 60 + start.minute;
  // Beside no word of a change, a time is that of something new.
  const isChange = pieces.some(changesEvent);
  return pieces.some(
    (piece) =>
      (isTimeOfEvent(piece) || (isChange && piece.role === 'when')) &&
      timesOf(piece, context).some(
        ({ days, bounds, slots }) =>
          [...days, ...(piece.role === 'old' ? bounds : [])].some(
            ({ from, to }) => compareDays(day, from) >= 0 && compareDays(day, to) <= 0,
          ) || slots.some((slot) => slot.at % 720 === minute % 720),
      ),
  );
};

/** Whether all events are meant, and not those of a day: 'everything from Friday morning'. */
const areAllMeant = (own: string, pieces: readonly Piece[], context: IntentContext): boolean =>
  hasWord(own, ALL_WORDS) &&
  !pieces.some(
    (piece) =>
      piece.role === 'old' && timesOf(piece, context).some(({ days, bounds }) => days.length + bounds.length > 0),
  );

/** What a correction says, and the name of something else is not in it: 'rather on Tuesday at eleven'. */
const corrects = (pieces: readonly Piece[]): boolean =>
  pieces.some(isIn('when', 'dur', 'shift', 'limit', 'repeat', 'rel', 'place', 'count', 'except', 'extra')) &&
  !pieces.some(isIn('title', 'target', 'create', 'remind', 'note', 'find', 'ask'));

type Unnamed = {
  /** The doubts, as sentences. */
  said: string[];
  /** The places of intents that change a proposal which the prompt does not mean. They are not carried out. */
  unasked: number[];
};

const listed = (names: readonly string[]): string => [...new Set(names)].slice(0, MOST_NAMED).join(', ');

/**
 * Actions that the prompt does not ask for. Only what is sure is said, because a wrong doubt costs trust as well. A prompt in another
 * language is not judged.
 */
export const unnamed = (prompt: string, intents: readonly Intent[], context: IntentContext): Unnamed => {
  const own = prompt.slice(0, MOST_CHARS).replaceAll(PASTED, ' ');
  if (isForeign(own)) return { said: [], unasked: [] };
  const { before } = context;
  const turns = before?.turns ?? [];
  const wordsIn = (texts: readonly string[]): string[] =>
    nameWords(texts.map((one) => one.slice(0, MOST_CHARS)).join('\n'));
  const asked = wordsIn([own, before?.prompt ?? '', ...turns.map(({ prompt: one }) => one)]);
  /** A reply names what a prompt points to. It also names what a model was not asked for. */
  const spoken = [...asked, ...wordsIn(turns.map(({ reply }) => reply))];
  let read: Piece[] | undefined;
  const pieces = (): Piece[] => (read ??= piecesIn({ text: own, spans: readRoles(own).best.spans }));
  const pointsAt = (thing: Timed & { title: string }, text: readonly string[]): boolean =>
    hasName(text, thing.title) || areAllMeant(own, pieces(), context) || hasTimeOf(pieces(), thing, context);
  const isPlanMeant = (uid: string): boolean => {
    const plan = context.pending.find((one) => one.uid === uid);
    const points = (word: string): boolean => PRONOUNS.has(word) || ORDINALS.has(word);
    if (!plan || before?.plan_uids?.includes(uid)) return true;
    return pointsAt(plan, asked) || wordsOf(own).some(points) || corrects(pieces());
  };
  const isEventMeant = (uid: string, { arguments: { recurrence_id } }: Intent): boolean => {
    const event = context.events.find(
      (one) => one.uid === uid && (!recurrence_id || one.recurrence_id === recurrence_id),
    );
    if (!event) return true;
    const onlyAsks = pieces().some(isIn('ask')) && !pieces().some(isDone) && !hasWord(own, WISH_WORDS);
    return !onlyAsks && pointsAt(event, spoken);
  };
  const isMeant = (intent: Intent): boolean => {
    const { action_type, title, target_event_uid: event, target_plan_uid: plan } = intent;
    if (plan !== undefined) return isPlanMeant(plan);
    if (action_type === 'configure') return hasWord(own, RULE_WORDS) || pieces().some(isIn('setting', 'limit'));
    return event === undefined ? hasName(spoken, title) : isEventMeant(event, intent);
  };
  const left = [...intents.entries()].filter(([, intent]) => !isMeant(intent));
  const [kept, doubted] = [true, false].map((isKept) =>
    left.filter(([, { target_plan_uid: plan }]) => (plan !== undefined) === isKept),
  ) as [typeof left, typeof left];
  const nameOf = ([, { action_type, title }]: [number, Intent]): string =>
    action_type === 'configure' ? 'a change of the settings' : `“${title}”`;
  return {
    said: [
      ...(doubted.length > 0 ? [`Your words do not ask for ${listed(doubted.map(nameOf))}. Do you mean that?`] : []),
      ...(kept.length > 0
        ? [`Your words do not name ${listed(kept.map(([, { title }]) => `“${title}”`))}, so that stays as it is.`]
        : []),
    ],
    unasked: kept.map(([at]) => at),
  };
};
