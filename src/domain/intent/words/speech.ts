/** Words of speech: subjects, finite verbs, and the phrases that refuse, wish for a rule or take back what was said. */
import { setOf } from './phrases.ts';

/** Before names, with a full stop or without. */
export const PERSON_TITLES = setOf('mr mrs ms dr prof st');
export const PERSONS = setOf('i we he she they you');
export const PRONOUN_SUBJECTS = setOf(
  'i we he she they you it that this there everybody everyone nobody somebody someone who which',
);
export const SHORT_SUBJECT =
  /^(?:i|we|he|she|it|they|you|there|that|who|nobody|everybody|everyone|someone|somebody)'(?:m|re|s|ve|ll|d)$/;
/** Between a subject and its verb. */
export const ADVERBS = setOf(
  'just already always never only still really also finally now probably usually often sometimes actually honestly definitely certainly suddenly even both all again maybe soon apparently sadly unfortunately luckily totally completely almost nearly then first not kind of',
);
/** Verbs that are finite wherever they follow a subject, whatever it is. */
export const FINITE = setOf(
  "is are was were has have had isn't aren't wasn't weren't hasn't haven't hadn't can't cannot couldn't won't wouldn't don't doesn't didn't shouldn't mustn't can could will would must should shall may might " +
    'said says does told asked asks called rang phoned texted wrote emailed mailed messaged rung confirmed confirms cancelled canceled announced insists insisted thinks thought knows knew wants wanted needs needed hates loves likes prefers seems looks feels felt goes went comes came arrives arrived leaves left gets got makes made takes took keeps kept gives gave broke breaks moved changed closes closed opens opened signed forgot lost found won finished starts started begins began ends ended lives works worked has’t happens happened means meant turned agreed offered invited postponed promised sent brought picks drops pays paid lets sits stays stayed runs ran falls fell hurts sprained caught became becomes booked planned decided suggested mentioned explained reminded warned replied answered granted ghosted quit fixed delivers delivered ordered suits depends expires lasts belongs',
);
/** Finite only behind a pronoun: elsewhere they are nouns or imperatives as often. */
export const WEAK_FINITE = setOf(
  'need want have do will may get go come like think know hate love live work feel keep take make say see hope wish guess bet forget suppose believe wonder promise expect prefer seem look remember walk drive sleep eat teach swim run play travel meet open close start end leave cut put set let read cost hit shut land fly hear stay',
);
/** Behind 'I' and 'we' they ask for something as often as they tell. */
export const WISHING = setOf(
  "are can could will would must should shall may might need want have had do don't am 'll 'd i'd we'd i'll we'll i'm we're i've we've mean meant think guess suppose",
);
/** How questions say that something waits for a decision, or was decided on; it is not what they are about. */
export const DECIDING =
  /^(?:(?:a)?waits?|(?:a)?waiting|decisions?|decid(?:e|es|ed|ing)|undecided|queued|approv(?:es|ing|als)|reject(?:s|ing)|declin(?:e|es|ed|ing)|need|needs|suggest(?:s|ed|ions?)?)$/;

/** What is said of a plan by its pronoun: 'it takes 20 minutes', 'that would be better'. */
export const OF_A_PLAN = setOf(
  "takes take lasts is needs works should would can could has must will it's that's it'll that'll goes starts ends was isn't doesn't won't can't begins runs",
);
/** What is said on the way to a sentence. */
export const DISCOURSE = setOf(
  'so well and but oh hm hmm ah right look listen ok okay hey hi hello yeah yes no um uh er anyway sorry also then plus now today yesterday because since as although though while guess good great turns out',
);

