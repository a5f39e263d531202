/** Conditions: what a request depends on. */
import { phraseAt, setOf, type Token, wordAt } from '../words.ts';

const COURTEOUS_IF =
  "if (at all/) possible|if (i/you/we) (can/may/please)|if you (don't/wouldn't/do not) mind|if it (isn't/is not/s not) too much (trouble/bother)|if it's not too much trouble|if (that is/that's/it is/it's) (ok/okay/alright/all right/convenient/fine)|if that suits|if (there is/i have/we have) time|if that works|if (needed/necessary/free)|if (you/we/i) (want/like/could/would/might/have time/need to/must)|if it fits|if not|if so";
const WONDERS = setOf(
  'what as ask asks see check know decide wonder tell out sure clarify discuss determine test verify',
);

/** Where a condition begins in these tokens: 'if it rains', 'unless it snows'. */
export const conditionAt = (tokens: readonly Token[], from: number, to: number): number | null => {
  for (let i = from; i < to; i++) {
    const word = wordAt(tokens, i);
    const isCondition =
      word === 'unless' ||
      phraseAt(
        tokens,
        i,
        'in case|(as long as/so long as/assuming/depending on/in the event)|only if|otherwise|even if',
      ) !== null ||
      ((word === 'provided' || word === 'whenever') && i === from) ||
      // 'should Petra get the job'
      (i === from &&
        word === 'should' &&
        !['i', 'we', 'be'].includes(wordAt(tokens, i + 1)) &&
        !tokens.slice(from, to + 1).some(({ text }) => text === '?')) ||
      (i === from &&
        phraseAt(tokens, i, 'when (it/i/the/he/she/they/we) ') !== null &&
        !tokens.slice(from, to).some(({ text }) => text === '?'));
    const isIf = word === 'if' && phraseAt(tokens, i, COURTEOUS_IF) === null && !WONDERS.has(wordAt(tokens, i - 1));
    if (tokens[i]!.kind === 'word' && (isCondition || isIf)) return i;
  }
  return null;
};
