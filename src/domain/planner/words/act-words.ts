/** Words that the acts know: what names nothing, which part of the day a thing belongs to, how a change goes. */
import { setOf, tableOf } from './tables.ts';

/** Words of a name that point to nothing: they need not fit the name of an event. */
export const SMALL_WORDS = setOf(`
the a an my our your his her their its of to with for w and on at in that this one ones is are was has have had been i we he she there scheduled planned
it they them you us me from over who which comes starts then thing things bit so too also again
`);
/** Nouns that any event may be called by; they count only where nothing else is said. */
export const GENERIC_NOUNS = setOf(`
appointment appointments appt appts meeting meetings session sessions thing event events date dates slot slots booking bookings
class plan plans stuff evening evenings lady guy man woman person people visit entry occurrence occurrences one
`);
/** Words that mean all there is. */
export const ALL_WORDS = setOf('everything all whole both whatever anything entire lot');
export const CHOICE_WORDS = setOf('either or');
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