/** Someone says that nothing is to be done, or that they only think about it. */
export const REFUSING =
  "(but/so/and/please/no/nah/,/) (don't/do not/dont/never/not) (actually/) (yet/) (book/put/add/schedule/enter/plan/write/move/change/cancel/touch/reserve/send/do it/block/save/create/make any/let's fix/fix/note)" +
  '|(but/so/and/) (there is/) nothing (to be/for you to/to) (planned/plan/booked/book/entered/enter/done/do/arranged/arrange/scheduled/schedule/put in)|(but/so/and/) (not yet/nothing to enter/nothing fixed/nothing to book/nothing to plan/nothing to do/no need to/no need for/no changes/please no entry/no entry)|(but/so/and/please/) hold off|(but/so/and/) (nothing/nothing yet) (is/) (decided/fixed/settled)' +
  "|leave it (out/open/alone/for now)|leave (my/the) calendar alone|leave the calendar as it is|you (needn't/don't need to/need not/don't have to) (put/book/enter/add/plan/write/do)|(just/) keep it in mind|wait with (it/the/that)" +
  "|(i'm/i am/we're/we are/was/is/it was/it's) (only/just) (thinking/asking/brainstorming/wondering/dreaming/saying/telling/moaning/musing/curious/an idea/a thought/question/a question)|(only/just) (thinking/brainstorming/wondering/dreaming/an idea/a thought/asking)|that's (only/just) an idea|i (only/just) ask|i was (only/just) (telling/asking/thinking/wondering)" +
  "|(i'm/i am/we're/we are) not (sure/decided) (yet/)|not sure (yet/)|(i/we) (haven't/have not) (decided/agreed/answered/made up)|(but/) nothing is (decided/fixed/settled) yet|let's not|no don't|don't (book/put/add/enter/schedule/plan) (it/that/anything) (in/) (yet/)|that's not (fixed/decided/settled)";

/** What holds from now on: no plan, but a rule for plans. */
export const RULING =
  '(at most/no more than/not more than/maximum/max/never more than) (one/two/three/four/five/six/seven/eight/ten/1/2/3/4/5/6/7/8/10) (hours of/) (big/) (things/thing/meetings/calls/appointments/events/visits/sessions/plans/tasks/proposals/mtgs/evenings/hours)' +
  '|(nothing/no meetings/no calls/no appointments/no mtgs/no events/no work/no sessions/nothing at all) (at all/) (any more/anymore)|by default|until further notice|from now on (nothing/no/never/at most/max/i/we/always/please/keep/only)|in (future/the future) (nothing/no/never/do not/always)|in future|never again' +
  '|(work/working) hours (are/is/from/:)|my working (week/hours/day/days)|(default/standard) (reminder/length/duration)|as a day off|(weekends/evenings/mornings/afternoons/mondays/tuesdays/wednesdays/thursdays/fridays/saturdays/sundays) are (off/free/for/family/sacred/mine/no/not/out of/taboo)' +
  "|(mondays/tuesdays/wednesdays/thursdays/fridays/saturdays/sundays/weekends/evenings/mornings/afternoons) free (from now on/always/in future)|(stop/no more) (suggesting/sugesting/proposing/planning/booking/scheduling)|(i/we) (never/don't/do not/not) work (on/after/before/in/at/weekends)|always (leave/keep/remind me/plan/book/make/put)|(buffer/gap/break) (around/between/after/before)|(any more/anymore) (before/after/on)";

/** Nothing is to be planned in this time: a rule where it is for more than one day. */
export const FORBIDDING = '(nothing/no/never/stop/avoid) ';

/** A name of something to plan begins with none of these. */
export const NO_NAME_FIRST = setOf(
  "out up down off back away that's that this these those it its it's none not no or and so but keep which what whatever whichever whose before beforehand after afterwards until till each every either both neither always never only already also again anyway here there then than i i'm i've i'd i'll we we're we've we'd we'll he she they you who him them us me are is was were am be been being has had does did can can't cannot could couldn't will won't would wouldn't should shouldn't must may might don't doesn't didn't haven't hasn't isn't aren't wasn't because since although though if unless while as how why when where hopeless good great fine sorry well rather better actually really maybe perhaps hopefully again apparently somehow something anything nothing everything someone somebody more less one ones same such very too just even quite that'll that'd there's let's shove goes best all mine yours his hers starts begins ends between going both delegating know hear split stays stay keeps remains come comes she's he's they're dunno wish hope",
);
/** Nor is any of these within it. */
export const NO_NAME_WITHIN = setOf(
  "i i'm i've i'd i'll we we're we've we'd we'll he he's she she's they they're they've it's there's that's you're you've is are was were am isn't aren't wasn't weren't don't doesn't didn't can't cannot couldn't won't wouldn't shouldn't haven't hasn't because although whatever whichever either until till every each wants wanted arrives arrived follows stays has had could must should would wouldn't goes comes sorry please actually unless nor whereas therefore however whether regularly got possible anyway",
);
/** Nouns of what is on calendars: who cancels or moves one means one that is there. */
export const EVENT_NOUNS = setOf(
  'meeting meetings appointment appointments call calls class classes lesson lessons lecture lectures seminar tutorial shift shifts standup session sessions slot course review sync dinner lunch breakfast brunch drinks rehearsal training practice event events visit booking reservation date interview exam test checkup party concert viewing workshop conference webinar retro demo huddle handover series block reminder delivery yoga pilates gym swim swimming dentist doctor vet haircut optician orthodontist physio massage tea coffee lunchbreak one ones them everything spin bouldering club choir hairdresser supper getaway follow-up kickoff catchup matinee',
);

