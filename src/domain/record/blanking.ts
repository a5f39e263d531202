/** What a reader without export:sensitive is shown: no authored_by, no chat_url, and their values blanked wherever else they stand. */
import { redactDeep } from './redact.ts';
import { summarise } from '../text/extractive-summary.ts';

/** The members that are left out. */
export const SENSITIVE = ['authored_by', 'chat_url'] as const;
const LEFT_OUT: ReadonlySet<string> = new Set(SENSITIVE);
const LEFT_OUT_PATHS: ReadonlySet<unknown> = new Set(SENSITIVE.map((name) => `/${name}`));

/** The caller's own data, and what is kept by tag: the names of members are text too. */
const OWN_DATA: ReadonlySet<string> = new Set(['metadata', 'arguments', 'tag_mappings', 'duration_biases', 'learned']);

/**
 * Members that hold identifiers, times and fixed words: blanked, they would fit nothing any more. The text of every other member
 * is looked through, so that a member that is added later is covered without being named here.
 */
export const KEPT_WHOLE: ReadonlySet<string> = new Set(
  `uid uids user_id id ids key_id task_id plan_uid credential_id request_id proposal_id linked_trace_ids child_trace_ids linked_event_uid
   target_event_uid target_plan_uid recurrence_id split_from split_to missing conflicts uid_conflicts tempo_tag tag checkpoint key
   type subject kind op action action_type status origin code by actor proposed_by per mode export_format group_by day days scopes
   timestamp recorded_at updated_at created_at scheduled_for expires_at executed_at last_used_at revoked_at generated_at at time start end
   start_time end_time oldest newest last_run next_due timezone zone local_start rrule rdates exdates specversion source from to
   next_cursor ticket token token_type refresh_token email payload_hash hash subject_digest subject_uid epoch execution use_learned
   level outcome embedder database executor api_version verified why_code`.split(/\s+/),
);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An operation of a JSON Patch (RFC 6902) on a member that is left out. */
const isLeftOut = (item: unknown): boolean => isObject(item) && 'op' in item && LEFT_OUT_PATHS.has(item['path']);

/** Whether an answer holds anything that could be sensitive at all; most answers to writes do not. */
export const holdsText = (value: unknown): boolean => {
  if (typeof value === 'string') return true;
  if (!isObject(value)) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.entries(value).some(([name, item]) => LEFT_OUT.has(name) || (!KEPT_WHOLE.has(name) && holdsText(item)));
};

/** Answers a new value for any part of an answer: a document, a message, a patch, a text. */
export type Blanking = <T>(value: T) => T;

/** @param values all that the two members ever held. */
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
    // A summary may have cut a value in two: it is made again from what is left.
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
