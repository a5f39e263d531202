/** Interprets one frame by its verb: a change of what is known, or something new to plan. */
import { type Outcome, rawOf } from './build.ts';
import { cancel, change, isForGood, swap } from './change.ts';
import { findEvent } from './anchor.ts';
import { subjectOf } from './correct.ts';
import { facetsOf, type Frame, hasWhen, withVerb } from './frame.ts';
import { type Inherited, proposeEvent, proposeLog, proposeReflection } from './propose.ts';
import { inheritedFrom, type State } from './reference.ts';
import { type Act, takesOf } from './verbs.ts';
import { wordAt } from './words.ts';
import { CHANGES_ONLY, OWNERS } from './words/name-doubts.ts';
import { EVENT_NOUNS } from './words/speech.ts';

export const changes = (act: Act | null): act is Act => act !== null && (takesOf(act) === 'change' || act === 'cancel');

/** Verbs that are also everyday things to do ('bring cake'): with a time and no such event, it is something to plan. */
const EVERYDAY =
  /^(?:make|bring|cut|clear|remove|drop|change|switch|start|begin|push|transfer|stretch|reduce|increase|expand|trim|take|trade|exchange|free|move|advance|discard|put|pull|shift|swap)\b/i;

/** Something new, so what follows is no change either: 'drop Leo at judo at 4 and fetch Leo at 5'. */
const asNew = (state: State, frame: Frame, inherited: Inherited): Outcome => ({
  ...proposeEvent(state, frame, inherited),
  as: { ...frame, act: null },
});

/** 'drop Thursday's lecture', 'bring it forward': about what is on the calendar, whether it was found or not. */
const namesEvent = ({ tokens }: State, { items, act }: Frame): boolean =>
  act !== 'make' &&
  items.some(
    ({ from, facets, kept }) =>
      EVENT_NOUNS.has(wordAt(tokens, from)) ||
      (kept === true && tokens[from]!.possessive && facets[0]?.kind === 'days'),
  );

/** A change of what is known, else something to plan where the verb may be that too. */
const changeOrPlan = (state: State, frame: Frame): Outcome => {
  // 'every morning at 6 stretch'
  const isNamed = subjectOf(
    state,
    frame.items.filter(({ facets }) => facets.length === 0),
  );
  if (/^stretch$/i.test(frame.lead) && hasWhen(facetsOf(frame.items)) && isNamed.length === 0)
    return asNew(state, withVerb(frame), inheritedFrom(state, frame));
  // 'switch the call and the review'
  const isPair = /^(?:switch|change|flip)$/i.test(frame.lead) && facetsOf(frame.items).length === 0;
  const pair = isPair ? swap(state, frame) : null;
  if (pair && pair.intents.length === 2) return pair;
  const made = frame.act === 'cancel' ? cancel(state, frame) : change(state, frame);
  // 'from December on yoga is at 19:00' is about what repeats already
  if (made.missing && frame.act === 'be' && isForGood(state, frame)) return made;
  // 'the boiler visit is now on Tuesday' changes one that is there
  if (
    made.missing &&
    frame.act === 'be' &&
    subjectOf(state, frame.items).length > 0 &&
    /\bnow\b/i.test(rawOf(state, frame.clause.from, frame.clause.to))
  )
    return made;
  // An arrow always changes
  if (made.missing && frame.lead === '→') return made;
  const plannable = hasWhen(facetsOf(frame.items)) && subjectOf(state, frame.items).length > 0;
  // 'The party starts at 8' is something new; in 'rake the leaves on Saturday' the verb was none
  if (made.missing && (frame.whole.length > frame.items.length || frame.act === 'be') && plannable) {
    const items =
      frame.act === 'be' && !/^(?:leaves|departs|arrives|happens)$/i.test(frame.lead) ? frame.items : frame.whole;
    return asNew(state, { ...frame, act: null, lead: '', items }, inheritedFrom(state, frame));
  }
  if (!made.missing || !EVERYDAY.test(frame.lead) || !plannable || namesEvent(state, frame)) return made;
  // 'move boxes to the cellar on Saturday' goes to a place
  const goes = frame.items.some(
    ({ from }, i) =>
      wordAt(state.tokens, from) === 'to' && !frame.items.slice(i + 1, i + 3).some((item) => item.facets.length === 0),
  );
  if (
    /^make$/i.test(frame.lead) &&
    /^(?:an?|appointment|reservation|booking)$/.test(wordAt(state.tokens, frame.items[frame.before]?.from ?? -1))
  )
    return asNew(state, frame, {});
  const isChange =
    CHANGES_ONLY.has(frame.lead.toLowerCase().split(' ')[0]!) &&
    OWNERS.has(wordAt(state.tokens, frame.items[frame.before]?.from ?? -1));
  return isChange || (goes && /^(?:move|shift|change|push|pull)\b/i.test(frame.lead))
    ? made
    : asNew(state, withVerb(frame), inheritedFrom(state, frame));
};

