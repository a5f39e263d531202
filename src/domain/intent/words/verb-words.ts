/** Verbs as data: what a clause can ask for, with the words that say so, where they are and what each takes; courtesies; names that look like verbs. */
import { setOf } from './phrases.ts';

export type Act =
  | 'schedule'
  | 'block'
  | 'remind'
  | 'have'
  | 'reflect'
  | 'log'
  | 'move'
  | 'later'
  | 'earlier'
  | 'shorten'
  | 'extend'
  | 'make'
  | 'be'
  | 'swap'
  | 'rename'
  | 'cancel'
  | 'dismiss'
  | 'refuse'
  | 'ask';

/** What follows the verb: a title with its times, an event with what changes about it, only an event, words to keep, or nothing. */
export type Takes = 'title' | 'change' | 'target' | 'text' | 'none';
export type Row = {
  takes: Takes;
  /** Before what it takes. Choices are written (a/b), an empty one leaves the word out. */
  says: string;
  /** Behind what it takes: 'the dentist has to move to Friday'. */
  behind?: string;
  /** As -ing or -ed, only behind 'would you mind' and the like. */
  bent?: string;
  /** It may open a second clause behind 'and'. */
  opens: boolean;
};

const TIME = '(time/some time/a slot/a block/a time/a moment/room/space)';
/** Behind what is asked about: 'dentist where?' */
export const ASKING_BEHIND =
  '(at/) (when/where/what time)|how (long/much/many/often)|(with/) (who/whom)|(on/) (which/what) day|why';
