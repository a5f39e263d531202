/** Reads the few ways in which people type a date to jump to. Whoever wants more writes a sentence in the chat. */
import { addDays, today, weekday } from './wall-time.ts';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const NAMED: Record<string, number> = { today: 0, tomorrow: 1, yesterday: -1, 'next week': 7, 'last week': -7 };

const isDate = (text: string): boolean => new Date(`${text}T12:00:00Z`).toJSON()?.startsWith(text) ?? false;

const ofMonth = (text: string): string | undefined => {
  const parts =
    /^(?<day>\d{1,2})\.?\s+(?<month>[a-z]{3,9})(?:\s+(?<year>\d{4}))?$/.exec(text) ??
    /^(?<month>[a-z]{3,9})\s+(?<day>\d{1,2})(?:,?\s+(?<year>\d{4}))?$/.exec(text);
  const month = MONTHS.indexOf(parts?.groups?.['month']?.slice(0, 3) ?? '');
  if (!parts || month < 0) return undefined;
  const { day = '', year = today().slice(0, 4) } = parts.groups ?? {};
  const date = `${year}-${String(month + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : undefined;
};

/** The date that a text means: `2026-12-24`, `24 dec`, `dec 24`, `tomorrow`, `friday`, `in 3 days`, `next week`. */
export const dateFrom = (typed: string): string | undefined => {
  const text = typed.trim().toLowerCase();
  if (isDate(text)) return text;
  const named = NAMED[text];
  if (named !== undefined) return addDays(today(), named);
  const days = /^in (\d{1,3}) days?$/.exec(text)?.[1];
  if (days !== undefined) return addDays(today(), Number(days));
  const name = text.replace(/^(next|on) /, '');
  const wanted = name.length < 3 ? -1 : WEEKDAYS.findIndex((one) => one.startsWith(name));
  if (wanted >= 0) return addDays(today(), (wanted - weekday(today()) + 7) % 7 || 7);
  return ofMonth(text);
};
