/** Leads: the words a request begins with, which say what kind of action is wanted. */
import { phraseAt, type Token, wordAt } from './words.ts';

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
  | 'cancel'
  | 'swap'
  | 'make'
  | 'dismiss'
  | 'rename'
  | 'refuse'
  | 'ask';
export type Lead = { act: Act; next: number };

/** Courtesies and connectives before the verb. */
const POLITE =
  'please|can you|could you|would you|will you|can we|could we|can i|could i|may i|i want to|i want you to' +
  "|i would like to|i'd like to|i'd like you to|i would like you to|i would love to|i'd love to|id like to|i need to" +
  "|i need you to|i have to|i've to|i should|i must|i ought to|i will|i'll|i'm going to|i am going to|we need to" +
  "|we have to|we should|we must|we want to|we'd like to|we will|we'll|i wanna|i gotta|i've got to|let's|let us|lets" +
  '|let me|help me|help me to|hey|hi|hello|ok|okay|so|and|then|also|but|well|now|almanac|thanks|yes|yeah|just|kindly' +
  '|try to|make sure to|make sure i|make sure that i|be sure to|would you mind|do you think you could|is it possible to' +
  "|it would be great to|would it be possible to|remember to|don't forget to|do not forget to|dont forget to" +
  "|don't let me forget to|after that|afterwards|finally|first|next|additionally|plus|oh|um|hmm|quickly|go ahead and" +
  "|perhaps|maybe|ideally|preferably|to|i'm planning to|i am planning to|i plan to|i hope to|i intend to|i'm|i am|we are|we're|try" +
  "|how about|what about|what if we|what if i|why not|why don't we|shall we|should we|no ,|nope|nope ,|sorry|wait|i mean|i meant|rather" +
  '|better|good morning|good afternoon|good evening|i think i should|i think we should|in that case|actually' +
  '|one more thing|mind|feel free to|hi there|hello there|hey there|hi team|hey team';

const LEADS: Record<Act, string> = {
  refuse:
    "don't|do not|dont|never|i don't want|i do not want|i won't|i can't|i cannot|please don't|no need to|stop|undo" +
    '|restore',
  dismiss:
    'never mind|nevermind|forget it|forget that|forget about it|scrap that|no thanks|no thank you|scratch that|discard it' +
    '|discard that|withdraw it|withdraw that|reject it|reject that|drop it|drop that',
  rename:
    'call it|name it|rename it|rename it to|title it|change the title to|change its title to|rename that to|call that' +
    '|call it instead|the title should be|change its name to|change the name to',
  cancel:
    "i can't make it to|i can't make it for|i cannot make it to|i won't make it to|i can't make|i can't attend|i cannot attend|i won't be able to make it to" +
    '|cancel|delete|remove|call off|scrap|skip|get rid of|drop|unschedule|withdraw|discard|clear|free up|abort|take out',
  later: 'push|push back|postpone|delay|put off|defer|put back|push out',
  earlier: 'bring forward|pull forward|move up|advance|prepone|bring|move forward|pull up',
  move: 'move|reschedule|shift|rearrange|re - schedule|change|switch|relocate|transfer|carry over|rebook|start|bump|slide',
  swap: 'swap|exchange|switch around|trade',
  shorten: 'shorten|cut|cut short|trim|reduce|cut down|shrink|decrease',
  extend: 'extend|lengthen|prolong|stretch|increase|expand',
  log:
    'log|log that|note to self|note to self that|note|note that|note down|note down that|record that|record :|write down|write down that|jot down' +
    '|jot down that|keep in mind|keep in mind that|remember|remember that|make a note|make a note that|make a note of' +
    '|take a note|take a note that|take note|take note that|take note of|for the record|fyi|make note of|make note that' +
    '|bear in mind that|add a note|add a note that|save a note|save a note that|leave a note that|put on record that' +
    '|just so you know|log an observation|document that|track that|register that',
  reflect:
    'reflect|reflect on|reflect about|reflect upon|look back|look back on|look back at|think back on|a reflection on' +
    '|a reflection about|reflection on|reflection about|a reflection|reflection|do a reflection on|write a reflection on' +
    '|write a reflection about|take stock|take stock of|contemplate|reflecting on|review how|review my day|review my week' +
    '|review my month|review my year|review the day|review the week|review the month|review this week|review today' +
    '|review the sprint|review last week|review last month|review yesterday|review this month|review the past' +
    '|review the last|look at how|see how|evaluate how|assess how|think about how|consider how' +
    '|journal about|debrief on|do a retrospective on|do a retro on',
  remind:
    'remind me|remind me to|remind us to|remind us|set a reminder|set a reminder to|set reminders to|set reminders' +
    '|set me a reminder|set me a reminder to|set up a reminder|set up a reminder to|give me a reminder' +
    '|give me a reminder to|reminder|reminder to|reminder :|ping me|ping me to|nudge me|nudge me to|add a reminder' +
    '|add a reminder to|create a reminder|create a reminder to|schedule a reminder|schedule a reminder to|remind me that' +
    '|remind me about|remind me of|alert me to|notify me to|tell me to|set an alarm|set an alarm to|i need a reminder' +
    '|i need a reminder to',
  block:
    'block|block off|block out|reserve|set aside|keep|hold|find|find me|find us|find time|find some time|find time to' +
    '|find a slot|find me a slot|find me time|make time|make some time|make time to|make room|make space|carve out' +
    '|allocate|dedicate|protect|block time|block some time|block off time|block out time|block my calendar|give me|get me' +
    '|i need|we need|i want|i could use|spend|squeeze in|fit in|slot in|when can i|when can we|when can i fit' +
    '|when can i fit in|when can we fit in|when could i fit in|fit|squeeze|when could i|when could we|when do i have time' +
    "|when do i have time to|is there time|is there room|is there a slot|look for|i would like|i'd like" +
    '|set some time aside|set aside time|set aside some time|earmark|reserve time|free up time|find a time' +
    '|find a good time|find a moment|find room',
  schedule:
    'plan|plan for|plan to|schedule|schedule in|book|book in|book me|book us|set up|add|put|put in|arrange|organise' +
    '|organize|create|pencil in|pencil me in|make an appointment|make an appointment for|set|line up|plan in|timebox' +
    '|time - box|schedule me|schedule me for|put me down for',
  have:
    "i have|i've got|i got|we have|we've got|there is|there's|there will be|i am having|i'm having|we are having" +
    "|we're having",
  make: 'make|make it|make that|make this|make them|make these|make those',
  ask:
    'remind me what|remind me when|remind me who|remind me how|remind me where|remind me which|remind me why|' +
    "what|what's|whats|when|where|who|why|how|which|is|are|am i|do i|do you|did|does|was|were|have i|has|show|show me" +
    "|list|tell me|tell me about|display|whose|who's|how's|explain|will|should i|do we",
};