export const VERBS: Record<Act, Row> = {
  schedule: {
    takes: 'title',
    opens: true,
    says:
      '(plan/schedule/book/put/add/pencil/slot/stick/pop/chuck/throw) (in/me in/me/us/me in for/me for/)|plan (for/to)|schedule me for|set up|set|put (me/) down (for/)|put down|write in|use (that/the/this) (slot/time/hour/gap) (to/for)' +
      '|arrange|organise|organize|create|make an appointment (for/)|line up|timebox|time - box|get me in (for/)|sign (me/) up (for/)|enter|jot in|mark|new (task/event/entry/appointment) :|(task/todo/to do/event/appointment) :|make (me/us) (a/an/the/) (meeting/appointment/reservation/booking) (with/for/at)|make (a/an) (meeting/appointment/reservation/booking) (for/)|throw in|put (a/an/the) (entry/event) (for/)|set up a (habit/routine) (of/:/)',
    behind: '(has been/have been/is/are/was/got) (set/scheduled/arranged/fixed/planned/confirmed)',
    bent: 'scheduling|booking|planning|arranging|adding',
  },
  block: {
    takes: 'title',
    opens: true,
    says:
      '(sort out/work out/figure out/block/block off/block out/reserve/set aside/keep/hold/allocate/dedicate/protect/earmark/make/find/find me/find us/carve out/get me/give me/get/look for/free up/clear) ' +
      `${TIME} (for/to/)|block|block off|block out|block (my/the/our) (calendar/diary/agenda)|reserve|set aside|set (some/) time aside|keep|hold|find|find (me/us)|find a good time|make (time/some time/room/space) to` +
      "|carve out|allocate|dedicate|protect|give me|get me|earmark|gimme|(i/we/) (need/want)|i (could/can) (use/do with)|spend|(squeeze/fit/slot) (in/)|i (would/should) like|we (would/should) like|i (d/would) love|i'd (like/love)|we'd like" +
      '|when (can/could) (i/we) (fit in/fit/find time for/find time to/)|any (slot/gap/free slot/window/opening/free time)|when do i have time (to/for/)|is there (time/room/a slot)|look for',
    bent: 'blocking|reserving|keeping',
  },
  remind: {
    takes: 'title',
    opens: true,
    says:
      'remind (me/us) (to/that/about/of/)|(set/set me/set up/give me/get/get me/have/send me/add/create/schedule/i need/i want) a reminder (to/for/about/that/)|set reminders (to/)|reminder (to/:/)|(ping/nudge) me (to/)' +
      "|(wake/buzz/prod/poke) me (up/) (to/)|(ping/nudge/buzz) me (about/)|rmd|(remember/make remember) me (to/of/about/for)|remember us to|(don't/dont/do not) let me forget (to/about/the/)|get me up|(alert/notify) me to|tell me to|set an alarm (to/for/)",
  },
  have: {
    takes: 'title',
    opens: false,
    says: "(i've/we've/i have/we have) (just/already/) (arranged/scheduled/booked/agreed/organised/organized/set up)|(i/we) (have been/were/was/got) (given/offered)|(i've/we've) been (given/offered)|(i/we) will have|(i/we) (finally/just) got|i (have/got)|i've got|we have|we've got|there is|there's|there will be|(i am/i'm/we are/we're) (having/at/in)|i (will be/'ll be) at|i'll (be at/have)|we'll have",
  },
  reflect: {
    takes: 'title',
    opens: true,
    says:
      'reflect (on/about/upon/)|reflecting on|look back (on/at/)|think back on|(a/do a/write a/) reflection (on/about/)|take stock (of/)|contemplate|journal about|debrief on|do a (retrospective/retro) on' +
      '|review how|review (my/the) (day/week/month/year/sprint)|review (last/this) (week/month)|review (today/yesterday)|review the (past/last)|(look at/see/evaluate/assess/think about/consider) how',
  },
  log: {
    takes: 'text',
    opens: true,
    says:
      'log (that/an observation/)|note to self (that/)|note (that/down/down that/)|record (that/:)|(write/jot) down (that/)|keep in mind (that/)|remember (that/)|(make/take) (a/) note (that/of/)|for the record' +
      '|fyi|bear in mind that|(add/save) a note (that/)|leave a note that|for (your/the) (memory/records/notes) (-/–/:/,/that/)|put on record that|just so you know|document that|track that|register that',
  },
  move: {
    takes: 'change',
    opens: true,
    says: '→|adapt|adjust|amend|correct|move|mv|resched|drag|pop forward|reschedule|shift|rearrange|re - schedule|change|switch|relocate|transfer|carry over|rebook|start|begin|bump|slide',
    behind:
      '→|move|reschedule|postpone|prepone|(got/gets/is/was/has been) preponed|(can/could/would/will) you (please/) (move/shift/reschedule/push/change/postpone)|please (move/shift/reschedule/push/postpone)|to (start/begin/move/be moved/take place/happen)|(needs/need/has/have/ought/had) to (move/be moved/be rescheduled/be pushed/be shifted)|(should/must/can/could/will) (move/be moved/be rescheduled/be pushed)|needs (moving/rescheduling)' +
      '|(was/is/got/gets/has been/have been/is being/has) (moved/rescheduled/shifted/postponed/pushed/bumped/rebooked/switched/changed)|moved|moves',
    bent: 'moving|rescheduling|shifting|moved|rescheduled|shifted',
  },
  later: {
    takes: 'change',
    opens: true,
    says: 'push|push (back/out)|postpone|delay|put (off/back)|defer',
    behind: '(has been/have been/was/is/got/gets) (put back/pushed back/moved back/delayed)|(is/are) (running/) late',
    bent: 'pushing (back/)|postponing|delaying|pushed (back/)|postponed|delayed',
  },
  earlier: {
    takes: 'change',
    opens: true,
    says: '(bring/pull/move) forward|move up|pull up|advance|prepone|bring',
    bent: 'bringing forward|bringing',
  },
  shorten: {
    takes: 'change',
    opens: true,
    behind: '(was/is/got/gets/has been) (cut/shortened/trimmed) (down/)',
    says: 'shorten|cut|cut (short/down)|trim|reduce|shrink|decrease',
    bent: 'shortening|cutting',
  },
  extend: {
    takes: 'change',
    opens: true,
    behind:
      '(was/is/got/gets/has been) (extended/lengthened)|(ends/finishes)|(should/will/must/has to/needs to) (end/finish)|goes on',
    says: 'extend|lengthen|exend|prolong|stretch|increase|expand',
    bent: 'extending',
  },
  make: {
    takes: 'change',
    opens: true,
    says: 'make (it/that/this/them/these/those/)|give (it/that/this/them)|(is/are/will be/would be/should be) (enough/plenty) for',
    behind: '(has to/needs to/must/should/can/will) be (shorter/longer) (,/) (only/)',
  },
  be: {
    takes: 'change',
    opens: false,
    says: '',
    behind:
      '(should/must/will/has to/needs to/is going to/is to/can/ought to) (now/please/) (start/begin/be/run/last/take)|(starts/begins/is/runs/lasts/takes) (now/actually/only)|starts|begins|lasts|will only (take/last)|be|is|are|will be|(leaves/departs/arrives/happens/kicks off/takes off)|(is/are) (coming/arriving/visiting/due/landing/starting) (over/round/in/at/to/)|comes (over/round/to/)|come (over/round)|arrive|takes place|visits|goes|lands',
  },
  swap: { takes: 'target', opens: true, says: 'swap|swap (round/around/over)|flip|exchange|switch around|trade' },
  rename: {
    takes: 'target',
    opens: true,
    says: '(call/name/rename/title) (it/that/this)|rename|retitle|(change/set) (its/the) (title/name) (of/to/)|the (title/name) should be|give it the (title/name)',
    behind: '(is/was/will be/should be) (now/) (called/named/renamed) (to/)',
  },
  cancel: {
    takes: 'target',
    opens: true,
    says:
      "(i/we/) (can't/cannot/won't/can not/couldn't) (make/attend/do/go to/come to)|(i/we/) (can't/cannot/won't) make it (to/for/on)|(i/we) won't be able to (make/attend/make it to)|i'm not going to" +
      '|cancel|delete|remove|call off|(forget/scratch) (about/) (the/my/our)|take (it/that/this/them/that one/this one) (back/) (out/off)|scrap|skip|get rid of|drop|unschedule|withdraw|discard|clear|free up|abort|take (out/off)|take out|ditch|axe|strike|bin|cxl|annul|kill|erase|wipe|shelve|nix|(throw/chuck/kick) out|dump|lose|get out of|bow out of|decline|chop',
    behind:
      "delete|cancel|remove|(can/could/would/will) you (please/) (cancel/delete/remove/drop/skip)|(please/kindly) (cancel/delete/remove/drop)|(must/has to/needs to/should) (unfortunately/) be (cancelled/canceled/deleted/removed)|(is/are) (no longer/not) (necessary/needed/required)|(needs/has/ought) to be (cancelled/canceled)|(should/must) be (cancelled/canceled)|(is/was/got/has been) (cancelled/canceled/called off)|(is/are/) off|(is/are) (out/not happening/not on/dead)|(can go/has to go)|fell through|(isn't/is not|won't be) happening|won't happen",
    bent: 'cancelling|canceling|skipping|cancelled|canceled|skipped',
  },
  dismiss: {
    takes: 'none',
    opens: true,
    says: '(never mind/nevermind/nvm/no thanks/no thank you)|(forget/scrap/scratch/discard/withdraw/reject/drop/ditch) (it/that/this/about it/about that)|leave it|do nothing|forget i asked|(leave/keep) (it/that/them/everything) (/in/on/there/alone/be/where it was/where it is/as it was/as it is/as is/the way it is/the way it was)',
  },
  refuse: {
    takes: 'none',
    opens: true,
    says: "(please/) (don't/do not/dont/never)|i (don't/do not) want|i (won't/can't/cannot)|no need to|stop|undo|restore|nothing|no more",
  },
  ask: {
    takes: 'none',
    opens: false,
    behind: ASKING_BEHIND,
    says:
      "let (me/us) know (if/whether/when/what/how/which/where)|(run/walk/talk/take) (me/us) through|brief me (on/)|fill me in (on/)|(give me/let me have/can i have/could i have/i would like/i'd like) (a/an/the) (short/brief/quick/rough/) (overview/rundown/summary) (of/)|(would/will/shall) (i/we) (still/) (be/have)|remind me (,/) (please/) (:/,/) (what/when/who/how/where/which/why/if/whether)|what|what's|whats|(until/till/from/since/by) when|(at/until/till/from) what time|how late|(on/in/at) (which/what)|when|when's|where|where's|who|why|how|which|is|are|am i|do (i/you/we)|did|does|was|were|have (i/we)|has|(show/show me)" +
      "|list|tell me (about/what/when/where/who/how/)|display|whose|who's|how's|explain|will|should i|(can you/) (tell me/show me)|any (meetings/events/plans)|anything",
  },
};