/** Verbs that handle what is on the calendar: with a known event behind them they begin no title. */
export const HANDLING = setOf(
  'fix lay make set arrange del delete remove prolong lengthen shorten postpone shift move push pull cancel drop skip split copy repeat duplicate swap adjust update stretch extend bring leave keep let hold take cut reduce change free',
);
/** Verbs of “please enter it”, and the words around them. */
export const CARRIER_VERBS = setOf('enter add note put write book schedule save update block pencil');
export const CARRIER_WORDS = setOf(
  'please kindly it that this him her in down into to for me us my our the calendar diary agenda schedule enter add note put write book save update block pencil can could would you also so ,',
);
/** Verbs that begin titles beside a known event: 'prepare the budget review'. */
export const NAMING_VERBS = setOf('prepare prep read write call confirm practise practice pack buy');
/** Times that are found in what was said before. */
export const POINTING_AT_TIME =
  '(at/) (the/) same (time/hour)|(directly/right/just/straight/immediately/) before (it/that/them)|that (one/same/) day (only/)';

/** Who takes back what was just said. */
export const TAKING_BACK =
  "(no/oh no/ah no/uh no/well no/nope/oh/ah) (,/) (wait/sorry/hang on/hold on/i mean/make that/make it/actually/rather/no) (,/) (it's/that's/its/no/,/)|(wait/sorry/hang on/hold on/scratch that) (,/) (no/it's/make that/i mean/i meant) (,/)|or (rather/no)|i mean|i meant|make that|no (,/) (it's/its/let's say/make it/better/rather)|sorry|err|no|wait|hang on|hold on";

/** One of the things that wait is not wanted. */
export const DENYING = setOf('no not without minus except nope nah');

/** What was to change stays as it is. */
export const KEEPING = setOf('stays stay remains remain keep leave');

/** What names none of the things that wait. */
export const UNNAMED = setOf(
  'no not without minus except nope nah stays stay remains remain keep leave but oh sorry actually as it is the my please , . !',
);

/** A further thing is added. */
export const ADDING = setOf('and plus also & +');

/** Who agrees to what waits says one of these, */
export const AGREEING =
  "yes|yep|yeah|yup|ok|okay|sure|fine|right|all right|alright|perfect|great|exactly|absolutely|definitely|agreed|approve|approved|accept|accepted|confirm|confirmed|go ahead|go for it|do (it/that)|(sounds/looks) (good/great/fine/perfect/right)|(that/it/) works (for me/)|i (want/would like) (it/that)|i'd like (it/that)|(that is/that's/that would be) (fine/good/great/perfect/right/ok/okay)" +
  '|(approve/accept/confirm/book/schedule/add/enter/save/plan/put) (it/that/this/them/these/those/both/all/everything/the proposal/the proposals)';
/** and around it nothing but these. */
export const BESIDE_AGREEING =
  'please|thanks|thank you|now|then|and|so|good|cool|nice|lovely|wonderful|excellent|super|all|both|in|down|(to/in/into/on/onto) (my/the) (calendar/diary/agenda/schedule)';

/** A dash behind the times that open a prompt is a colon. */
export const DASHES = setOf('- – —');

/** Behind these 'sat' and 'sun' are no days. */
export const SITTING = setOf('the a my i he she we they you it who that and');

/** Marks that a time may begin with. */
export const OPENING_MARKS = setOf('@ + - ~');

/** 'dentist where': the question word is behind what is asked about. */
export const ASKED_LAST =
  /^((?!what|when|where|who|how|which|why)\S.*?) ((?:at )?(?:when|where|what time)|how (?:long|much|many|often)|(?:with )?whom?|(?:on )?(?:which|what) day|why)$/;

/** How a correction begins. */
export const CORRECTS =
  /^(?:(?:oh|ah|um|but|and|well|hm+)\b,? *)*(?:no|nope|not|sorry|wait|actually|except|only|just|rather|instead|i meant?|hang on|hold on|on second thoughts?|right)\b(?! problem| worries| thanks)[,.]? +\S/i;

/** None of what waits is wanted. */
export const NONE = /^(?:never ?mind|nvm|no thanks|no thank you|forget (?:it|that|about it))\b/i;
