/** Schemas of how a prompt was read, and of the words of one that are not read. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { ROLES } from '../domain/planner/request.ts';
import { Plan } from '../memory/schemas.ts';

const Offset = z.number().int().min(0);
/** How a prompt is to be read. */
export const Literal = list(z.tuple([Offset, Offset]), 50).describe(
  'Stretches of the prompt that are not read as times, places or verbs: the words belong to the name of what is proposed or changed. Each is a pair of offsets in UTF-16 units, of its first unit and of the unit just after its last one, in the prompt without blanks at its ends. They are in order and do not overlap. A question is read as a whole, and a model is not bound by them.',
);

export const Reading = z
  .object({
    probability: z.number().min(0).max(1).describe('How probable it is that all words have the right role.'),
    stretches: z.array(
      z.object({
        role: z
          .enum(ROLES)
          .describe('What the words were read as; `when`, `rel`, `limit`, `repeat`, `except` and `shift` say times.'),
        from: Offset,
        to: Offset,
        means: z.string().optional().describe('What the words mean, where they are a time or a length.'),
        doubtful: z.literal(true).optional().describe('The role of one of the words is doubtful.'),
      }),
    ),
  })
  .meta({
    id: 'PromptReading',
    description:
      'How the built-in planner read the words of the prompt of which this was made. A stretch that was read wrongly can be sent in `literal`.',
  });

/** What a prompt proposes. The reading is not stored. */
export const ProposedPlan = Plan.extend({ reading: Reading.optional() }).meta({
  id: 'ProposedPlan',
  description: 'A plan, and how the prompt was read that proposed it.',
});

/** Whether stretches are in order within a prompt. */
export const literalWithin = ({
  prompt = '',
  literal = [],
}: {
  prompt?: string | undefined;
  literal?: [number, number][] | undefined;
}): boolean => literal.every(([from, to], i) => from < to && to <= prompt.length && from >= (literal[i - 1]?.[1] ?? 0));
export const LITERAL_FAULT = {
  message: 'must be pairs [from, to] with from < to, in order, without overlaps, and within the prompt',
  path: ['literal'],
};
