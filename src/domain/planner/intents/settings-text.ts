/** Says what a change of the settings sets. */
import { settingsSet } from '../../plan/setting-changes.ts';
import type { Intent } from './types.ts';

const LONGEST_TITLE = 200;
/** A text is not cut, because a value in it may be hidden from some readers. */
const SEVERAL = 'Change of several settings';

/** 'Hours: Monday to Friday 09:00 to 20:00; Agents outside your hours: refused'; undefined of other proposals. */
export const settingsText = ({
  action_type,
  arguments: given,
}: Pick<Intent, 'action_type' | 'arguments'>): string | undefined => {
  const set = action_type === 'configure' ? settingsSet(given) : null;
  if (!set) return undefined;
  const texts = set.rows.map(({ name, after }) => `${name}: ${after}`);
  return [...texts, ...(set.more ? [`and ${set.more} more`] : [])].join('; ');
};

/** Title and content that say what is set; undefined of other proposals. */
export const settingsTexts = (
  of: Pick<Intent, 'action_type' | 'arguments'>,
): Pick<Intent, 'title' | 'content'> | undefined => {
  const text = settingsText(of);
  return text ? { title: text.length > LONGEST_TITLE ? SEVERAL : text, content: `${text}.` } : undefined;
};
