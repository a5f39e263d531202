/** Doubt: what is planned only where the sentence clearly asks for it, and names what and when. */
import { type Outcome, rawOf } from '../build.ts';
import { type Facet, groupsOf } from '../facet.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { hasLast, lastIntents, type State } from '../reference.ts';
import { findTargets, targetsIn } from '../targets.ts';
import type { Intent } from '../types.ts';
import { phraseAt, wordAt } from '../words.ts';
import { ENTERING, MEALS, NOTE_LEADS, OBJECT_POINTERS, OWNERS, POINTERS } from '../words/name-doubts.ts';
import { EVENT_NOUNS, HANDLING, NAMING_VERBS, POINTING_AT_TIME } from '../words/speech.ts';

/** A new event, and no change of one that is known. */
const isNewEvent = ({ action_type: type, target_event_uid: event, target_plan_uid: plan }: Intent): boolean =>
  type === 'schedule' && event === undefined && plan === undefined;

const wordsOf = (title: string): string[] => title.toLowerCase().match(/[\p{L}\p{N}’'-]+/gu) ?? [];

/** Words that handle what is on the calendar, at the beginning of a title: “Lay the budget review”, “Del yoga”. */
const handlesEvent = ({ context }: State, title: string): boolean => {
  const [first = '', ...rest] = wordsOf(title);
  const own = rest.filter((word) => word !== 'the' && word !== 'my' && word !== 'our');
  if (own.length === 0) return false;
  if (HANDLING.has(first) && own.some((word) => EVENT_NOUNS.has(word) && !MEALS.has(word))) return true;
  if (NAMING_VERBS.has(first) || !HANDLING.has(first)) return false;
  const match = findTargets(
    { phrase: rest[0] === own[0] ? own.join(' ') : own[0]!, facets: [] },
    context,
    targetsIn({ ...context, pending: [] }),
  );
  const targets = 'targets' in match ? match.targets : [];
  return targets.some((target) => {
    const known = wordsOf(target.title);
    return own.every((word) => known.includes(word)) || (rest[0] !== own[0] && known.includes(own[0]!));
  });
};

/** “at the same time”, “right before it”: a time that was not found. */
const pointsAtTime = ({ tokens }: State, { clause }: Frame): boolean => {
  for (let at = clause.from; at < clause.to; at++)
    if (tokens[at]!.kind === 'word' && phraseAt(tokens, at, POINTING_AT_TIME) !== null) return true;
  return false;
};

/** “put in the exam”: what has its time already, and does not say it. */
const isDefinite = ({ tokens }: State, { lead, items, before }: Frame): boolean =>
  ENTERING.has(lead.toLowerCase().split(' ')[0]!) &&
  facetsOf(items).length === 0 &&
  OWNERS.has(wordAt(tokens, items[before]?.from ?? -1));

/** “cancel it for that one day only”, where no day was found. */
const pointsAtDay = ({ tokens }: State, { clause }: Frame): boolean =>
  tokens
    .slice(clause.from, clause.to)
    .some((_, n) => phraseAt(tokens, clause.from + n, 'that (one/same) day') !== null);

/** “note me a date with Anna on Friday at 20:00” */
const isNoteOrEvent = ({ act, lead, verbatim, clause }: Frame, intents: readonly Intent[]): boolean => {
  const kinds = facetsOf(clause.items).map(({ kind }) => kind);
  return (
    act === 'log' &&
    !verbatim &&
    NOTE_LEADS.has(lead.toLowerCase().replace(/ down$/, '')) &&
    intents.length > 0 &&
    kinds.includes('days') &&
    (kinds.includes('clock') || kinds.includes('hours'))
  );
};

/** “it is so cold this morning” */
const saysIt = ({ tokens }: State, { clause }: Frame): boolean =>
  tokens
    .slice(clause.from, clause.to)
    .slice(0, 3)
    .some(({ word }, n) => word === "it's" || (word === 'it' && wordAt(tokens, clause.from + n + 1) === 'is'));

const isOpen = ({ scheduled_for: at, rrule }: Intent): boolean => !at && rrule === undefined;

/** Why a new event is not sure. */
const doubtOfNew = (state: State, frame: Frame, intent: Intent): string | null => {
  const { title } = intent;
  const facets = facetsOf(frame.items);
  if (frame.act !== 'remind' && handlesEvent(state, title))
    return `Is “${title}” something new, or what should I change? Say it as “move … to …” or “cancel …”.`;
  const isWhole = intent.arguments.all_day === true && facets.some(({ kind }) => kind === 'whole');
  if (isWhole && !namesDay(frame)) return `“${title}”: on which day should it be?`;
  if (!isOpen(intent)) return null;
  if (frame.act === null && saysIt(state, frame)) return `What should I call “${title}” on the calendar?`;
  return pointsAtTime(state, frame) || isDefinite(state, frame) ? `“${title}”: when should it be?` : null;
};

/** Why nothing is made of a clause that seemed to ask for it; null where it is sure. */
const doubtOf = (state: State, frame: Frame, intents: readonly Intent[]): string | null => {
  const changed = intents.some(({ target_event_uid: uid }) => uid !== undefined);
  if (changed && !namesDay(frame) && pointsAtDay(state, frame)) return 'Which day do you mean?';
  if (isNoteOrEvent(frame, intents)) return 'Should I keep that as a note, or put it on the calendar?';
  const intent = intents.find(isNewEvent);
  return intent ? doubtOfNew(state, frame, intent) : null;
};

const DAYS = new Set<Facet['kind']>(['days', 'period', 'edge', 'every', 'instant', 'part']);
const namesDay = ({ items }: Frame): boolean => facetsOf(items).some(({ kind }) => DAYS.has(kind));

const SAID = new Set<Facet['kind']>(['clock', 'hours', 'duration', 'days', 'period', 'edge', 'every', 'except']);
/** Whether a clause that is not understood says more of what was asked for before it: 'they need it till about three'. */
const saysMore = ({ tokens }: State, { act, before, clause, kind, items }: Frame): boolean => {
  if (kind === 'refusal' || kind === 'ruling' || kind === 'condition') return false;
  const says = facetsOf(items).some((facet) => SAID.has(facet.kind)) || groupsOf(facetsOf(clause.items)).size > 0;
  const isAboutIt = act !== null && act !== 'ask' && OBJECT_POINTERS.has(wordAt(tokens, items[before]?.from ?? -1));
  return isAboutIt || (says && tokens.slice(clause.from, clause.to).some(({ word }) => POINTERS.has(word)));
};

/** What is only reported, without an hour: nothing is made of it beside a refusal. */
const isDeclared = ({ act }: Frame, intent: Intent): boolean =>
  (act === null || act === 'have') && (intent.action_type === 'log' || (isNewEvent(intent) && isOpen(intent)));

/** The outcome, or a question where it is doubtful. */
export const sure = (state: State, frame: Frame, outcome: Outcome): Outcome => {
  const ask = doubtOf(state, frame, outcome.intents);
  const text = rawOf(state, frame.clause.from, frame.clause.to);
  if (ask !== null) return { intents: [], ask, unknown: text };
  // What is said of the plan before it and not understood makes that plan doubtful too
  const open = outcome.intents.length === 0 && outcome.ask !== undefined && saysMore(state, frame);
  if (open && hasLast(state) && lastIntents(state).every(isNewEvent)) state.intents.length = state.last!.from;
  return outcome;
};

/** Keeps in mind what is only reported, and whether something is refused. */
export const noteDeclared = (state: State, frame: Frame, intents: readonly Intent[]): void => {
  if (frame.kind === 'refusal') state.isRefusing = true;
  for (const intent of intents) if (isDeclared(frame, intent)) state.declared.add(intent);
};
