/** Words that the acts know: what names nothing, which part of the day a thing belongs to, how a change goes. */
import { setOf, tableOf } from './tables.ts';

/** Words of a name that point to nothing: they need not fit the name of an event. */
export const SMALL_WORDS = setOf(`
the a an my our your his her their its of to with for w and on at in that this one ones is are was has have had been i we he she there scheduled planned
it they them you us me from over who which comes starts then thing things bit so too also again proposal proposals
`);
/** Nouns that any event may be called by; they count only where nothing else is said. */
export const GENERIC_NOUNS = setOf(`
appointment appointments appt appts meeting meetings session sessions thing event events date dates slot slots booking bookings
class plan plans stuff evening evenings lady guy man woman person people visit entry occurrence occurrences one
`);
/** Words that mean all there is. */
export const ALL_WORDS = setOf('everything all whole both whatever anything entire lot');
export const CHOICE_WORDS = setOf('either or');
/** Words of a rule for all plans: 'at most three a day', 'never on weekends'. */
export const RULE_WORDS = setOf(`
  always never only nothing max maximum limit limits default cap hours weekends evenings mornings work working most more`);
/** A change may be asked for as a question: 'Can we skip yoga?'. */
export const WISH_WORDS = setOf('can could would will may might should shall how possible skip instead please lets');
/** Words of a name that point to another one of the same: 'the one after'. */
export const POINTING = setOf('after next other before following previous');
/** What points back to what was spoken of. */
export const PRONOUNS = setOf('it that this them those they he she him one due then');

/** What is usually in the evening, and in the morning. */
export const EVENING_NOUNS = setOf(`
dinner supper drinks pub party quiz cinema film movie concert theatre gig sitter babysitter choir opera sauna squash night raclette
restaurant clubbing rehearsal musical comedy improv karaoke bowling poker cocktails
beers wine curry tapas disco fireworks bingo salsa dancing tango panto barbecue
`);
export const MORNING_NOUNS = setOf(`
breakfast bin bins school nursery exercise exercises early gym work wake bakery commute assembly run jog jogging flight ferry airport blood alarm surgery operation hike sunrise
delivery delivered milking fasting
`);

/** Verbs that change what is there. */
export const CHANGING = setOf(`
move moved moving push pushed shift shifted reschedule rescheduled postpone postponed put bring brought delay delayed swap switch change changed
cancel cancelled canceled cancelling drop dropped delete remove removed scrap skip axe bin kill clear take off call rebook rebooked rearrange prepone advance slide bump
shorten extend lengthen cut trim double rename renamed update edit relocate resize set exchange trade pull knock fell fallen forget lose scratch strike ditch no not without gone
`);
/** Words of a wish, ahead of what is wished for. */
export const WISHING = setOf(`
i i'd i've i'm i'll we we've we're we'd id ive im we'll there there's theres is are got have has had need needs to want wanna would like love must should can could
please let let's lets me us put book add schedule plan block reserve make create set up keep get it a an the my our just also and so ok okay gotta going be will
that's it's thats its some time for in with do
`);

