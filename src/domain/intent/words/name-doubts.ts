/** Words that make a title doubtful, by their place in it. */
import { setOf } from './phrases.ts';

export const NAME_DOUBTS = {
  /** A title begins with none of these. */
  first: setOf(
    'what whatever who when where how why whether suggest assume reschedual resched del forget mainly otherwise maybe let lets typical still none nothing everything whichever looking',
  ),
  /** Nor holds one of these behind its first word. */
  within: setOf(
    'same nothing none else more less longer shorter meant moved shifted postponed cancelled not no too before until till since beforehand everything myself leaving ends ending assume mainly otherwise instead but next prior me',
  ),
  /** Nor ends with one of these. */
  last: setOf(
    'push put pass advance late short each still away however back-to-back even into onto exactly both excepted prior',
  ),
  alone: setOf('one still what second first last del evening morning move push make put note end start thing'),
  /** Short forms and names of times that no reader took, at the end of a title. */
  timeLike: setOf(
    'fr mo do th thrs thur ths alt ea quarterly biannually xmas hols term sat sun tues weds thurs arvo noon fortnightly shrove excepted each whenever sometime payday lunchtime bedtime',
  ),
  /** Behind an ordinal they are no day: 'the 5th grade'. */
  ordinalNouns: setOf(
    'birthday anniversary grade floor grader form class edition round street avenue lesson session chapter draft visit century',
  ),
  /** Before 'all', 'my' or 'me' they handle many events or ask. */
  batch: setOf('count colour color read list show rename end let clear tag mark mute short open close sort check-off'),
  /** With an owned object, and a way where they may be errands: 'take the evening off', 'switch my office day'. */
  handles: setOf('take pull bring put switch double leave short end flip let swap halve'),
  handlesAlone: setOf('switch double leave short end flip let swap halve'),
  ways: setOf('off away forward alone down round to into'),
  /** 'at Luca's' */
  beforeOwner: setOf('at to from with for by near of in and the a my'),
};

/** Meals are made and planned as often: 'make lunch'. */
export const MEALS = setOf('lunch dinner breakfast brunch supper tea coffee drinks reservation appointment booking');
/** They point at what was asked for before, or say more of it. */
export const POINTERS = setOf("it it's that they them this starts ends begins takes lasts then");
export const OBJECT_POINTERS = setOf('it that this them');
/** A title ends with none of these. */
export const OBJECT_PRONOUNS = setOf('that it us them him this me');
export const MOVES = setOf('move cancel delete postpone remove reschedule');
/** Behind a number they are units of time. */
export const SHORT_UNITS = setOf('m d h w hrs');
export const DAY_PARTS = setOf('morning afternoon evening night day week weekend time month');
export const OWNERS = setOf("the my our both all that those these this tonight's tomorrow's");
/** Verbs behind which 'when' opens a question: 'ask when the plumber comes'. */
export const ASKING_WHEN = setOf('ask check find see decide tell clarify write note know');
/** Verbs whose object is on the calendar, where it is owned: 'drop the music lesson'. */
export const CHANGES_ONLY = setOf(
  'move shift advance discard reduce increase expand trade exchange flip bring drop remove cut start begin end swap',
);
/** Verbs that may be followed by 'in' or 'down', which is no part of the name. */
export const PUTTING = setOf('put pencil stick write book');
/** Behind a clock time or a unit. */
export const BEHIND_TIMES = setOf('am pm min mins minute minutes hour hours hr day week');
export const CLOCK_MARKS = setOf('hrs hours uhr h');
/** Leads of notes that may as well be entries. */
export const NOTE_LEADS = setOf('note log remember record');
export const ENTERING = setOf('put enter add mark write');
/** What 'please enter' points at. */
export const CARRIED = setOf('please kindly it that this him her');
