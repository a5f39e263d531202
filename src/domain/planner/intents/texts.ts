/** What proposals are called, and why they were made. */
import type { Request } from '../request.ts';
import type { Stretches } from '../act/actions.ts';
import { dateName, daysName, lengthName, timeName, windowName } from '../../time/say.ts';
import { withReminders } from '../../plan/reminders-said.ts';
import type { Intent, IntentContext } from './types.ts';

const LONGEST_TITLE = 200;
const LONGEST_CLUE = 60;
const LONGEST_REASON = 200;

export const squash = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text;
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? capitalise(text) : `${capitalise(text)}.`);

/** What may be in front of a name. */
export const ARTICLE = /^(?:a|an|the|my|our|some)\s+(?=\S)/;

/** A name for the calendar: without its article, quotes around it and marks behind it. */
export const titleOf = (words: string): string => {
  const [, quoted] = /^["“'‘«]([^"”'’»]{2,})["”'’»](?=\s)/.exec(squash(words)) ?? [];
  const bare = (quoted ?? squash(words))
    .replaceAll(/(^|\s)w\/?\s+(?=\p{L})/gu, '$1with ')
    .replace(ARTICLE, '')
    .replace(/^["“'‘«]+(?=\S)|(?<!["”'’»])["”'’»]+$/g, '')
    .replace(/(?<![\s,.;:–-])[\s,.;:–-]+$/, '');
  return capitalise(cut(bare || squash(words), LONGEST_TITLE));
};

/** What an action was made of, as it was written. In pieces, it could hold a part of a hidden value. */
export const reasonOf = ({ text }: Request, { spans }: Stretches): string => {
  const [from, to] = [Math.min(...spans.map((one) => one.from)), Math.max(...spans.map((one) => one.to))];
  const said = spans.length > 0 ? cut(squash(text.slice(from, to)), LONGEST_REASON) : '';
  return said ? `You wrote “${said}”.` : 'You asked for it.';
};

/** What a change makes of an event or a proposal, as a sentence. */
export const changeText = (name: string, fields: Partial<Intent>, { now, zone }: IntentContext): string => {
  const { title, location, description, reminders, all_day, scope } = fields.arguments ?? {};
  const later = scope === 'following' ? ' and all later ones' : '';
  const length = all_day ? daysName : lengthName;
  const parts = [
    title && `call it “${title}”`,
    location && `its place is “${location}”`,
    description && `its description is “${cut(description, LONGEST_CLUE)}”`,
    reminders && `have it ${withReminders(reminders)}`,
    fields.scheduled_for &&
      `move it to ${all_day ? dateName(fields.scheduled_for, zone, now) : timeName(fields.scheduled_for, zone, now)}`,
    fields.between && `move it to free time on ${windowName(fields.between, zone)}`,
    fields.duration_minutes !== undefined && `make it ${length(fields.duration_minutes)} long`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return `“${name}”${later}: ${parts.join(' and ')}.`;
};
