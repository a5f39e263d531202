/**
 * Makes the view of a reader without export:sensitive: authored_by and chat_url are left out, and their values are blanked in all
 * other text.
 */
import { redactDeep } from './redact.ts';
import { summarise } from '../text/extractive-summary.ts';

/** The members that are left out. */
export const SENSITIVE = ['authored_by', 'chat_url'] as const;
const LEFT_OUT: ReadonlySet<string> = new Set(SENSITIVE);
const LEFT_OUT_PATHS: ReadonlySet<unknown> = new Set(SENSITIVE.map((name) => `/${name}`));

/**
 * Members that hold the caller's own data or a map by tag. The names of their members are text too, so they are blanked as well.
 */
const OWN_DATA: ReadonlySet<string> = new Set(['metadata', 'arguments', 'tag_mappings', 'duration_biases', 'learned']);

/**
 * Members that hold identifiers, times and fixed values, which would be useless if blanked. The text of every other member is
 * searched, so a new member is covered without an entry here.
 */
export const KEPT_WHOLE: ReadonlySet<string> = new Set(
  `uid uids user_id id ids key_id task_id plan_uid credential_id request_id proposal_id linked_trace_ids child_trace_ids linked_event_uid
   target_event_uid target_plan_uid recurrence_id split_from split_to missing conflicts uid_conflicts tempo_tag tag checkpoint key
   type subject kind op action action_type status origin code by actor proposed_by per mode export_format group_by day days scopes
   timestamp recorded_at updated_at created_at started_at scheduled_for expires_at executed_at last_used_at revoked_at generated_at at time start end
   start_time end_time oldest newest last_run next_due timezone zone local_start rrule rdates exdates specversion source from to
   next_cursor ticket token token_type refresh_token email payload_hash hash subject_digest subject_uid epoch execution use_learned
   level outcome embedder database executor api_version verified why_code on_conflict
   repeats_until swaps_with failing_since last_delivery_at next_attempt_at previous_until last_success_at refresh_at source_uid
   types part_of_day`.split(/\s+/),
);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether an item is an operation of a JSON Patch (RFC 6902) on a member that is left out. */
const isLeftOut = (item: unknown): boolean => isObject(item) && 'op' in item && LEFT_OUT_PATHS.has(item['path']);

/** Returns whether an answer holds any text that could be sensitive. Most answers to writes do not. */
export const holdsText = (value: unknown): boolean => {
  if (typeof value === 'string') return true;
  if (!isObject(value)) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.entries(value).some(([name, item]) => LEFT_OUT.has(name) || (!KEPT_WHOLE.has(name) && holdsText(item)));
};

/** Returns a blanked copy of any part of an answer: a document, a message, a patch or a text. */
export type Blanking = <T>(value: T) => T;

/** @param values every value that the two members ever held */
export const blanking = (values: readonly string[]): Blanking => {
  const text = redactDeep(values);
  const own = redactDeep(values, { names: true });
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (!isObject(value)) return value;
    if (Array.isArray(value)) return value.filter((item) => !isLeftOut(item)).map(walk);
    const shown = Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => (LEFT_OUT.has(name) ? [] : [[name, member(name, item)]])),
    );
    const { content, summary } = shown;
    // The summary may have cut a value in two, so it is computed again from the blanked content.
    if (typeof content === 'string' && typeof summary === 'string' && content !== value['content'])
      return { ...shown, summary: summarise(content) };
    return shown;
  };
  const member = (name: string, value: unknown): unknown => {
    if (OWN_DATA.has(name)) return own(value);
    return KEPT_WHOLE.has(name) ? value : walk(value);
  };
  return walk as Blanking;
};
