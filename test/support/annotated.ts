/** Reads an annotated request: 'Book [title:the dentist] [when:Tuesday at 9]'. */
import { ROLES, type Request, type Role, type Span } from '../../src/domain/planner/request.ts';

const isRole = (label: string): label is Role => (ROLES as readonly string[]).includes(label);

export const annotated = (line: string): Request => {
  const spans: Span[] = [];
  let text = '';
  let last = 0;
  for (const found of line.matchAll(/\[([a-z]+):([^\]]*)\]/g)) {
    const [whole, label = '', words = ''] = found;
    if (!isRole(label)) continue;
    text += line.slice(last, found.index);
    spans.push({ role: label, from: text.length, to: text.length + words.length });
    text += words;
    last = found.index + whole.length;
  }
  return { text: text + line.slice(last), spans };
};
