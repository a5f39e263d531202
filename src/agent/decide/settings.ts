/** Plans of the type configure: what they make of the limits and the tempo, and how that is taken back. */
import { problem } from '../../common/problem.ts';
import { createYielder } from '../../common/yielding.ts';
import { Limits } from '../../domain/plan/limits.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import type { PlanAction } from '../../domain/plan/plan.ts';
import { TempoPreferences } from '../../domain/plan/tempo.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { isObject, ownMember } from '../../domain/record/merge-patch.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import type { Reading, Writer } from '../../ledger/ledger-writer.ts';
import { versionsOf } from '../../ledger/read-ledger.ts';
import { patchedTempo } from '../../tempo/patched-tempo.ts';
import { changeProfileIn, loadProfile, patchSettings } from '../../user/profile.ts';
import type { ProfileDoc } from '../../user/schemas.ts';
import type { EffectResult } from './calendar-effects.ts';

/** The kind of the entry of a changed profile, which is the effect of such a plan. */
export const SETTINGS_CHANGED = 'profile.updated';

/** The profile as a plan makes it. @param at a JSON Pointer to the plan @throws 422 where that is not possible */
const configured = <P extends Pick<ProfileDoc, 'settings' | 'tempo'>>(profile: P, plan: PlanAction, at = ''): P => {
  const { limits, tempo } = readArguments(plan);
  const path = `${at}/arguments/tempo`.split('/').slice(1);
  return {
    ...profile,
    ...(limits && { settings: patchSettings(profile.settings, { limits }) }),
    ...(tempo && { tempo: patchedTempo(profile.tempo, tempo, { at: path }) }),
  };
};

type Checked = PlanAction & { at?: string | undefined };

/** Checks that plans can change the settings as they are now, where they do. Each different change is checked once. @throws 422 */
export const checkSettings = async ({ tx, author }: Reading, plans: readonly Checked[]): Promise<void> => {
  const changing = new Map<string, Checked>();
  for (const plan of plans) if (plan.action_type === 'configure') changing.set(canonicalJson([plan.arguments]), plan);
  if (!changing.size) return;
  const { profile } = await loadProfile(tx, author.user_id);
  const yieldToOthers = createYielder();
  for (const plan of changing.values()) {
    await yieldToOthers();
    configured(profile, plan, plan.at);
  }
};

/**
 * The same where a plan is proposed or changed. Whether a patch fits says what the tempo is, so who may not read it is not answered
 * that before a person decides.
 */
export const checkProposedSettings = (reading: Reading, plans: readonly Checked[]): Promise<void> =>
  checkSettings(reading, reading.author.scopes?.has('tempo:read') === false ? [] : plans);

/** The effect of a plan: the new version of the profile, if it changes. */
export const configure = async (writer: Writer, plan: PlanDoc): Promise<EffectResult> => {
  const { isNew } = await changeProfileIn(writer, (profile) => configured(profile, plan));
  const effects = isNew ? [{ kind: SETTINGS_CHANGED, uid: plan.user_id }] : [];
  return { effects, children: [], event_uid: null, traces: [], events: [] };
};

/** A value that is not there differs from null. */
const isEqual = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson([a]) === canonicalJson([b]);

/** A value as it was before, where it is still as it was made: member by member, and lists as a whole. @throws 409 changed_since */
const valueBack = (now: unknown, before: unknown, made: unknown, path: string): unknown => {
  if (isEqual(before, made) || isEqual(now, before)) return now;
  if (isObject(now) && isObject(before) && isObject(made)) {
    const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
    const ownOf = (name: string) =>
      [now, before, made].map((one) => ownMember(one, name)) as [unknown, unknown, unknown];
    const back = names.map((name) => [name, valueBack(...ownOf(name), `${path}/${name}`)] as const);
    return Object.fromEntries(back.filter(([, value]) => value !== undefined));
  }
  if (isEqual(now, made)) return before;
  throw changedSince(path);
};

const changedSince = (what: string): Error =>
  problem(
    'changed_since',
    `The settings (${what}) were changed after the plan changed them, so they stay. Change them themselves: PATCH /user/update for limits, POST /tempo/adjust for the tempo.`,
  );

/** Makes those limits and parts of the tempo as they were that a change of the profile made. @throws 409 changed_since */
export const takeSettingsBack = async (
  writer: Writer,
  { before, made }: { before: ProfileDoc; made: ProfileDoc },
): Promise<void> => {
  await changeProfileIn(writer, (now) => {
    const limits = valueBack(now.settings.limits, before.settings.limits, made.settings.limits, 'limits');
    const tempo = TempoPreferences.safeParse(valueBack(now.tempo, before.tempo, made.tempo, 'tempo'));
    // Ranges may have been named since that were not there before.
    if (!tempo.success) throw changedSince('tempo/time_ranges');
    return { ...now, settings: { ...now.settings, limits: Limits.parse(limits) }, tempo: tempo.data };
  });
};

/** Takes back what executions made of the settings, the last one first. @param made their effects, with the seq of their records */
export const takeExecutedBack = async (
  writer: Writer,
  made: readonly { kind: string; seq: number }[],
): Promise<void> => {
  const { tx, author } = writer;
  const own = made.filter(({ kind }) => kind === SETTINGS_CHANGED);
  for (const { seq } of own.toSorted((a, b) => b.seq - a.seq)) {
    const asked = { until: seq, limit: 2 };
    const { items } = await versionsOf<ProfileDoc>(tx, author.user_id, 'profile', author.user_id, asked);
    const [after, before] = items;
    if (after && before) await takeSettingsBack(writer, { before: before.payload, made: after.payload });
  }
};
