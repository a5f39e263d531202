/** Words of questions: how they begin, which kind they are, and what in them names nothing. */
import type { QuestionKind } from '../intents/types.ts';
import { setOf } from './tables.ts';

/** What a question begins with before it asks. */
export const OPENING =
  /^(?:(?:hey|hi|hello|so|and|but|ok|okay|please|kindly|well|also|then|now|almanac|just|quick question) )*(?:(?:can|could|would|will) you )?(?:(?:please|kindly|quickly|briefly|just|possibly|perhaps) )*(?:(?:(?:tell|show|give|remind|let) (?:me|us)(?: know)?(?: again)?|do you (?:know|remember)|any idea|i (?:wonder|forgot|want to know|would like to know)|list|display|check|look up|find out|(?:run|walk|talk|take) (?:me|us) through|brief me on|fill me in on) ?)*(?:an? (?:(?:short|brief|quick|rough) )?(?:overview|summary|rundown) of )?(?:if |whether )?/;
export const SHORT: [RegExp, string][] = [
  [/\b(what|who|where|when|how|that|there|it)(?:'s|s(?= ))/g, '$1 is'],
  [/\b(i|we|you|they)'ve\b/g, '$1 have'],
  [/\bi'm\b/g, 'i am'],
  [/\b(we|you|they|what)'re\b/g, '$1 are'],
  [/\b(i|we|you|what|who)'d\b/g, '$1 did'],
];

const TELLING =
  'decid|agre|s(?:ay|aid)|tell|told|mention|know|remember|not(?:e|ed|es)|wr(?:ite|ote|itten)|th(?:ink|ought)|learn|promis|discuss|conclu|recommend|prefer|settl|cho(?:ose|se)|resolv|want|talk|pick';
export const IS_TELLING = new RegExp(`^(?:${TELLING})(?:e|e?d|es|s|ing|en|ned|ning)?$`);

/** In this order; the first that matches counts. They match the words outside of times. */
export const RULES: [QuestionKind, RegExp][] = [
  [
    'limits',
    /\b(?:limits?|quotas?|action budget)\b|^how (?:many|much)(?: more)? (?:plans?|proposals?|actions?|things)\b.*\b(?:may|can|could|allowed|left)\b|\bagents? (?:may|are allowed|still)\b/,
  ],
  [
    'queue',
    /\b(?:waiting|waits?|pending|undecided|queued?)\b|\b(?:to|should i|must i|can i) (?:approve|decide)\b|\b(?:for|need|needs|await|awaits|awaiting) (?:my |an? )?(?:approval|decision)\b|\bproposals?\b|^what (?:did|have|do) (?:the |my |an? )?agents?\b|\b(?:did|have) (?:i|we)(?: already)? (?:approved?|reject(?:ed)?|declined?)\b|\b(?:was|were|got|been) (?:approved|rejected|declined)\b/,
  ],
  ['queue', /\b(?:agents?|you|almanac|planner|assistant)\b.{0,200}\b(?:propos|suggest)/],
  ['queue', /\b(?:propos|suggest)\w*\b.{0,200}\bagents?\b/],
  ['now', /^what (?:time|day|date) is it\b|^what is (?:the (?:date|time|day)|today)(?: now| today)?$/],
  ['memory', /^(?:tell me )?(?:about|more about)\b|^who is\b/],
  [
    'free',
    /\b(?:free|available|availability|open slots?|gaps?|spare time|have time|any time|enough time)\b|^is there (?:any |some |enough )?(?:time|room|space|a slot)\b|^do (?:i|we) have (?:any |some |enough )?(?:time|room|space)\b|^(?:would|will|shall) (?:i|we) (?:still )?(?:be|have)\b|^(?:am|are) (?:i|we) (?:already )?(?:busy|booked|doing (?:something|anything)|taken)\b|^is (?:that|it) (?:ok|okay|possible)\b|^(?:can|could|may|might) (?:i|we)\b|^(?:is|are)\b.*\b(?:open|clear|empty|taken|vacant)$/,
  ],
  ['how_long', /^(?:for )?how long\b|^how much time (?:does|will|is)\b|^what is the (?:duration|length) of\b/],
  ['where', /^where\b|^what is the (?:address|location|place) of\b/],
  [
    'done',
    /^what (?:all )?(?:did|have) (?:i|we)(?: (?:actually|already|all))? (?:do|done|get done|got done|get up to|been doing|accomplish|achieve|complete|finish|work)(?:e?d)?(?: on)?\b|^what (?:happened|went on|got done|was done)\b|^how (?:was|did) my (?:day|week|month|weekend)\b/,
  ],
  [
    'when',
    /^(?:at )?(?:when|what time)\b|^(?:on |at )?(?:what|which) (?:day|date|hour)\b|^how (?:soon|many days)\b|^until when\b/,
  ],
  ['next', /\b(?:next|upcoming|coming up|first (?:thing|event|meeting|appointment))\b|^what (?:is|comes) after\b/],
];

/** Words of a question that name nothing. */
export const EMPTY = setOf(
  'right whats whens wheres whos hows a an the my our your his her its their this that these those some any anything something everything all of on in at for to from with by about into as up out off and or but not no ' +
    'what when where who whom why how which whose is are am was were be been being do does did done have has had will would can could may might shall should must ' +
    'i we you me us it they he she there here so then again already still yet also please exactly currently actually ever last next first coming upcoming soon later earlier now ' +
    'long many much far often time times day date days week o’clock calendar agenda schedule diary plate plan plans planned event events look looks like go going happen happens happening happened ' +
    'comes come follows part take takes start starts begin begins end ends finish finishes meet meeting meetings see seeing appointment appointments thing things busy full booked free available open clear empty taken vacant left remaining else kindly know tell remind if whether supposed due meant going quickly briefly please apart besides overview summary short brief ' +
    'after comes come follows follow get got show list display check find give let make made approve reject conflicts memory notes address location place duration length more proposals proposal propose proposed agents agent approval approve approved rejected pending waiting queue wait limits limit today tomorrow ? ! . , : ; ( ) - –',
);

/** How questions say that something waits for a decision, or was decided on; it is not what they are about. */
export const DECIDING =
  /^(?:(?:a)?waits?|(?:a)?waiting|decisions?|decid(?:e|es|ed|ing)|undecided|queued|approv(?:es|ing|als)|reject(?:s|ing)|declin(?:e|es|ed|ing)|need|needs|suggest(?:s|ed|ions?)?)$/;

/** A question word behind what it asks about. */
export const ASKED_LAST =
  /^((?!what|when|where|who|how|which|why)\S.*?) ((?:at )?(?:when|where|what time)|how (?:long|much|many|often)|(?:with )?whom?|(?:on )?(?:which|what) day|why)$/;