/** 'Would you mind moving the dentist': the verbs of change as -ing or -ed, only behind such a courtesy. */
const GERUNDS: [Act, string][] = [
  ['move', 'moving|rescheduling|shifting'],
  ['later', 'pushing|postponing|delaying'],
  ['cancel', 'cancelling|canceling'],
  ['schedule', 'scheduling|booking|planning'],
  ['block', 'blocking'],
  ['move', 'moved|rescheduled|shifted'],
  ['later', 'pushed|postponed|delayed'],
  ['cancel', 'cancelled|canceled|skipped'],
];

type Found = { act: Act | 'polite'; next: number };
const longer = (best: Found | null, act: Act | 'polite', next: number | null): Found | null =>
  next !== null && next > (best?.next ?? 0) ? { act, next } : best;

/** The longest lead or courtesy that stands at `i`. */
const longestAt = (tokens: readonly Token[], i: number): Found | null => {
  let best = longer(null, 'polite', phraseAt(tokens, i, POLITE));
  for (const act of ACTS) best = longer(best, act, phraseAt(tokens, i, LEADS[act]));
  const courtesy = phraseAt(
    tokens,
    i,
    'would you mind|do you mind|how about|what about|what if we|what if i|what if you|it would be better if we',
  );
  if (courtesy) for (const [act, verbs] of GERUNDS) best = longer(best, act, phraseAt(tokens, courtesy, verbs));
  return best;
};
const ACTS = Object.keys(LEADS) as Act[];

export const politeAt = (tokens: readonly Token[], i: number): number | null => {
  const found = longestAt(tokens, i);
  return found?.act === 'polite' ? found.next : null;
};

/** The lead at `i`, courtesies aside. */
export const leadAt = (tokens: readonly Token[], i: number): Lead | null => {
  const found = longestAt(tokens, i);
  return found && found.act !== 'polite' ? { act: found.act, next: found.next } : null;
};

/** Leads that may open a second request behind 'and': imperatives that are seldom anything else there. */
const STRONG: ReadonlySet<Act> = new Set<Act>([
  'schedule',
  'block',
  'remind',
  'reflect',
  'log',
  'move',
  'later',
  'earlier',
  'shorten',
  'extend',
  'cancel',
  'make',
  'dismiss',
  'rename',
  'swap',
  'refuse',
]);
const WEAK = new Set([
  'start',
  'put',
  'hold',
  'keep',
  'stop',
  'never',
  'set',
  'switch',
  'look',
  'advance',
  'cut',
  'stretch',
  'trade',
  'note',
  'spend',
  'reflection',
  'reminder',
  'change',
]);

/** The index after courtesies where a further request opens at `i`. */
export const opensRequest = (tokens: readonly Token[], i: number): boolean => {
  let at = i;
  for (let n = 0; n < 4; n++) at = politeAt(tokens, at) ?? at;
  const lead = leadAt(tokens, at);
  return (
    lead !== null &&
    STRONG.has(lead.act) &&
    !(
      WEAK.has(wordAt(tokens, at)) &&
      lead.next === at + 1 &&
      !['the', 'my', 'a', 'that', 'it', 'me', 'an'].includes(wordAt(tokens, lead.next))
    )
  );
};
