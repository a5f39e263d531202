/** What a result of an export says in words. */
import { parameter } from '../state/address.ts';
import { isShownField } from '../state/field-names.ts';
import { longDate, momentOf } from '../state/wall-time.ts';
import { fieldName, valueText } from '../ui/fields-text.ts';
import { capital, counted, typeText } from '../ui/words.ts';

export type Item = Record<string, unknown>;
type Change = { op: string; path: string; value?: unknown };

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Fields that serve the service say nothing to a person. */
const changesOf = ({ patch }: Item): Change[] => ((patch ?? []) as Change[]).filter(({ path }) => isShownField(path));

const isPlaceInList = (path: string): boolean => /\/(\d+|-)$/.test(path);
/** A list has one name for all of its places. */
const nameOf = (path: string): string => fieldName(isPlaceInList(path) ? path.slice(0, path.lastIndexOf('/')) : path);

const changedText = (item: Item): string => {
  const names = [...new Set(changesOf(item).map(({ path }) => nameOf(path)))];
  return `changed: ${names.join(', ') || 'details'}`;
};

/** What a result says in one line: the summary of a trace, or what a field has now. */
export const sayOf = (item: Item): string => {
  const { summary, content, op, uid, trace } = item;
  if (op === 'changed') {
    const values = changesOf(item).map(({ op: how, path, value }) => {
      const now = how === 'remove' ? 'removed' : valueText(value, path);
      return `${capital(nameOf(path))}: ${now}`;
    });
    return values.join('; ') || textOf(uid);
  }
  const made = trace as Item | undefined;
  if (op !== undefined) return textOf(made?.['title'] ?? made?.['content'] ?? uid);
  return textOf(summary ?? content);
};

const tagsOf = ({ tags }: Item): string[] => (Array.isArray(tags) ? tags.map(String) : []);
const kindText = (item: Item): string | undefined =>
  typeof item['type'] === 'string'
    ? typeText({ type: item['type'], transition: item['transition'], tags: tagsOf(item) })
    : undefined;

const farText = (depth: unknown): string | undefined => {
  if (typeof depth !== 'number') return undefined;
  return depth === 0 ? 'matches' : `${counted(depth, 'link')} away`;
};

export const headOf = (item: Item): string => {
  const { op, task_id, depth } = item;
  const made = (item['trace'] as Item | undefined) ?? item;
  const at = made['timestamp'];
  const parts = [
    op === 'changed' ? changedText(item) : op,
    typeof at === 'string' && momentOf(at),
    kindText(made),
    task_id,
    farText(depth),
  ];
  return parts.filter((part): part is string => typeof part === 'string').join(' · ');
};

/** Which one it is, where the line says only what is different. */
export const idOf = (item: Item): string | undefined =>
  item['op'] === 'changed' && changesOf(item).length ? textOf(item['uid']) : undefined;

export const groupText = (group: unknown): string => {
  if (typeof group !== 'string') return 'no task';
  const by = parameter('group_by');
  if (by === 'day') return longDate(group);
  return by === 'trace_type' ? capital(typeText({ type: group, tags: [] })) : group;
};
