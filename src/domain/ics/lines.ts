/** iCalendar text as content lines (RFC 5545 §3.1): unfolded, decoded and numbered, also where a file breaks the rules of it. */
import ICAL from 'ical.js';

/** `isJoined`: something without a name of its own was taken for its continuation. */
export type Line = { line: number; text: string; isJoined?: true };

/** A line about this long was folded by someone who forgot the space; after a shorter one the text held a bare line break. */
const FOLDED_LENGTH = 70;
const NAME = /^([A-Za-z0-9-]+)[;:]/;

/** Bytes are decoded only when unfolded, as some programs fold within a character. */
export const linesOf = (input: string | Uint8Array): Line[] => {
  const isText = typeof input === 'string';
  const text = isText ? input.replace(/^\uFEFF/, '').toWellFormed() : latin1(input).replace(/^ï»¿/, '');
  const lines: Line[] = [];
  let lengthBefore = 0;
  for (const { line, text: raw, lastLength } of unfolded(text)) {
    const before = lines.at(-1);
    const content = (isText ? raw : decoded(raw)).replace(/(?!\t)\p{Cc}/gu, '');
    if (before && !isNamed(content)) {
      before.text += lengthBefore >= FOLDED_LENGTH ? content : `\\n${content}`;
      before.isJoined = true;
    } else lines.push({ line, text: content });
    lengthBefore = lastLength;
  }
  return lines;
};

/** Lines put together again where they go on after a space or tab; `lastLength` is that of the last piece. */
const unfolded = (text: string): { line: number; text: string; lastLength: number }[] => {
  const lines: { line: number; text: string; lastLength: number }[] = [];
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const before = lines.at(-1);
    if (before && /^[ \t]/.test(raw)) {
      before.text += raw.slice(1);
      before.lastLength = raw.length;
    } else if (raw.trim() !== '') lines.push({ line: index + 1, text: raw, lastLength: raw.length });
  }
  return lines;
};

/** Names are upper case in practice; in lower case only known ones count, so that `https://…` is not taken for one. */
const isNamed = (raw: string): boolean => {
  const name = NAME.exec(raw)?.[1];
  if (name === undefined) return false;
  const lower = name.toLowerCase();
  return name === name.toUpperCase() || /^(begin|end$|x-)/.test(lower) || lower in ICAL.design.icalendar.property;
};

const latin1 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
};

/** A line of bytes as UTF-8; what isn't that was written by a program from the time of Latin-1. */
const decoded = (text: string): string => {
  if (!/[\u0080-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch {
    return text;
  }
};
