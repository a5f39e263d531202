/** Makes events longer or shorter. */
import { readTime } from '../time/read-time.ts';
import type { Item } from '../time/types.ts';
import { ADDING, BY, DOUBLE_WORDS, LONGER_WORDS, SHORTER_WORDS, START_WORDS, TAKING } from '../words/act-words.ts';
import type { Act } from './actions.ts';
import type { Clause } from './clause.ts';
import type { Found } from './known.ts';
import { keepsEnd, move, settledFor, shiftSaid } from './move.ts';
import { hasWord, wordsOf } from './names.ts';
import type { Talk } from './talk.ts';

const SHORTEST = 5;

const resized = ({ target }: Found, minutes: number): Act => ({
  do: 'resize',
  target,
  minutes: Math.max(minutes, SHORTEST),
});

/** The end that is said: 'until ten', 'out by 20:30', or a time alone. */
const endOf = (event: Found, items: readonly Item[], talk: Talk): number | undefined => {
  const clocks = items.map((item): Item =>
    item.item === 'bound' && item.at.clock ? { item: 'clock', clock: item.at.clock } : item,
  );
  const at = settledFor(event, clocks, talk)[0]?.slots[0]?.at;
  if (at === undefined) return undefined;
  return at > event.at ? at : at + 720 > event.at && at < 720 ? at + 720 : at + 1440;
};

const isTo = ({ pieces }: Clause): boolean =>
  pieces.some(
    ({ role, text }, i) =>
      role === 'dur' && (/^\s*to\s/i.test(text) || /(?:^|\s)to\s*$/i.test(pieces[i - 1]?.text ?? '')),
  );

/** The new length by a length that is said, as it is, more or less of it. */
const byLength = (event: Found, clause: Clause): number | null => {
  const text = clause.text('dur', 'shift');
  const verb = `${clause.text('resize')} ${clause.glue}`;
  const { items } = readTime(text, 'length');
  const factor = items.find((item) => item.item === 'factor');
  if (factor?.item === 'factor') return Math.round(event.minutes * factor.times);
  const said = shiftSaid(text);
  if (!said?.amount.minutes) return hasWord(`${verb} ${text}`, DOUBLE_WORDS) ? event.minutes * 2 : null;
  const { minutes } = said.amount;
  // 'to an hour' is the whole of it
  if (isTo(clause)) return minutes;
  const isBy = wordsOf(`${verb} ${text}`).includes(BY);
  if (said.sign) return event.minutes + said.sign * minutes;
  if (hasWord(verb, ADDING) || hasWord(text, LONGER_WORDS)) return event.minutes + minutes;
  if (hasWord(verb, TAKING)) return event.minutes - minutes;
  if (isBy && hasWord(verb, LONGER_WORDS)) return event.minutes + minutes;
  return isBy && hasWord(verb, SHORTER_WORDS) ? event.minutes - minutes : minutes;
};

const oneResized = (event: Found, clause: Clause, talk: Talk): Act => {
  // '3 hours' is a length and no hour
  const isLength = readTime(clause.text('dur'), 'length').items.some(({ item }) => item === 'length');
  const { items } = readTime(clause.has('dur') && isLength ? clause.text('when') : clause.text('when', 'dur'));
  const hours = items.find((item) => item.item === 'hours');
  if (hours) {
    const slot = settledFor(event, [hours], talk)[0]!.slots[0]!;
    return {
      do: 'move',
      target: event.target,
      date: event.day,
      at: slot.at,
      ...(slot.minutes && { minutes: slot.minutes }),
    };
  }
  const isEnd = items.some((item) => item.item === 'clock' || (item.item === 'bound' && item.at.clock));
  const end =
    clause.has('when') || items.some(({ item }) => item === 'bound' || item === 'clock')
      ? endOf(event, isEnd ? items : [], talk)
      : undefined;
  const minutes = end === undefined ? byLength(event, clause) : end - event.at;
  return minutes === null ? { do: 'ask', about: 'how long', options: [event.target] } : resized(event, minutes);
};

export const resize = (clause: Clause, found: readonly Found[], talk: Talk): Act[] => {
  // 'start ten minutes earlier but leave the end where it is' moves the start
  if (keepsEnd(clause) && clause.has('when', 'shift')) return move(clause, found, talk);
  const isStart = hasWord(clause.text('resize'), START_WORDS) && clause.has('shift');
  if (isStart) return found.map((event) => startMoved(event, clause));
  return found.map((event) => oneResized(event, clause, talk));
};

const startMoved = (event: Found, clause: Clause): Act => {
  const said = shiftSaid(clause.text('shift'));
  const by = (said?.sign ?? 1) * (said?.amount.minutes ?? 0);
  return {
    do: 'move',
    target: event.target,
    date: event.day,
    at: event.at + by,
    minutes: Math.max(event.minutes - by, SHORTEST),
  };
};
