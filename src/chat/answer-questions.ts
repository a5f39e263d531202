/** Answers the questions of a prompt: what was looked up as a list, or as prose of the model that cites it. */
import type { Occurrence } from '../calendar/schemas.ts';
import type { Clock } from '../common/clock.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Question } from '../domain/planner/intents/types.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { citedIn, type ModelProse, type ShowSoFar } from '../llm/model-prose.ts';
import type { Answer } from './answer.ts';
import type { LookUp } from './look-up.ts';

export type Answered = {
  reply: string;
  events: Occurrence[];
  traces: TraceDoc[];
  /** The model that wrote the reply. */
  model: string | null;
  warnings: string[];
};

/** A prompt with more questions gets these answered. */
const MOST_QUESTIONS = 5;

const moreText = ({ more }: Answer): string => (more > 0 ? `\n• and ${more} more` : '');

/** The answer as a list: a sentence alone where one thing was found that needs no other. */
const asList = (answer: Answer): string => {
  const { head, lines, more } = answer;
  if (lines.length === 1 && more === 0) return head === '' ? `${lines[0]}.` : `${head}\n• ${lines[0]}`;
  return [head, ...lines.map((line) => `• ${line}`)].filter(Boolean).join('\n') + moreText(answer);
};

const distinct = <T>(things: T[], key: (thing: T) => string): T[] => [
  ...new Map(things.map((thing) => [key(thing), thing])).values(),
];

export type Asking = {
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Gets the beginning of the reply while a model writes it. It may be another one in the end. */
  show?: ShowSoFar | undefined;
  /** Whether the prompt had an effect, so that it cannot be sent again: then there is an answer for a client that disconnected too. */
  hasEffect: boolean;
};

type Deps = { clock: Clock; lookUp: LookUp; prose: ModelProse | null };

export const createAnswerQuestions = ({ clock, lookUp, prose }: Deps) => {
  /** The prose, and beneath it the lines that it cites; null without a model or where nothing was found. */
  const asProse = async (
    caller: Caller,
    prompt: string,
    answers: Answer[],
    { signal, show }: Asking,
  ): Promise<string | null> => {
    const found = answers.flatMap(({ lines }) => lines);
    if (!prose || found.length === 0) return null;
    const looked = answers.map((answer) => `${answer.head}${answer.more > 0 ? ` (and ${answer.more} more)` : ''}`);
    const material = { question: prompt, now: clock.now(), zone: caller.zone, looked, found };
    const text = await prose.write(material, signal, show);
    const sources = citedIn(text).map((n) => `[${n}] ${found[n - 1]}`);
    return [text, ...sources].join('\n');
  };

  return async (caller: Caller, prompt: string, questions: Question[], asking: Asking): Promise<Answered> => {
    const answers: Answer[] = [];
    for (const question of questions.slice(0, MOST_QUESTIONS)) answers.push(await lookUp(caller, question, prompt));
    const warnings =
      questions.length > MOST_QUESTIONS
        ? [`The prompt has ${questions.length} questions; the first ${MOST_QUESTIONS} are answered.`]
        : [];
    let written: string | null = null;
    try {
      written = await asProse(caller, prompt, answers, asking);
    } catch (error) {
      if (!asking.hasEffect) asking.signal.throwIfAborted();
      const why = asking.signal.aborted ? 'the client disconnected' : (error as Error).message;
      warnings.push(`The model gave no usable answer (${why}); the reply lists what was found.`);
    }
    const none = answers.filter(({ lines }) => lines.length === 0).map(({ head }) => head);
    return {
      reply: (written === null ? answers.map(asList) : [written, ...none]).join('\n\n'),
      events: distinct(
        answers.flatMap(({ events }) => events),
        ({ uid, recurrence_id }) => `${uid} ${recurrence_id}`,
      ),
      traces: distinct(
        answers.flatMap(({ traces }) => traces),
        ({ uid }) => uid,
      ),
      model: written === null ? null : (prose?.model ?? null),
      warnings,
    };
  };
};

export type AnswerQuestions = ReturnType<typeof createAnswerQuestions>;
