/** A model that plays a tape (tape.ts): it answers each prompt of an entry as the tape says. */
import { answers, fails, type Behaviour, type StubRequest } from './model.ts';
import { aDialogue, type Line, shownIn } from './tape.ts';

/** Whether it is asked for a plan; else it is to write prose, which only cites. */
export const isForPlan = ({ body }: StubRequest): boolean =>
  (body.response_format as typeof body.response_format | undefined)?.json_schema?.name !== 'almanac_answer';
export const promptOf = ({ body }: StubRequest): string => body.messages.map(({ content }) => content).join('\n');

export const aPlayer = () => {
  let left: readonly Line[] = [];
  let last: Line | undefined;
  let dialogue = aDialogue();

  /** The line for a prompt. Where an answer could not be used, the same one is given again. */
  const lineFor = (say: string, isAgain: boolean): Line | undefined => {
    if (isAgain) return last;
    const at = left.findIndex((line) => line.say === say);
    last = at < 0 ? undefined : left[at];
    left = left.slice(at + 1);
    return last;
  };

  const plays: Behaviour = (request, response) => {
    if (!isForPlan(request)) return answers({ answer: '[1]' })(request, response);
    const shown = shownIn(promptOf(request));
    const isAgain = request.body.messages.some(({ role }) => role === 'assistant');
    const line = lineFor(shown.request, isAgain);
    if (!line) return fails(404)(request, response);
    answers(dialogue.withUids(line.answer, shown))(request, response);
    if (!isAgain) dialogue.take(line.answer);
  };

  return {
    plays,
    begin: (entry: readonly Line[]): void => {
      left = entry;
      dialogue = aDialogue();
    },
  };
};
