/** Answers refusals as WebDAV clients read them: the precondition that failed, as XML (RFC 4918 §16). */
import type { ProblemCode } from '../common/problem-codes.ts';
import { problem, type Problem } from '../common/problem.ts';
import { Stream } from '../http/route.ts';
import { objectPath, OWN, sourceCollection } from './paths.ts';
import { C, D, escaped, named, wholeDocument, xml } from './xml.ts';

export const XML_TYPE = 'application/xml; charset=utf-8';

/** A refusal with a precondition that only WebDAV has. */
export const refusal = (condition: string, detail: string, status = 403): Problem =>
  problem('calendar_object_refused', detail, { condition, dav_status: status });

/** Names the resource with which a UID is in conflict (RFC 4791 §5.3.2.1). */
const conflictOf = (user_id: string, { name, source_uid }: Record<string, unknown>): string =>
  typeof name !== 'string'
    ? ''
    : xml(
        named(D, 'href'),
        escaped(objectPath(user_id, typeof source_uid === 'string' ? sourceCollection(source_uid) : OWN, name)),
      );

/** The preconditions of problems that REST has too (RFC 3253, RFC 4331 §6). */
const OF_CODE: Partial<Record<ProblemCode, { condition: string; status: number }>> = {
  source_event: { condition: 'cannot-modify-protected-property', status: 403 },
  storage_full: { condition: 'quota-not-exceeded', status: 507 },
};

/** The XML answer of a refusal; null where the problem is answered as everywhere. */
export const answerOf = ({ code, message, options }: Problem, user_id: string): Stream | null => {
  const extra = options.extra ?? {};
  const { precondition, condition, dav_status = OF_CODE[code]?.status ?? 403 } = extra;
  const name =
    typeof condition === 'string'
      ? condition
      : typeof precondition === 'string'
        ? named(C, precondition)
        : OF_CODE[code]
          ? named(D, OF_CODE[code].condition)
          : null;
  if (name === null) return null;
  const inner = precondition === 'no-uid-conflict' ? conflictOf(user_id, extra) : '';
  const text = wholeDocument('error', xml(name, inner) + xml(named(D, 'responsedescription'), escaped(message)));
  return new Stream(XML_TYPE, text, { status: Number(dav_status) });
};

export const notHere = (): Problem => problem('route_not_found', 'There is no such calendar or event.');
