/** What a person is shown of a file that was not read as it is: at most 20 of each kind, with bounded texts. */
import type { Finding, LeftOut } from '../../domain/calendar/ics/components.ts';

export type SourceFinding = { line: number; uid: string | null; reason: string };
export type SourceFindings = { unread_components: SourceFinding[]; warnings: SourceFinding[] };

export const MAX_FINDINGS = 20;
const MAX_TEXT = 500;
const MAX_UID = 255;

export const findingOf = (line: number, uid: string | null, reason: string): SourceFinding => ({
  line,
  uid: uid?.slice(0, MAX_UID).toWellFormed() ?? null,
  reason: reason.length > MAX_TEXT ? `${reason.slice(0, MAX_TEXT).toWellFormed()}…` : reason,
});

export const findingsOf = (unread: readonly LeftOut[], report: readonly Finding[]): SourceFindings => ({
  unread_components: unread.slice(0, MAX_FINDINGS).map(({ line, uid, reason }) => findingOf(line, uid, reason)),
  warnings: report
    .filter(({ level }) => level === 'warning')
    .slice(0, MAX_FINDINGS)
    .map(({ line, uid = null, message }) => findingOf(line, uid, message)),
});
