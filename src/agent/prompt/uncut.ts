/** Texts that are made of a prompt are cut to a length. They must not end in half of a value that is hidden from others. */
import type { Caller } from '../../domain/access/caller.ts';
import type { Choice, Intent } from '../../domain/intent/types.ts';
import { withoutParts } from '../../domain/record/cutting.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';

/** No text is cut that is shorter. */
const SHORTEST_CUT = 60;

type Texts = { intents: Intent[]; choices: Choice[]; reply: string; warnings: string[] };

/** Returns what takes the beginnings of hidden values out of texts that were cut from a prompt. */
export const readUncut = async (
  sensitive: Sensitive,
  caller: Caller,
  prompt: string,
): Promise<<T extends Texts>(texts: T) => T> => {
  const places = prompt.length > SHORTEST_CUT ? await sensitive.placesIn(caller, prompt) : [];
  if (!places.length) return (texts) => texts;
  const whole = withoutParts(places.map(([start, end]) => prompt.slice(start, end)));
  const ofIntents = (intents: Intent[]): Intent[] =>
    intents.map((intent) => ({
      ...intent,
      ...{ title: whole(intent.title), content: whole(intent.content), reasoning: whole(intent.reasoning) },
    }));
  return (texts) => ({
    ...texts,
    intents: ofIntents(texts.intents),
    choices: texts.choices.map(({ label, intents }) => ({ label: whole(label), intents: ofIntents(intents) })),
    reply: whole(texts.reply),
    warnings: texts.warnings.map(whole),
  });
};
