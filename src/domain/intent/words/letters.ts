/** Words of letters and of what is said around requests. */
import { setOf } from './phrases.ts';

/** How a line of a letter's head begins. */
export const LETTER_LINES = '(from/to/cc/bcc/sent/date/subject/re/fwd/fw/reply - to/original message) (:/-)';
/** What only follows from the request: nothing is to be planned under this condition. */
export const BESIDE = 'otherwise|or else|if not ,';
/** What is wished for where it was said before. */
export const OWN_OBJECTS = setOf('it that this them those these one');
/** A verb behind which a clock time is the end of what was reported. */
export const ENDING = setOf(
  'arrives arrive arriving lands land ends end ending finishes finish gets returns until till in to',
);
/** What is left out of a name: it says to which extent, or refers to what was reported. */
export const EXTENT =
  'accordingly|for (that/this) (one/) (day/time/occasion/week) only|only for (that/this) (one/) (day/time/occasion)|(on/) just (that/this) (one/) (day/time)|if i may|if you would|if you please|of course|as (discussed/agreed/mentioned/described)|in the way described';
