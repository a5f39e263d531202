/** What a turn goes on from, and what it leaves for the next one. */
import { clausesFor } from '../act/act.ts';
import type { Piece } from '../act/clause.ts';
import type { Known } from '../act/known.ts';
import type { Item, Step } from '../dialogue/item.ts';
import { readRoles } from '../roles/reader.ts';
import { type Intent, type IntentContext, MOST_CHARS, type Said, type TalkItem } from './types.ts';

const asPieces = (said: readonly Said[]): Piece[] =>
  said.map(({ role, text }) => ({ role: role as Piece['role'], text, from: -1, to: -1 }));

/** What was spoken of last: as it was kept, else as the prompt before says it. */
export const itemsOf = ({ before, pending, events }: IntentContext, known: Known): Item[] => {
  // where nothing was said before, 'it' is the only thing that waits
  if (!before) return pending.length === 1 ? [{ pieces: [], plans: [pending[0]!.uid] }] : [];
  const { talk, prompt, plan_uids = [] } = before;
  const there = new Map([
    ...events.flatMap(({ uid, plan_uid: plan }): [string, string][] =>
      plan
        ? [
            [plan, uid],
            [uid, uid],
          ]
        : [],
    ),
    ...pending.map(({ uid }): [string, string] => [uid, uid]),
  ]);
  const still = (plans: readonly string[]): string[] => plans.flatMap((uid) => there.get(uid) ?? []);
  // a change of the settings is spoken of by itself, as it has no time or length
  const rules = new Set(pending.flatMap(({ uid, action_type: type }) => (type === 'configure' ? uid : [])));
  const plansOf = (said: readonly Said[], plans: readonly string[]): string[] =>
    still(said.length > 0 ? plans.filter((uid) => !rules.has(uid)) : plans);
  if (talk) return talk.map(({ said, plans = plan_uids }) => ({ pieces: asPieces(said), plans: plansOf(said, plans) }));
  const pieces = clausesFor({ text: prompt, spans: readRoles(prompt).best.spans }, known).at(-1)?.pieces ?? [];
  return [{ pieces, plans: still(plan_uids) }];
};

/** The words that are kept. More of them than a prompt may have are not kept, so that the work of a turn is bounded in a long talk. */
const saidOf = (pieces: readonly Piece[]): Said[] =>
  pieces.reduce((length, { text }) => length + text.length, 0) > MOST_CHARS
    ? []
    : pieces.map(({ role, text }) => ({ role, text }));
const isQuestion = (pieces: readonly Piece[]): boolean => pieces.some(({ role }) => role === 'ask');

/** What the next prompt goes on from: the last thing, also behind a question. */
export const talkOf = (steps: readonly Step[], items: readonly Item[], intents: readonly Intent[]): TalkItem[] => {
  const step = steps.findLast(({ pieces }) => pieces.length > 0);
  const own = step?.pieces;
  const thing = items.findLast(({ pieces }) => !isQuestion(pieces));
  const isDropped = own === undefined && steps.some(({ isSame }) => isSame);
  if (isDropped) return [];
  const kept = thing ? [{ said: saidOf(thing.pieces), plans: thing.plans }] : [];
  const isRule = intents.some(({ action_type: type, arguments: { cancel } }) => type === 'configure' && !cancel);
  if (own === undefined) return isRule ? [{ said: [] }] : kept;
  if (isQuestion(own)) return [...kept, { said: saidOf(own), plans: [] }];
  const isUnchanged = step?.isSame === true && intents.length === 0;
  return [{ said: saidOf(own), ...(isUnchanged && thing && { plans: thing.plans }) }];
};
