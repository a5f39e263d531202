/** Reads conditional requests (RFC 9110 §13): If-Match guards writes, If-None-Match avoids sending an unchanged answer. */
import { problem, type SeenVersions } from '../common/problem.ts';
import type { RequestFacts } from './route.ts';

type Tag = { value: string; weak: boolean };

/** A list may have empty members (§5.6.1). A tag holds no quote, blank or control character (§8.8.3). */
const MEMBER = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** Returns `*`, the tags of a list, or null for any other text. */
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
 * Returns the versions that If-Match names. It is undefined without the header, and for `*`, because a missing resource is
 * refused anyway. The comparison is strong (§13.1.1), so a weak tag matches no version. @throws 400
 */
export const ifMatch = (request: RequestFacts): SeenVersions | undefined => {
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

/**
 * Returns whether the client already has the state that this tag identifies. The comparison is weak (§13.1.2), and an unreadable
 * header matches nothing.
 */
export const isKnown = (request: Pick<RequestFacts, 'header'>, tag: string): boolean => {
  const tags = readTags(request.header('if-none-match') ?? '') ?? [];
  return tags === '*' || tags.some(({ value }) => value === tag);
};

/** The conditions of a write on a resource that may not exist. */
export type Condition = {
  /** Checks the present tag; null where there is no resource. @throws 412 */
  check: (etag: string | null) => void;
  /** Whether the request names the state that the client has read. */
  isBound: boolean;
};

/** Reads If-Match and If-None-Match of a write (RFC 9110 §13.1). @throws 400 */
export const conditionOf = (request: RequestFacts): Condition => {
  const [match, none] = ['if-match', 'if-none-match'].map((name) => {
    const header = request.header(name);
    const tags = header === undefined ? undefined : readTags(header);
    if (tags === null)
      throw problem('malformed_request', `${name} must be * or entity tags in double quotes (RFC 9110 §13.1).`);
    return tags;
  });
  const has = (tags: '*' | Tag[], etag: string | null): boolean =>
    etag !== null && (tags === '*' || tags.some(({ value, weak }) => !weak && value === etag));
  return {
    check: (etag) => {
      if ((match === undefined || has(match, etag)) && (none === undefined || !has(none, etag))) return;
      throw problem(
        'version_mismatch',
        etag === null
          ? 'The resource does not exist, or not any more.'
          : 'The resource has changed since it was read, or exists already. Read it again, then repeat the change.',
      );
    },
    isBound: match !== undefined && match !== '*',
  };
};