const SLOT_WORDS = /^(?:a|an|me|us|time|some|slot|room|space|my|the|any)$/;
const ROOM_WORDS = /^(?:time|slot|room|space|hour|moment|window|gap|for|to|good|free|suitable)$/;
/** 'Find my passport', 'put the bins out': here the verb is the thing to do, not a wish for time. */
const verbBelongs = (state: State, { act, lead, items, before, clause }: Frame): boolean => {
  // 'print the contracts, book the hotel, call HR'
  if (clause.listed && /^book$/i.test(lead)) return true;
  const words = items
    .slice(before)
    .filter(({ facets }) => facets.length === 0)
    .map(({ from }) => wordAt(state.tokens, from));
  if (act === 'schedule') return /^put$/i.test(lead) && /^(?:out|away|up|on|together)$/.test(words.at(-1) ?? '');
  const first = items[before];
  if (act !== 'block' || !first || !/^(?:find|keep|hold|protect)$/i.test(lead) || words.length === 0) return false;
  if (first.facets.length > 0 || /^(?:free|clear|open|empty)$/.test(words.at(-1)!)) return false;
  return !(
    SLOT_WORDS.test(words[0]!) &&
    (words.length === 1 || ROOM_WORDS.test(words[1]!) || items[before + 1]?.facets.length !== 0)
  );
};

/** The event that 'add Zoe to the dinner' is about. */
const knownBehindTo = (state: State, { items }: Frame): string | null => {
  const at = items.findLastIndex(({ from }) => wordAt(state.tokens, from) === 'to');
  const words = items.slice(at + 1);
  const found = at > 0 ? findEvent(state, words, []) : null;
  return found && found.used === words.length && 'targets' in found.match ? found.match.targets[0]!.title : null;
};

/** What one frame asks for, by its verb. */
export const interpret = (state: State, frame: Frame, inherited: Inherited): Outcome => {
  if (frame.act === 'reflect') return proposeReflection(state, frame);
  const paired = frame.act === 'swap' ? swap(state, frame) : null;
  if (frame.act === 'log') return proposeLog(state, frame, state.intents.at(-1)?.action_type === 'log');
  if (paired)
    return paired.intents.length === 0 &&
      hasWhen(facetsOf(frame.items)) &&
      !/\b(?:and|with|for)\b/i.test(rawOf(state, frame.clause.from, frame.clause.to))
      ? proposeEvent(state, withVerb(frame), inherited)
      : paired;
  if (changes(frame.act)) return changeOrPlan(state, frame);
  const addedTo =
    /^(?:add|put|include|invite)$/i.test(frame.lead) && facetsOf(frame.items).length === 0
      ? knownBehindTo(state, frame)
      : null;
  if (addedTo)
    return { intents: [], ask: `“${addedTo}” is on the calendar. Tell me its new name, time, length or place.` };
  return proposeEvent(state, verbBelongs(state, frame) ? withVerb(frame) : frame, inherited);
};