/** 'I can't make it to yoga' takes it off the calendar. */
export const ABSENT =
  /\b(?:can['’]?t|can ?not|won['’]?t|will not|unable to|not able to|not going to|couldn['’]?t)\s+(?:make it(?:\s+to)?|make|attend|come to|go to|be at)\s*/i;
/** What has to be so before it is planned; not 'if possible'. */
export const CONDITION =
  /^(?:only )?(?:if|unless|in case|provided|as long as|should (?:the )?\p{L}+)\s+(?!(?:possible|poss|you can|i can|we can|need|needed|necessary|ok|okay|that works|available|free|there['’]?s|there is|not|so)\b)\P{Nd}/iu;
/** 'Swap the haircut with the dentist' names two. */
export const PAIRING = /(?<!\s)(?:\s+(?:and|with|for|against)\s+|\s*[&/]\s*)/i;

/** Which of several that were spoken of: 'the second', 'the other one'. */
export const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...(['first', 'second', 'third', 'fourth', 'fifth'] as const).map((word, i): [string, number] => [word, i]),
  ['former', 0],
  ['other', 1],
  ['last', -1],
  ['latter', -1],
  ['later', -1],
]);
/** Words ahead of a better name: 'it's Stefanie', 'I mean Möllers'. */
export const RENAMING = setOf(
  "it's its is not mean meant rather actually call called sorry instead name named title should correct",
);
/** Words by which a further one is meant: 'also on Monday'. */
export const FURTHER = setOf('also again another too plus additionally same');
/** What a person says that is done: 'I finally finished the report'. */
export const REPORTING =
  /^\W*(?:i|we) (?:(?:just|finally|already) )?(?:(?!need|promis|want|hop|plann|book|arrang|schedul|reserv|agreed|invit)\p{L}{2,}ed|paid|sent|handed|went|did|took|got|told|met|saw|bought|wrote|found|left|gave|sold|won|lost)\s/iu;

/** Words beside a better time, in an aside: 'sorry, I meant Saturday'. */
export const MEANING = setOf('meant mean mistake sorry pardon better change rather instead actually correction only');

/** Words of verbs that only say that something is planned: 'pencil in', 'pop down'. */
export const PLANNING = setOf(`
put book booked add schedule scheduled plan planned enter entry block set up arrange arranged reserve reserved pencil write down slot stick hold note mark fit pop
diarise organise organize create insert register lock throw chuck jot log place save program input record squeeze leave allow open clear use make have keep got give
new appointment been given calendar diary list spread start take going promised agreed confirm confirmed invite sort get draw find in out aside for off on into
`);

/** The direction of a change. */
export const EARLIER_WORDS = setOf(
  'prepone anticipate advance earlier forward forwards sooner up front bring before early ahead',
);
export const LATER_WORDS = setOf('later back behind postpone push put off delay after late');
export const LONGER_WORDS = setOf(
  'longer more another extra add further additional extend prolong lengthen stretch plus',
);
export const SHORTER_WORDS = setOf('off shorter less trim shave shorten reduce cut knock');
export const START_WORDS = setOf('start starts begin begins starting beginning');
export const SWAP_WORDS = setOf('swap switch exchange trade');
export const DOUBLE_WORDS = setOf('double twice');
/** Verbs that add a length or take one off; 'it needs longer, call it 90 minutes' says the whole of it. */
export const ADDING = setOf('add another tack');
export const TAKING = setOf('off less trim shave knock');
/** 'Leave the end where it is'. */
export const ENDING = setOf('end finish');
export const STAYING = setOf('stays stay leave keep same');
/** 'by ten minutes' beside an act of these says the difference, not the length. */
export const BY = 'by';

/** Words between two stretches of one role that belong to their meaning. */
export const LINKS = setOf(
  'to until till til and or - – — , ; & + through thru -> arr arrive wrap end ends dtend checkout both either',
);

/** Words behind which something else begins. */
export const BREAKS = setOf('and then so');

/** All that joins two names or two things. */
export const JOINTS: ReadonlySet<string> = new Set([...LINKS, ...BREAKS, ...setOf('with for against / : |')]);

/** Words of a repetition that is more than some days of a stretch. */
export const EACH = setOf('every each weekly always');
/** Words that mean all alternatives, or all things of a request. */
export const BOTH = setOf('both all');
/** What is said last of each thing of a request. */
export const OF_EACH = setOf('each apiece ea both all every');

/** Places that say a zone only where 'their time' is said; others are among ZONES. */
export const PLACES: ReadonlyMap<string, string> = tableOf(`
Europe/London: england britain manchester
Europe/Lisbon: porto
Europe/Zurich: switzerland geneva
Asia/Tokyo: osaka
Asia/Seoul: korea
Asia/Kolkata: bangalore
Asia/Shanghai: shenzhen
America/New_York: york washington
America/Los_Angeles: francisco
`);

/** Verbs that keep days free as a whole: 'block the weekend'. */
export const BLOCKING = setOf('block reserve hold keep');

/** Words ahead of a time that say it is the end. */
export const END_WORDS = setOf(
  'until till til ends end ending finish finishes finishing over wrap wraps lands landing arrives arriving arr dtend back gets reaches home',
);

/** A time that is none. */
export const SOMEDAY = setOf('soon sometime someday some later point these');
export const SMALL_SOMEDAY = setOf('day time at one of days the very really');

/** When meals are, in minutes of the day. */
export const MEALS: ReadonlyMap<string, { after: number; before: number }> = new Map([
  ['breakfast', { after: 420, before: 600 }],
  ['brunch', { after: 600, before: 780 }],
  ['lunch', { after: 690, before: 840 }],
  ['dinner', { after: 1080, before: 1260 }],
  ['supper', { after: 1080, before: 1260 }],
]);

/** Sounds of somebody who thinks. */
export const HESITATIONS = setOf('um uh uhm er erm hmm hm umm uhh ah');
/** 'It takes', ahead of a length. */
export const LENGTH_VERBS = /\b(?:takes?|lasts|will last|taking|lasting|reckon|needs?|runs for|goes on for)\b/i;
/** Verbs behind a name that say only that a time or a length follows. */
export const TRAILING_VERBS =
  /(?<!\s)\s+(?:takes?|lasts?|starts?|begins?|kicks off|will (?:take|last|start|begin))\s*$/i;
/** 'Three things', which are named behind it. */
export const HEADING_NOUNS =
  /^\s*(?:(?:the|these|my|add|plan)\s+)?(?:two|three|four|five|six|\d|some|several|a few|a couple of)\s+(?:things?|errands?|tasks?|jobs?|appointments?|todos?|to-dos?|items?|calls?)\s*/i;
/** Nouns that a number belongs to. */
export const NUMBERED = setOf(
  'ward platform room gate bed table floor flat unit bay grade year line bus train tram terminal chapter part level stage phase depot number no',
);

/** Words beside a name and a time that say it was otherwise. */
export const CHANGE_WORDS = setOf('instead now rather longer already starts start begins takes lasts ends moves runs');
/** Verbs of a thing to do, which are also those of a plan or of a change. */
export const DOING = setOf(`
write give sort draw transfer submit record finish print do clean change drop pick collect fetch bring take call clear cut trim swap exchange
move fix pull scratch strike kill strip ring set stretch extend double
`);
/** Those of them that hardly ever mean a change of the calendar. */
export const TO_DO = setOf('write clean call ring get pick collect fetch print fix submit sort');
/** Verbs that only say where something goes in the calendar. */
export const PLACING = setOf('put set place add is goes go starts start begins begin runs happens comes');
/** 'Put out', 'take away'. */
export const PARTICLES = setOf('out away back down off');
/** All occurrences, for ever. */
export const FOR_GOOD =
  /\b(?:from now on|for good|for ever|forever|altogether|all together|completely|entirely|permanently|for all time)\b/i;

/** What takes a whole day where no hour is said. */
export const WHOLE_DAY_NOUNS = setOf(`
birthday bday anniversary holiday holidays vacation leave off day days offsite trip conference fair festival tournament wedding closed closure closes
visit visiting visits away hackathon barcamp camp retreat excursion strike exam exams deadline due expires expiry expire staying stay weekend abroad ooo convention jubilee
name honeymoon fasting carnival marathon moving
`);
