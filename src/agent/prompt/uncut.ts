/** Texts that are made of a prompt are cut to a length. They must not end in half of a value that is hidden from others. */
import type { Caller } from '../../domain/access/caller.ts';
import type { Choice, Intent } from '../../domain/planner/intents/types.ts';
import { withoutParts } from '../../domain/record/cutting.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';

type Texts = { intents: Intent[]; choices: Choice[]; reply: string; warnings: string[] };

/** Takes the beginnings of hidden values of a prompt out of texts that were cut. Such a text has an ellipsis. */
export const uncut = async <T extends Texts>(
  sensitive: Sensitive,
  caller: Caller,
  prompt: string,
  texts: T,
): Promise<T> => {
  if (!JSON.stringify(texts).includes('…')) return texts;
  const places = (await sensitive.hiddenIn(caller))(prompt);
  if (!places.length) return texts;
  const whole = withoutParts(places.map(([start, end]) => prompt.slice(start, end)));
  const ofIntents = (intents: Intent[]): Intent[] =>
    intents.map((intent) => ({
      ...intent,
      ...{ title: whole(intent.title), content: whole(intent.content), reasoning: whole(intent.reasoning) },
    }));
  return {
    ...texts,
    intents: ofIntents(texts.intents),
    choices: texts.choices.map(({ label, intents }) => ({ label: whole(label), intents: ofIntents(intents) })),
    reply: whole(texts.reply),
    warnings: texts.warnings.map(whole),
  };
};
