/** Conversations and questions in the shape of LoCoMo (Maharana et al. 2024). The data is not part of this project. */
import { readFileSync } from 'node:fs';

export type Conversation = {
  id: string;
  sessions: { number: number; at: string; turns: { id: string; text: string }[] }[];
  /** Evidence: ids of turns that are there, each once. */
  questions: { question: string; category: number; evidence: string[] }[];
};

/** Those that are asked; 5 has no answer in the conversation. */
export const CATEGORIES: [number, string][] = [
  [1, 'multi-hop'],
  [2, 'temporal'],
  [3, 'inference'],
  [4, 'single-hop'],
];

type Turn = { speaker: string; dia_id: string; text: string; blip_caption?: string };
type Sample = {
  sample_id: string;
  conversation: Record<string, string | Turn[]>;
  qa: { question: string; evidence?: string[]; category: number }[];
};

/** '1:56 pm on 8 May, 2023', taken as UTC. */
const timeOf = (text: string): string => {
  const [, hour = '', minute = '', half, day = '', month = '', year = ''] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return new Date(`${day} ${month} ${year} ${hours}:${minute} UTC`).toISOString();
};

const sessionsOf = ({ conversation }: Sample): Conversation['sessions'] =>
  Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => ({
      number,
      at: timeOf(conversation[`session_${number}_date_time`] as string),
      turns: (conversation[`session_${number}`] as Turn[]).map(({ speaker, dia_id, text, blip_caption }) => ({
        id: dia_id,
        text: `${speaker}: ${text}${blip_caption ? ` [${blip_caption}]` : ''}`,
      })),
    }))
    .filter(({ turns }) => turns.length > 0);

/** Some ids are malformed (`D:11:26`, `D30:05`), or several stand in one string. */
const evidenceOf = (told: string[]): string[] => [
  ...new Set(told.flatMap((text) => Array.from(text.matchAll(/D:?(\d+):0*(\d+)/g), ([, s, t]) => `D${s}:${t}`))),
];

export const readConversations = (file: string): Conversation[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as Sample[]).map((sample) => ({
    id: sample.sample_id,
    sessions: sessionsOf(sample),
    questions: sample.qa
      .filter(({ category }) => CATEGORIES.some(([known]) => known === category))
      .map(({ question, category, evidence = [] }) => ({ question, category, evidence: evidenceOf(evidence) }))
      .filter(({ evidence }) => evidence.length > 0),
  }));