export const POLITE =
  'please|(please/) see to it that (i/we/you/) (get/have/can have/will have/)|(i/we) (would/d/can/could/must) (suggest/propose/recommend) (that/) (we/you/i/)|(i/we) (suggest/propose/recommend) (that/) (we/you/i)|(i/we) have to ask you to|(would/could) you be (so kind/so good/kind enough/good enough) (as/) to|sit down (and/to)|take (the/some) time to|let me (see/think/check/read/look) (,/) (um/uh/)|(another/one more) letter (,/:)|dear sir or madam|(kindly/please/) do the needful (and/)|good day|(hello/hi/hey) (dear/love)|dear (parents/all/everyone/assistant/almanac/planner/calendar/sir/madam)|kindly|just|quickly|hey (there/team/)|hiya|heya|yo|hi (there/team/)|hello (there/)|good (morning/afternoon/evening)|ok|okay|so|and|then|also|but|well|now|almanac|(good/perfect/super/fine/nice/cool/right/lovely) ,|quick (one/question/thing) :|(one more/another one) :|thanks|thank you|yes|yeah|yep|sure|oh|um|hm|hmm|ah|eh|nah|alright|great|by the way|btw' +
  "|(can/could/would/will/may/might/shall/should) (you/we/i)|can|could|(i/we) (should/must/will/can/could/might)|i'll|we'll|(i/we) (want/need/have/plan/hope/intend/wish/ought/got) to|(i/we) still (have/need/want/ought/got) to|come to think (of it/) (,/)|(i/we) (want/need) you to" +
  "|(i'd/we'd/id/i would/we would) (like/love/prefer) (you/) to|(i/i've/we/we've) promised to|(i am/i'm/we are/we're) (due/expected/meant) to|i've (got/) to|we've got to|(i'm/i am/we're/we are) (going/planning/hoping/supposed) to|i'm|i am|we are|we're|(i/we/) (wanna/gotta/gonna)|(i'm/we're) gonna|(i/do/i do) beg (your/) pardon|pardon (me/)|excuse me|my (mistake/bad/apologies)|i (made a mistake/was wrong/was mistaken)|apologies|though|although|afraid|certainly|of course|hopefully" +
  "|let's|let us|lets|let me|lemme|i (totally/completely/almost/nearly/) forgot (to/about/)|(i would like/i'd like/i want) that you|(i/we) would (rather/prefer) (have/to have/to/)|(i'd/we'd) (rather/prefer) (have/to have/to/)|help me (to/)|try (to/)|make sure (to/i/that/we/)|be sure to|would you mind|do you mind|do you think (you/we/i) could|(is/would) it (be/) possible to" +
  "|it would be (great/nice/good/better) (to/if we could/if you could/if we/if you)|remember to|(don't/do not/dont) forget to|don't let me forget to|after that|afterwards|finally|first|firstly|second|secondly|lastly|next" +
  "|additionally|plus|go ahead and|perhaps|maybe|ideally|preferably|to|how about|what about|what if (we/i/you)|why not|why don't we|shall we|no ,|nope (,/)|sorry|wait|i (mean/meant)|rather|better" +
  '|(oh/no/oh no/) (wait/hang on/hold on) (no/actually/,/)|(in/into/for/on) (the/my/our) (diary/calendar/agenda) (please/) :|i must to|i would like that you (write/note/put/add/enter)' +
  '|i think (i/we) should|i (think/guess|suppose)|in that case|actually|one more thing|mind|feel free to|on second thought|on second thoughts|it (is/s) time to';
