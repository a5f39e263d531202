/**
 * Makes the view of a reader without export:sensitive: authored_by and chat_url are left out, and their values are blanked in all
 * other text. What a person set is blanked everywhere. What an agent set is blanked in the traces that this agent recorded, so
 * that no agent decides what others may read (docs/decisions.md, Sensitive fields are blanked for everybody else).
 */
import { resultOf } from '../text/result-of.ts';
import { blankDeep, blankedBy, blankingBy, createFinder, findAny, type Find } from './redact.ts';
import { Quoting } from './quoting.ts';
import { summarise } from '../text/extractive-summary.ts';

/** The members that are left out. */
export const SENSITIVE = ['authored_by', 'chat_url'] as const;
export type SensitiveName = (typeof SENSITIVE)[number];
const LEFT_OUT: ReadonlySet<string> = new Set([...SENSITIVE, 'sensitive']);
const LEFT_OUT_PATH = /^\/(?:authored_by|chat_url|sensitive)(?:\/|$)/;

/** What a trace that has sensitive values says of them. It is hidden with them. */
export type SensitiveNote = {
  /** Random, so that nobody can find the values by trying candidates on the hash of the entry. */
  salt: string;
  /** The agents that set a value, as actors of the ledger. A person set the others. */
  agents: { [N in SensitiveName]?: string | undefined };
};

/** The members of a trace that say whose values it has. */
export type SensitivePart = {
  authored_by?: string | null | undefined;
  chat_url?: string | null | undefined;
  sensitive?: SensitiveNote | undefined;
  recorded_by?: string | undefined;
  proposed_by?: string | null | undefined;
  origin?: string | undefined;
  version?: number | undefined;
};

/** Stands for an agent that documents of earlier releases do not name. */
const SOME_AGENT = 'agent';

/** The agent that recorded a trace; null for a person, an import and the service. */
export const agentOf = ({ recorded_by, proposed_by, origin }: SensitivePart): string | null =>
  recorded_by ?? (origin === 'agent' ? (proposed_by ?? SOME_AGENT) : null);

/**
 * The agent that set a value; null for a person. Earlier releases did not record it: the value of a trace that an agent recorded
 * and nobody changed is the agent's, and any other counts as the person's, so that it stays hidden.
 */
export const setterOf = (trace: SensitivePart, name: SensitiveName): string | null => {
  if (trace.sensitive) return trace.sensitive.agents[name] ?? null;
  return trace.version === 1 ? agentOf(trace) : null;
};

