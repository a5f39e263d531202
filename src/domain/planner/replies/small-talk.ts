/** Small talk: greetings, thanks and goodbyes get a short reply, and nothing is planned. */

const REPLIES: [RegExp, string][] = [
  [
    /^(?:(?:ok|okay|great|perfect|super|cool|nice|good|wonderful|awesome|alright|well)[ ,.!]*)*(?:many thanks|thanks|thank you|thx|cheers|ta)(?: (?:a lot|a million|again|so much|very much|for (?:that|this|your help|the help|everything|now)|all|almanac))*(?:[ ,.!]*(?:that(?:['’]s| is| was| will be)? (?:all|it|everything)|nothing else|bye|good ?night|see you)(?: (?:for (?:now|today)|then|later|tomorrow))?)?$/,
    'You are welcome.',
  ],
  [
    /^(?:that(?:['’]s| is| was| will be)? (?:all|it|everything)|nothing else|i(?:['’]m| am) done)(?: for (?:now|today))?$/,
    'All right.',
  ],
  [
    /^(?:bye|goodbye|bye bye|see you|good ?night|have a (?:good|nice|great) (?:day|one|evening|night|weekend))(?: (?:later|tomorrow|soon|then|too|almanac))*$/,
    'Goodbye.',
  ],
  [
    /^(?:how are you|how(?:['’]s| is) it going|how do you do|what(?:['’]s| is) up)(?: (?:today|doing))?$/,
    'I am ready. What would you like me to plan, or to look up?',
  ],
  [
    /^(?:hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|greetings)(?: (?:there|again|almanac|everyone|all))*(?:[ ,.!]*(?:how are you|how(?:['’]s| is) it going)(?: today)?)?$/,
    'Hello. What would you like me to plan, or to look up?',
  ],
];
/** Of a pending proposal these may mean that it is approved, which only a decision does. */
const PRAISE =
  /^(?:nice|great|cool|perfect|awesome|wonderful|good to know|got it|i see|understood|sounds great|well done|good job|lol|haha+)$/;
/** No longer text is only small talk. */
const LONGEST = 100;

/** The reply where the whole prompt is small talk, else null. */
export const smallTalkReply = (prompt: string, isPending: boolean): string | null => {
  if (prompt.length > LONGEST) return null;
  const text = prompt
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s,.!?]+|(?<![\s,.!?:)(;-])[\s,.!?:)(;-]+$/g, '');
  return REPLIES.find(([pattern]) => pattern.test(text))?.[1] ?? (!isPending && PRAISE.test(text) ? 'Good.' : null);
};
