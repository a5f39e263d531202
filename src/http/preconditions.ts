/** Conditions of a request on what its sender has seen (RFC 9110 §13): If-Match guards writes, If-None-Match spares answers. */
import { problem, type Seen } from '../common/problem.ts';
import type { RequestFacts } from './route.ts';

type Tag = { value: string; weak: boolean };

/** A list may have empty members (§5.6.1); a tag holds no quote, no blank and no control character (§8.8.3). */
const MEMBER = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** `*`, or the tags of a list; null for what is neither. */
const readTags = (header: string): '*' | Tag[] | null => {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  for (MEMBER.lastIndex = 0; MEMBER.lastIndex < header.length;) {
    const member = MEMBER.exec(header);
    if (!member) return null;
    const [, weak, value] = member;
    if (value !== undefined) tags.push({ value, weak: weak !== undefined });
  }
  return tags.length ? tags : null;
};

/**
 * The versions that If-Match names; undefined where it is absent, or `*`: that the resource exists is found out without it.
 * Compared strongly (§13.1.1), a weak tag stands for none. @throws 400
 */
export const ifMatch = (request: RequestFacts): Seen | undefined => {
  const header = request.header('if-match');
  if (header === undefined) return undefined;
  const tags = readTags(header);
  if (!tags)
    throw problem(
      'malformed_request',
      'If-Match must be * or entity tags in double quotes, such as "3" (RFC 9110 §13.1.1).',
    );
  return tags === '*' ? undefined : tags.filter((tag) => !tag.weak).map((tag) => tag.value);
};

/** Whether the client has what this tag stands for; compared weakly (§13.1.2). What can't be read names nothing. */
export const isKnown = (request: RequestFacts, tag: string): boolean => {
  const tags = readTags(request.header('if-none-match') ?? '') ?? [];
  return tags === '*' || tags.some(({ value }) => value === tag);
};