/** The values of a trace, each with the agent that set it. */
export const valuesOf = (trace: SensitivePart): { name: SensitiveName; value: string; agent: string | null }[] =>
  SENSITIVE.flatMap((name) => {
    const value = trace[name];
    return typeof value === 'string' ? { name, value, agent: setterOf(trace, name) } : [];
  });

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
   type subject kind op action action_type status origin code by actor proposed_by recorded_by per mode scope export_format group_by day days scopes
   timestamp recorded_at updated_at created_at started_at scheduled_for expires_at executed_at last_used_at used_at revoked_at generated_at at time start end
   start_time end_time oldest newest last_run next_due timezone zone local_start rrule rdates exdates specversion source from to
   next_cursor ticket token token_type refresh_token email payload_hash hash subject_digest subject_uid epoch execution use_learned
   level outcome embedder database executor api_version verified why_code on_conflict
   repeats_until swaps_with failing_since last_delivery_at next_attempt_at previous_until last_success_at refresh_at source_uid stale_since
   types part_of_day role`.split(/\s+/),
);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An object has members of its own, such as the label of an actor. */
const isKeptWhole = (name: string, value: unknown): boolean =>
  KEPT_WHOLE.has(name) && (!isObject(value) || Array.isArray(value));

/** Whether an item is an operation of a JSON Patch (RFC 6902) on a member that is left out. */
const isLeftOut = (item: unknown): boolean =>
  isObject(item) && 'op' in item && typeof item['path'] === 'string' && LEFT_OUT_PATH.test(item['path']);

/** Returns whether an answer holds any text that could be sensitive. Most answers to writes do not. */
export const holdsText = (value: unknown): boolean => {
  if (typeof value === 'string') return true;
  if (!isObject(value)) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.entries(value).some(
    ([name, item]) => LEFT_OUT.has(name) || (!isKeptWhole(name, item) && holdsText(item)),
  );
};

/** Blanks in steps. It yields at each object and in long texts. */
type Steps<T> = Generator<undefined, T>;
export type BlankingInSteps = <T>(value: T) => Steps<T>;

/** Returns a blanked copy of any part of an answer: a document, a message, a patch or a text. */
export type Blanking = (<T>(value: T) => T) & { inSteps?: BlankingInSteps };

/** Blanks a value that may be long. */
export function* showing<T>(show: Blanking, value: T): Steps<T> {
  return show.inSteps ? yield* show.inSteps(value) : show(value);
}

/** The view of a credential that may see everything. */
export const everything: Blanking = (value) => value;

/** Where a text is found. */
export type Place = {
  /** The agent that recorded the trace; null for all other text. */
  agent: string | null;
  /** The seq of the version that holds it, whose time may have had other values; undefined for text without a version. */
  seq: number | undefined;
};

/** Finds what is hidden in the texts of a place. */
export type FinderOfPlace = (place: Place) => Find;

/** The finder of the values of one trace. Traces of one conversation have the same. */
const createOwnFinders = (): ((values: string[]) => Find) => {
  let last: { key: string; find: Find } | undefined;
  return (values) => {
    const key = JSON.stringify(values);
    if (last?.key !== key) last = { key, find: createFinder(values) };
    return last.find;
  };
};

type Walker = {
  walk: (value: unknown) => Steps<unknown>;
  member: (name: string, value: unknown) => Steps<unknown>;
};

const LONG_TEXT = 5_000;

export const blankingInSteps = (hiddenIn: FinderOfPlace): BlankingInSteps => {
  const finderOf = createOwnFinders();

  const walkerOf = (place: Place, own: Find | null): Walker => {
    const hidden = hiddenIn(place);
    const find = own ? findAny([hidden, own]) : hidden;
    const [text, longText] = [blankedBy(find), blankingBy(find)];
    const ownData = blankDeep(text, { names: true });
    function* walk(value: unknown): Steps<unknown> {
      if (typeof value === 'string') {
        return value.length > LONG_TEXT ? yield* longText(value) : text(value);
      }
      if (!isObject(value)) return value;
      if (value instanceof Quoting) return value.shown(text);
      if (!Array.isArray(value)) return yield* inside(value);
      const shown: unknown[] = [];
      for (const item of value) if (!isLeftOut(item)) shown.push(yield* walk(item));
      return shown;
    }
    function* inside(value: Record<string, unknown>): Steps<unknown> {
      yield;
      const within = walkerIn(value) ?? member;
      const members: [string, unknown][] = [];
      for (const [name, item] of Object.entries(value))
        if (isKeptWhole(name, item)) members.push([name, item]);
        else if (!LEFT_OUT.has(name)) members.push([name, yield* within(name, item)]);
      const shown = Object.fromEntries(members);
      const { content, summary } = shown;
      // The summary may have cut a value in two, so it is computed again from the blanked content.
      if (typeof content === 'string' && typeof summary === 'string' && content !== value['content'])
        return { ...shown, summary: summarise(content) };
      return shown;
    }
    function* member(name: string, value: unknown): Steps<unknown> {
      return OWN_DATA.has(name) ? ownData(value) : yield* walk(value);
    }
    /** The members of a version, or of a trace of an agent, are in another place; null for all other objects. */
    const walkerIn = (value: SensitivePart & { seq?: unknown }): Walker['member'] | null => {
      const seq = typeof value.seq === 'number' ? value.seq : place.seq;
      const agent = agentOf(value) ?? place.agent;
      if (agent === place.agent && seq === place.seq) return null;
      // The values of the trace itself are hidden in it even where the agent has set very many.
      const own = valuesOf(value).flatMap((one) => (one.agent !== null && one.agent === agent ? one.value : []));
      return walkerOf({ agent, seq }, own.length ? finderOf(own) : null).member;
    };
    return { walk, member };
  };

  return walkerOf({ agent: null, seq: undefined }, null).walk as BlankingInSteps;
};

/** Blanks at once, or in steps. */
export const blanking = (hiddenIn: FinderOfPlace): Blanking => {
  const inSteps = blankingInSteps(hiddenIn);
  return Object.assign(<T>(value: T): T => resultOf(inSteps(value)), { inSteps });
};