export const COURTESY =
  '(would/do) you mind|(how/what) about|what if (we/i/you)|it would be better if we|is it possible to be';

/** Words that long courtesies are made of: 'I would be most grateful if you could'. */
export const COURTEOUS = setOf(
  "i we you it would could might should must may will can be is am are was so very most much kind good nice great grateful obliged thankful pleased glad happy delighted afraid sorry wonder wondering hope hoping trouble bother ask if whether as to please kindly do me a favour favor like love appreciate appreciated possible possibly mind at all for that enough the forgive pardon excuse beg your but i'd we'd i'm really just also let's help able thinking thought of",
);
export const SIGNS = setOf(
  'grateful obliged thankful kind good wonder wondering afraid trouble bother appreciate appreciated favour favor possible possibly glad delighted pleased much forgive pardon excuse beg hope hoping happy thinking thought nice able',
);

/** Names that begin with a word that is a verb elsewhere. */
export const NOUNS =
  'book (club/fair/launch/reading/signing/group/report/review/shop/swap)|trade (fair/show/union)|block party|stretch (class/break/goals)|note taking|change (management/request)|shift (handover/change/swap)' +
  '|plan b|push (day/ups)|pull (day/ups/request)|set (list/design)|switch over|drop (in/off)|start (up/line)|log (review/book)|block (course/release)|cut off|move (in/out) day|record (player/label/store)|note pad|free (time/day)|find out|keep fit' +
  '|clear out|hold music|stop motion|register office|remember me|trim trail|swap (meet/shop)|reserve (team/training)|reflection (group/paper)|put option|take away|track (day/practice/meet/session)|list (price/meeting)|first (aid/class/communion/floor/birthday/draft/half/interview/lesson/date/day/night/grade)|second (interview/hand/opinion/half/date/floor/dose/vaccination)|next door|show (and/time/jumping)|how to';

/** 'a day off' cancels nothing. */
export const TIME_OFF = setOf('day days time week weeks morning afternoon hour hours');

/** Verbs that are nouns or parts of names as often: they open a clause only before a determiner. */
export const DOUBTFUL_VERBS = setOf(
  'stick pop chuck throw need want start put hold keep stop never set switch look advance cut stretch trade note spend reflection reminder change begin get book plan nothing make take',
);
export const OBJECT_STARTS = setOf('the my a that it me an our some this them us in');

export const ABOUT_IT =
  '(make/move/change/shorten/push/extend/cancel/call/rename/bring/postpone/delay/skip/drop/reschedule/shift/give/put/cut/delete/remove/take/shrink/lengthen/keep/leave) (it/that/them/this)';
/** 'the car is away, so [I have to] walk' */
export const MUST =
  "(i/we) (have/need/ought/want) to|(i/we) (must/should/will)|(i'll/we'll) (have to/need to/)|i've got to|(i/we) (can/could)|i'm going to";
