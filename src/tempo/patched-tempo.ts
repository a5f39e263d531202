/** Applies a merge patch to the timing preferences. */
import { parse } from '../common/fault-text.ts';
import { faultsOf, invalid, type Fault } from '../common/problem.ts';
import { mergePatch } from '../domain/record/merge-patch.ts';
import { defaultTempo } from '../domain/plan/plan-settings.ts';
import { TempoPreferences } from '../domain/plan/tempo.ts';

const READ_ONLY = ['learned', 'user_id'];

/**
 * Applies a JSON Merge Patch (RFC 7396); null restores a member's default.
 * @param at the path of the patch in the request @param others faults that are found already @throws 422 with every fault
 */
export const patchedTempo = (
  current: TempoPreferences,
  patch: Record<string, unknown>,
  { at, others = [] }: { at: readonly string[]; others?: readonly Fault[] },
): TempoPreferences => {
  const readOnly = READ_ONLY.filter((field) => Object.hasOwn(patch, field)).map((field): Fault => ({
    path: `/${[...at, field].join('/')}`,
    code: 'read_only',
    message: 'is read-only; leave it out',
  }));
  const faults = [...others, ...readOnly];
  const merged = mergePatch(current, patch) as object;
  const parsed = parse(TempoPreferences, { ...defaultTempo(), ...merged });
  if (parsed.success && !faults.length) return parsed.data;
  const isKnown = (fault: Fault): boolean => faults.some(({ path }) => path === fault.path);
  if (parsed.error) faults.push(...faultsOf(parsed.error, at).filter((fault) => !isKnown(fault)));
  throw invalid(faults);
};
